/** Reads a check file, with every mistake at its line and column. */
import { array, boolean, type Infer, integer, type JsonSchema, object, oneOf, string } from '../../contract/schema.ts';
import { issues } from '../../contract/validate.ts';
import { Failure } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { maxChecks } from '../../core/limits.ts';
import { parsePeriod } from '../../core/periods.ts';
import type { TextPosition } from '../../core/yaml.ts';
import { openScope } from '../entries/scope.ts';
import { checkCondition } from '../expression/check.ts';
import { grantTest } from './grant-checks.ts';
import { lintListExpectation } from './list-checks.ts';
import { metricTest } from './metric-checks.ts';
import { type CheckSpec, type Severity, type Subject, severities } from './model.ts';

interface Problem extends TextPosition {
  /** Dotted: `checks.0.expect.1`; empty for the file itself. */
  path: string;
  message: string;
}

export interface CheckSection {
  subject: Subject;
  /** The list as it is named, or the label of a metrics or grants section. */
  label: string;
  company?: string | undefined;
  archived: 'exclude' | 'include' | 'only';
  where?: string | undefined;
  filter?: readonly string[] | undefined;
  /** The checks may have nothing to look at. */
  allowEmpty: boolean;
  from?: string | undefined;
  to?: string | undefined;
  last?: number | undefined;
  /** Its rows or months as a baseline names them, where the file has other ones of the same subject; else empty. */
  part: string;
  checks: CheckSpec[];
}

export const maxMonths = 1200;

const lints: Record<Subject, (text: string) => unknown> = {
  list: lintListExpectation,
  metrics: metricTest,
  grants: grantTest,
};

/** Reads the value of a check file: its sections, and every problem. A run needs none. */
export function readChecks(
  value: unknown,
  positionOf: (path: string) => TextPosition,
): { sections: CheckSection[]; problems: Problem[] } {
  const problems: Problem[] = [];
  const wrong = (path: string, message: string): void => {
    problems.push({ ...positionOf(path), path, message });
  };
  // The sections are looked at one by one below, each against its own schema, for exact messages.
  const outer: JsonSchema = {
    ...CheckFileSchema,
    properties: { ...CheckFileSchema.properties, checks: { type: 'array', minItems: 1 } },
  };
  for (const { path, message } of issues(outer, value)) wrong(path, message);
  const raw = (value as { checks?: unknown } | null)?.checks;
  const items: unknown[] = Array.isArray(raw) ? raw : [];
  const count = items.reduce((sum: number, item) => sum + checksOf(item), 0);
  if (count > maxChecks) {
    wrong('checks', `${count} checks, and the limit is ${maxChecks}; split the file`);
    return { sections: [], problems };
  }
  const sections = items.flatMap((section, index) => readSection(section, `checks.${index}`, positionOf, wrong));
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  return { sections: withParts(sections), problems };
}

/** The checks of a section, for each of its companies; a wrong one counts as one. */
function checksOf(section: unknown): number {
  if (!isObject(section)) return 1;
  const lengthOf = (value: unknown) => (Array.isArray(value) ? Math.max(value.length, 1) : 1);
  return lengthOf(section.expect) * lengthOf(section.company);
}

/** Names the rows of sections of one list; the only section of a list goes without. */
function withParts(sections: readonly CheckSection[]): CheckSection[] {
  const parts = new Map<string, Set<string>>();
  const keyOf = ({ subject, label }: CheckSection) => `${subject} ${label}`;
  for (const section of sections) {
    const key = keyOf(section);
    parts.set(key, (parts.get(key) ?? new Set()).add(partOf(section)));
  }
  return sections.map((section) =>
    parts.get(keyOf(section))?.size === 1 ? section : { ...section, part: partOf(section) },
  );
}

function partOf({ archived, where, filter, from, to, last }: CheckSection): string {
  const says = {
    where,
    filter: filter?.join(' and '),
    from,
    to,
    last,
    archived: archived === 'exclude' ? undefined : archived,
  };
  return Object.entries(says)
    .flatMap(([key, value]) => (value === undefined ? [] : [` ${key} ${value}`]))
    .join('');
}

type Wrong = (path: string, message: string) => void;

function readSection(
  value: unknown,
  path: string,
  positionOf: (path: string) => TextPosition,
  wrong: Wrong,
): CheckSection[] {
  const keys = isObject(value) ? Object.keys(value) : [];
  const subjects = (Object.keys(sectionSchemas) as Subject[]).filter((key) => keys.includes(key));
  const [subject] = subjects;
  if (!subject || subjects.length > 1) {
    wrong(
      path,
      `must name one of list:, metrics: or grants:${subjects.length > 1 ? `, got ${subjects.join(' and ')}` : ''}`,
    );
    return [];
  }
  const schema = sectionSchemas[subject];
  const loose: JsonSchema = { ...schema, properties: { ...schema.properties, expect: { type: 'array', minItems: 1 } } };
  for (const issue of issues(loose, value)) wrong(`${path}.${issue.path}`, issue.message);
  const raw = value as Raw;
  for (const bound of ['from', 'to'] as const) {
    const text = raw[bound];
    if (typeof text === 'string' && parsePeriod(text)?.type !== 'month')
      wrong(`${path}.${bound}`, `must be a month such as 2024-01, got ${text}`);
  }
  const { where } = raw;
  if (typeof where === 'string')
    attempt(
      () =>
        checkCondition(
          where,
          openScope(() => new Date(0)),
          'where',
        ),
      `${path}.where`,
      wrong,
    );
  const items: unknown[] = Array.isArray(raw.expect) ? raw.expect : [];
  const checks = items.flatMap((item, index) =>
    readCheck(item, `${path}.expect.${index}`, { subject, section: raw, positionOf, wrong }),
  );
  const { archived = 'exclude', from, to, filter } = raw;
  const last = raw.last === undefined ? undefined : Number(raw.last);
  const allowEmpty = raw['allow-empty'] === true;
  const rows = { archived, where, filter, allowEmpty };
  const section = { subject, label: String(raw[subject]), ...rows, from, to, last, part: '', checks };
  const companies = companiesOf((value as { company?: unknown }).company);
  if (companies.length === 0) return [{ ...section, company: undefined }];
  if (companies.length === 1 && subject !== 'list') return [{ ...section, company: companies[0] }];
  return ofCompanies(section, companies);
}

/** The section for each company: each has its own results. */
export function ofCompanies(section: CheckSection, companies: readonly string[]): CheckSection[] {
  return companies.map((company) => ({
    ...section,
    label: labelOf(section, company),
    company,
    checks: section.checks.map((spec) => ({ ...spec })),
  }));
}

function labelOf({ subject, label }: CheckSection, company: string): string {
  // The members of a group get their labels when the run has found them.
  if (company.startsWith('@')) return label;
  return subject === 'list' ? `${company}:${label}` : `${label} (${company})`;
}

function companiesOf(value: unknown): string[] {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items.filter((item) => typeof item === 'string');
}

interface CheckContext {
  subject: Subject;
  section: Raw;
  positionOf: (path: string) => TextPosition;
  wrong: Wrong;
}

function readCheck(item: unknown, path: string, { subject, section, positionOf, wrong }: CheckContext): CheckSpec[] {
  const named = typeof item === 'string' ? { expect: item } : item;
  const mistakes = issues(Named, named);
  for (const issue of mistakes)
    wrong(
      issue.path === '' ? path : `${path}.${issue.path}`,
      issue.path === '' ? 'must be a text or an object with `expect`' : issue.message,
    );
  if (mistakes.length > 0) return [];
  const { name, expect, severity, tags, owner, description } = named as Named;
  const where = typeof item === 'string' ? path : `${path}.expect`;
  if (!attempt(() => lints[subject](expect), where, wrong)) return [];
  return [
    {
      name: name ?? expect,
      expect,
      severity: severity ?? (section.severity as Severity | undefined) ?? 'error',
      tags: [...(section.tags ?? []), ...(tags ?? [])],
      owner: owner ?? section.owner,
      description,
      ...positionOf(where),
    },
  ];
}

function attempt(read: () => unknown, path: string, wrong: Wrong): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    wrong(path, error.hint ? `${error.message} (${error.hint})` : error.message);
    return false;
  }
}

const severity = oneOf(severities, { description: '`error` fails the run, `warn` is reported' });
const tags = array(string({ minLength: 1 }), { description: 'labels by which a run can choose checks' });
const owner = string({ description: 'whom to ask when it fails' });

const Named = object(
  {
    name: string({ minLength: 1, description: 'shown instead of the expectation' }),
    expect: string({ minLength: 1, description: 'unique(email), count >= 10, if stage = "Won" then amount > 0' }),
    severity,
    tags,
    owner,
    description: string(),
  },
  { required: ['expect'], additionalProperties: false },
);

const common = {
  expect: {
    type: 'array',
    minItems: 1,
    items: { anyOf: [{ type: 'string', minLength: 1 }, Named] },
    description: 'expectations, each a text or an object with `expect` and a name, severity, tags, owner, description',
  } satisfies JsonSchema,
  severity,
  tags,
  owner,
};

const allowEmpty = {
  'allow-empty': boolean({ description: 'the checks may have nothing to look at; default false' }),
};

const company = {
  anyOf: [
    { type: 'string', minLength: 1 },
    { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } },
  ],
  description: 'uuid, alias, name or @group, or a list of them; default: the company of the run',
} satisfies JsonSchema;

const ListSection = object(
  {
    ...common,
    company,
    list: string({
      minLength: 1,
      description: 'uuid, slug or exact name, after `COMPANY:` where it is of another one',
    }),
    archived: oneOf(['exclude', 'include', 'only'], { default: 'exclude' }),
    where: string({ minLength: 1, description: 'the rows that are looked at: stage = "Won" and amount > 100' }),
    filter: array(string({ minLength: 1 }), {
      description: 'short conditions, all of them: stage=Won, notes=, stage!=Lost',
    }),
    ...allowEmpty,
  },
  { required: ['list', 'expect'], additionalProperties: false },
);

const MetricsSection = object(
  {
    ...common,
    company,
    metrics: string({ description: 'a label for the reports' }),
    from: string({ description: 'first month, 2024-01' }),
    to: string({ description: 'last month; default: the month before the current one' }),
    last: integer({ minimum: 1, maximum: maxMonths, description: 'number of months up to `to`; default 12' }),
    ...allowEmpty,
  },
  { required: ['metrics', 'expect'], additionalProperties: false },
);

const GrantsSection = object(
  { ...common, company, grants: string({ description: 'a label for the reports' }), ...allowEmpty },
  { required: ['grants', 'expect'], additionalProperties: false },
);

/** JSON Schema of a check file, for editors and for `check lint`. */
const CheckFileSchema = object(
  {
    version: integer({ minimum: 1, maximum: 1, description: 'of this format' }),
    checks: {
      type: 'array',
      minItems: 1,
      items: { anyOf: [ListSection, MetricsSection, GrantsSection] },
    } as JsonSchema,
  },
  { required: ['version', 'checks'], additionalProperties: false, title: 'comem checks' },
);

/** The JSON Schema that ships with the package as `checks.schema.json`. */
export function checkSchemaDocument(): Record<string, unknown> {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...CheckFileSchema };
}

type Named = Infer<typeof Named>;
type Raw = Partial<Infer<typeof ListSection> & Infer<typeof MetricsSection> & Infer<typeof GrantsSection>>;

const sectionSchemas: Record<Subject, JsonSchema> = {
  list: ListSection,
  metrics: MetricsSection,
  grants: GrantsSection,
};

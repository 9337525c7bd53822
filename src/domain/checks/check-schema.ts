/** What `comem.checks.yaml` may hold. */
import { array, boolean, type Infer, integer, type JsonSchema, object, oneOf, string } from '../../contract/schema.ts';
import { type Subject, severities } from './model.ts';

const severity = oneOf(severities, { description: '`error` fails the run, `warn` is reported' });
const tags = array(string({ minLength: 1 }), { description: 'labels by which a run can choose checks' });
const owner = string({ description: 'whom to ask when it fails' });

export const Named = object(
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
      description: 'short conditions, all of them: stage=Won, notes=, amount>100',
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
    last: integer({ minimum: 1, description: 'number of months up to `to`; default 12' }),
    ...allowEmpty,
  },
  { required: ['metrics', 'expect'], additionalProperties: false },
);

const GrantsSection = object(
  { ...common, company, grants: string({ description: 'a label for the reports' }), ...allowEmpty },
  { required: ['grants', 'expect'], additionalProperties: false },
);

/** JSON Schema of a check file, for editors and for `check lint`. */
export const CheckFileSchema = object(
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

export type Named = Infer<typeof Named>;
export type Raw = Partial<Infer<typeof ListSection> & Infer<typeof MetricsSection> & Infer<typeof GrantsSection>>;

export const sectionSchemas: Record<Subject, JsonSchema> = {
  list: ListSection,
  metrics: MetricsSection,
  grants: GrantsSection,
};

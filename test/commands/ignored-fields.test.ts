/**
 * A server that keeps its own value of a field, or leaves the field out, is noticed: each field that any command sends,
 * in each write. What remains undone is never reported as done.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { operationAt } from '../../src/contract/index.ts';
import { cannedApi, ids } from '../helpers/canned-api.ts';
import { commandFiles, commandLines } from '../helpers/command-lines.ts';
import { run } from '../helpers/run.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'comem-ignored-'));
  mkdirSync(join(cwd, 'code'));
  for (const [name, text] of Object.entries(commandFiles)) writeFileSync(join(cwd, name), text);
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

let count = 0;
const written = new Set<string>();
afterAll(() => {
  // Writes without a body leave nothing to ignore.
  expect([...written].sort()).toEqual(Object.keys(open).sort());
  process.stdout.write(`Ignored fields: ${count} answers of ${written.size} writes\n`);
});

const line = (text: string) => ({ argv: text.split(' '), stdin: undefined });
/** `api` prints what came and claims nothing. The last ones send the fields that the others do not. */
const lines = [
  ...commandLines.filter(({ argv }) => argv[0] !== 'api' && argv[0] !== 'doctor'),
  line('lists create Deals --description all --icon book --color blue --entity-type note'),
  line('lists update deals --description few --icon book --color blue'),
  line('attrs create deals Size --type currency --currency EUR --min 1 --max 9 --required'),
  line('attrs create deals Kind --type multi_select --option A:mint --option B:sand'),
  line('attrs update deals amount --max 9 --required --currency EUR'),
  line('entries update deals Acme --title Ace --set amount=13'),
  line(`grants create --recipient-user ${ids.investor} --all-metrics --historical --note n2 --yes`),
  line(`metrics prefs set --investor ${ids.investor} --requested arr --columns arr`),
];

/** Fields that the answer does not show, or may show otherwise (docs/api.md, "What the API leaves open"). */
const open: Readonly<Record<string, readonly string[]>> = {
  createAttribute: ['position'],
  updateAttribute: ['id', 'position'],
  createList: ['position', 'companyId', 'network_id'],
  updateList: ['position'],
  createEntry: ['position'],
  updateEntry: ['id', 'position'],
  createGrant: ['companyId'],
  setMetricPreferences: [],
  instantiateTemplate: ['templateId'],
  stepEntry: ['dryRun'],
};

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Each field of a body: the named ones, and those of its values and configuration. */
function pathsOf(body: Fields, before: readonly string[] = []): string[][] {
  return Object.entries(body).flatMap(([name, value]) => {
    const path = [...before, name];
    return isFields(value) ? pathsOf(value, path) : [path];
  });
}

function otherThan(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value)) return [];
  return value === null ? 'kept' : `${value} and more`;
}

/** The answer with another value at the path; undefined: without it. */
function answering(answer: unknown, path: readonly string[], value: unknown): unknown {
  const copy = structuredClone(answer) as Fields;
  const resource = [copy.grant, copy.preferences, copy.list, copy].find(isFields) as Fields;
  const holder = path.slice(0, -1).reduce<unknown>((at, name) => (isFields(at) ? at[name] : undefined), resource);
  if (isFields(holder)) holder[path.at(-1) ?? ''] = value;
  return copy;
}

it.each(lines.map(({ argv, stdin }) => [argv.join(' '), { argv, stdin }] as const))(
  '%s',
  async (_, { argv, stdin }) => {
    const sent = new Map<string, Fields>();
    const honest = await run(argv, { transport: cannedApi(), cwd, home: cwd, stdin });
    expect(honest.code, honest.stderr).toBe(0);
    for (const { method, path, body } of honest.requests) {
      const op = method === 'GET' ? undefined : operationAt(method, path)?.id;
      if (op && isFields(body) && !sent.has(op)) sent.set(op, body);
    }
    const believed: string[] = [];
    for (const [op, body] of sent) {
      written.add(op);
      for (const path of pathsOf(body)) {
        if (open[op]?.includes(path[0] ?? '')) continue;
        const value = path.reduce<unknown>((at, name) => (at as Fields)[name], body);
        const isNothing = value === null || value === false || (Array.isArray(value) && value.length === 0);
        for (const got of isNothing ? [otherThan(value)] : [otherThan(value), null, undefined]) {
          count += 1;
          const transport = cannedApi((id, answer) => (id === op ? answering(answer, path, got) : answer));
          const { code, stdout, stderr } = await run(argv, { transport, cwd, home: cwd, stdin });
          const isSaid = /was written (without|and its|to the company)|unproven|not as sent/.test(stdout + stderr);
          if (![6, 7].includes(code) || !isSaid)
            believed.push(`${op} ${path.join('.')} ${JSON.stringify(got)}: ${code} ${stderr.slice(-250)}`);
        }
      }
    }
    expect(believed).toEqual([]);
  },
);

/** The answer with only the id of its resource; nothing at all where it has none. */
function onlyId(answer: unknown): unknown {
  if (!isFields(answer)) return answer;
  const key = ['grant', 'preferences', 'list'].find((name) => isFields(answer[name]));
  const { id } = (key === undefined ? answer : answer[key]) as Fields;
  return key === undefined ? { id } : { ...answer, [key]: { id } };
}

it.each([
  ['lists create Deals', 'only id'],
  ['lists update deals --name Other', 'only id'],
  ['attrs create deals Size --type number', 'only id'],
  ['entries create deals --title Ace', 'only id'],
  ['entries update deals Acme --title Ace', 'only id'],
  [`grants create --recipient-user ${ids.investor} --all-metrics --yes`, 'only id'],
])('%s says what an answer of an id leaves open', async (text, shows) => {
  const argv = text.split(' ');
  const writes = (id: string) => !/^(?:get|list)/.test(id);
  const transport = cannedApi((id, answer) => (writes(id) ? onlyId(answer) : answer));
  const { code, stderr } = await run(argv, { transport, cwd, home: cwd });
  expect(code, stderr).toBe(0);
  expect(stderr).toContain(`shows ${shows}: whether all was stored as sent is not known`);
  expect((await run(argv, { transport: cannedApi(), cwd, home: cwd })).stderr).not.toContain('is not known');
});

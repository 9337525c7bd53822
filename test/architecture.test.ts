/** The laws of the house, read from the imports of src/: directions, circles, packages, file sizes, globals. */
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const src = fileURLToPath(new URL('../src', import.meta.url));
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => /(?<!\.d)\.ts$/.test(name));

interface Import {
  from: string;
  to: string;
  kind: 'value' | 'type' | 'dynamic';
}

const statement = /^(import|export)\s(type\s)?[^;'"]*?from\s+'([^']+)'|^import\s+'([^']+)'/gm;
const dynamic = /\bimport\('([^']+)'\)/g;

const imports: Import[] = files.flatMap((from) => {
  const text = readFileSync(join(src, from), 'utf8');
  const fixed = [...text.matchAll(statement)].map((match) => ({
    from,
    to: match[3] ?? match[4] ?? '',
    kind: match[2] ? ('type' as const) : ('value' as const),
  }));
  const lazy = [...text.matchAll(dynamic)].map((match) => ({ from, to: match[1] ?? '', kind: 'dynamic' as const }));
  return [...fixed, ...lazy].map((each) => ({
    ...each,
    to: each.to.startsWith('.') ? relative(src, resolve(src, dirname(from), each.to)) : each.to,
  }));
});

const isFile = ({ to }: Import) => files.includes(to);
const partOf = (file: string) => (file.includes('/') ? (file.split('/')[0] ?? '') : file.replace(/\.ts$/, ''));
const nounOf = (file: string) => /^commands\/([^/]+)\//.exec(file)?.[1];

/** From what everything may use to what nothing may use. A part imports itself and what comes before it. */
const layers = [
  ['core'],
  ['contract'],
  ['domain'],
  ['client', 'config', 'output', 'server'],
  ['mirror'],
  ['cli'],
  ['commands'],
  ['main', 'sql-engine'],
];
const layerOf = (file: string) => layers.findIndex((layer) => layer.includes(partOf(file)));

/** The same for the folders of a part; `.` is its own files. Folders side by side do not import each other. */
const foldersOf: Readonly<Record<string, readonly string[][]>> = {
  domain: [
    ['expression', 'series'],
    ['analysis', 'entries', 'query', '.'],
    ['checks', 'history', 'import', 'list-code', 'sql'],
  ],
  client: [['.'], ['undo']],
  output: [['.'], ['chart', 'formats'], ['write']],
  server: [['model'], ['store'], ['handlers', 'seed'], ['demo'], ['.']],
  mirror: [['past'], ['.'], ['demo']],
};
const folderOf = (file: string) => file.split('/').slice(1, -1)[0] ?? '.';
const rankOf = (file: string) =>
  foldersOf[partOf(file)]?.findIndex((folders) => folders.includes(folderOf(file))) ?? -1;

/** Edges beside the rule, each with its reason. */
const exceptions = new Set([
  // The embedded API in the client's process: the one place where the halves meet.
  'client/embedded.ts → server/embedded.ts',
]);

/** A noun may use another noun's readers and columns, nothing else of it. */
function crossesNouns({ from, to }: Import): boolean {
  const [one, other] = [nounOf(from), nounOf(to)];
  if (one === undefined || other === undefined || one === other) return false;
  return !/^commands\/[^/]+\/(read|columns)\.ts$/.test(to);
}

describe('imports', () => {
  test('were found', () => {
    expect(imports.length).toBeGreaterThan(200);
    expect(imports.some(({ kind }) => kind === 'dynamic')).toBe(true);
  });

  test('name files that exist', () => {
    const wrong = imports.filter((each) => each.to.endsWith('.ts') && !isFile(each));
    expect(wrong).toEqual([]);
  });

  test('go in one direction', () => {
    const wrong = imports
      .filter(isFile)
      .filter(({ from, to }) => partOf(from) !== partOf(to) && layerOf(to) >= layerOf(from))
      .map(({ from, to }) => `${from} → ${to}`)
      .filter((edge) => !exceptions.has(edge));
    expect(wrong).toEqual([]);
    expect(files.filter((file) => layerOf(file) < 0)).toEqual([]);
  });

  test('go in one direction between the folders of a part', () => {
    const wrong = imports
      .filter(isFile)
      .filter(({ from, to }) => partOf(from) === partOf(to) && folderOf(from) !== folderOf(to))
      .filter(({ from, to }) => partOf(from) in foldersOf && rankOf(to) >= rankOf(from))
      .map(({ from, to }) => `${from} → ${to}`);
    expect(wrong).toEqual([]);
    expect(files.filter((file) => partOf(file) in foldersOf && rankOf(file) < 0)).toEqual([]);
  });

  test('between nouns are of readers and columns only', () => {
    expect(imports.filter(isFile).filter(crossesNouns)).toEqual([]);
  });

  test('have no circle, of values, types or on demand', () => {
    expect(circleIn(imports.filter(isFile))).toBeUndefined();
  });

  test('of one npm package are in one module', () => {
    const importers = new Map<string, Set<string>>();
    for (const { from, to, kind } of imports) {
      if (to.endsWith('.ts') || to.endsWith('.json') || kind === 'type') continue;
      if (to.startsWith('node:') || builtinModules.includes(to)) continue;
      const name = to
        .split('/')
        .slice(0, to.startsWith('@') ? 2 : 1)
        .join('/');
      importers.set(name, (importers.get(name) ?? new Set()).add(from));
    }
    const several = [...importers].filter(([, from]) => from.size > 1).map(([name, from]) => [name, ...from]);
    expect(several).toEqual([]);
    expect([...importers.keys()]).toContain('commander');
  });
});

test('output names no resource and no column', () => {
  const resources = ['lists', 'attrs', 'entries', 'metrics', 'grants', 'published', 'companies', 'mirror'];
  const keys = ['recipient', 'periodKey', 'stage', 'title', 'expires_at', 'metric_ids'];
  const literal = new RegExp(`(['"])(?:${[...resources, ...keys].join('|')})\\1`);
  const inOutput = files.filter((file) => file.startsWith('output/'));
  expect(inOutput.filter((file) => literal.test(readFileSync(join(src, file), 'utf8')))).toEqual([]);
});

/** A verb is a file that the command tree loads on demand. */
const verbs = imports
  .filter(({ from, to, kind }) => kind === 'dynamic' && from === 'commands/index.ts' && !/-names|pickers/.test(to))
  .map(({ to }) => to);

/** A noun that is one file has its command beside what it does. */
const verbsOfNouns = verbs.filter((file) => nounOf(file) !== undefined);

describe('files', () => {
  const lines = (file: string) => readFileSync(join(src, file), 'utf8').split('\n').length - 1;

  test('hold one subject: a verb of a noun up to 60 lines, no file over 600', () => {
    expect(files.filter((file) => lines(file) > 600)).toEqual([]);
    expect(verbsOfNouns.filter((file) => lines(file) > 60)).toEqual([]);
    expect(verbs.length).toBeGreaterThan(30);
  });

  test('are called for what they hold', () => {
    expect(files.filter((file) => /(^|\/)(utils?|helpers?|misc|common)(\.ts$|\/)/.test(file))).toEqual([]);
  });

  test('but the programs do not touch the process or the console', () => {
    const touching = files.filter((file) => {
      if (file === 'main.ts' || file === 'sql-engine.ts') return false;
      const code = readFileSync(join(src, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
      return /\bconsole\.\w|\bprocess\.(exit|exitCode|argv|stdout|stderr|stdin|env|cwd|on)\b/.test(code);
    });
    expect(touching).toEqual([]);
  });

  test('decide by data, not by the words of a message', () => {
    const reading = /\bmessage\.(includes|startsWith|endsWith|match|search)\(|\.(test|exec)\([^()]*\bmessage\)/;
    expect(files.filter((file) => reading.test(readFileSync(join(src, file), 'utf8')))).toEqual([]);
  });

  test('do without casts through unknown, proxies and prototypes of others', () => {
    const tricks = /\bas unknown as\b|\bnew Proxy\(|\bObject\.(create\((?!null)|setPrototypeOf\()/;
    expect(files.filter((file) => tricks.test(readFileSync(join(src, file), 'utf8')))).toEqual([]);
  });

  test('of verbs leave formats, errors and the process to others', () => {
    const touching = /\bcatch\b|settings\.output\.value\b/;
    expect(verbsOfNouns.filter((file) => touching.test(readFileSync(join(src, file), 'utf8')))).toEqual([]);
  });
});

describe('output', () => {
  test('names no field of the API: columns say what they are', () => {
    const contract = files
      .filter((file) => file.startsWith('contract/'))
      .map((file) => readFileSync(join(src, file), 'utf8'));
    // Two words or more: `id`, `name` and `status` are words of their own.
    const fields = new Set(
      contract.flatMap((text) => [...text.matchAll(/^\s+([a-z]+(?:_[a-z]+|[A-Z][a-z]*)+):/gm)].map(([, name]) => name)),
    );
    expect(fields.has('company_id') && fields.has('periodKey')).toBe(true);
    const named = files
      .filter((file) => file.startsWith('output/'))
      .flatMap((file) =>
        [...readFileSync(join(src, file), 'utf8').matchAll(/'(\w+)'/g)]
          .filter(([, name]) => fields.has(name))
          .map(([, name]) => `${file}: ${name}`),
      );
    expect(named).toEqual([]);
  });
});

describe('domain and contract', () => {
  test('name no flag and no command', () => {
    const token = /\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
    const literals = files
      .filter((file) => /^(?:domain|contract)\//.test(file))
      .flatMap((file) => [...readFileSync(join(src, file), 'utf8').matchAll(token)].map(([text]) => `${file}: ${text}`))
      .filter((literal) => /^\S+ ['"`]/.test(literal));
    expect(literals.length).toBeGreaterThan(3000);
    expect(literals.filter((text) => /--[a-z]|\\?`comem /.test(text))).toEqual([]);
  });
});

function circleIn(edges: readonly Import[]): string[] | undefined {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const to of next.get(file) ?? []) {
      const circle = visit(to, [...path, file]);
      if (circle) return circle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of next.keys()) {
    const circle = visit(file, []);
    if (circle) return circle;
  }
  return undefined;
}

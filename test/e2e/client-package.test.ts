/** `comem/client` as a script meets it: resolved by name, typed, from ES modules and from CommonJS. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/cli.ts';
import { fillWithDemo } from '../helpers/demo-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** A project that has comem installed. */
function project(files: Record<string, string>): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/comem'), 'dir');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const open = (folder: string) => `
  const client = createComemClient({
    baseUrl: ${JSON.stringify(`embedded:${folder}`)},
    apiKey: 'cmk_demo_investor_everything',
    sessionCookie: 'comem-auth-token=demo-session-investor-everything',
    companyId: 'c0ffee00-0000-4000-8000-000000000001',
  });`;

test('runs from an ES module, on an embedded API of its own', async () => {
  const folder = project({});
  await fillWithDemo(join(folder, 'db'));
  writeFileSync(
    join(folder, 'script.mjs'),
    `import { createComemClient, Failure, operations } from 'comem/client';
    ${open(join(folder, 'db'))}
    const lists = await client.call(operations.listLists);
    let rows = 0;
    for await (const row of client.rows(operations.getMetricSeries, { query: { periodType: 'month' } })) rows += 1;
    const params = { listId: '99999999-9999-4999-8999-999999999999' };
    const failure = await client.call(operations.getList, { params }).catch((error) => error);
    console.log(JSON.stringify({ lists: lists.map((list) => list.slug), rows, known: failure instanceof Failure, code: failure.exitCode }));
    await client.close();`,
  );
  const { stdout, stderr } = await run(process.execPath, ['script.mjs'], { cwd: folder });
  expect(JSON.parse(stdout)).toEqual({
    lists: ['deal-pipeline', 'portfolio', 'investor-crm', 'hiring'],
    rows: 48,
    known: true,
    code: 3,
  });
  expect(stderr).toBe('');
});

test('is the same module from CommonJS', async () => {
  const folder = project({
    'script.cjs': `const one = require('comem/client');
    import('comem/client').then((two) => console.log(one.Failure === two.Failure, Object.keys(one.operations).length));`,
  });
  const { stdout } = await run(process.execPath, ['script.cjs'], { cwd: folder });
  expect(stdout).toBe('true 23\n');
});

test('its types say what an operation takes and gives, and nothing else is accepted', async () => {
  const script = `
    import { createComemClient, operations, type CustomListSummary, type RowOf } from 'comem/client';
    ${open('x')}
    export async function use(): Promise<void> {
      const lists: CustomListSummary[] = await client.call(operations.listLists);
      const name: string | undefined = lists[0]?.name;
      // @ts-expect-error a name is no number
      const wrong: number | undefined = lists[0]?.name;
      const params = { listId: 'x' };
      for await (const row of client.rows(operations.listEntries, { params })) {
        const title: string | undefined = row.title;
        console.log(title, name, wrong);
      }
      for await (const row of client.rows(operations.getMetricSeries, { query: { periodType: 'month' } })) {
        const key: string = row.periodKey;
        const same: RowOf<typeof operations.getMetricSeries> = row;
        console.log(key, same);
      }
      // @ts-expect-error there is no such grain
      await client.call(operations.getMetricSeries, { query: { periodType: 'week' } });
      // @ts-expect-error the path needs a list
      await client.call(operations.getList, { params: {} });
      // @ts-expect-error an attribute has a type
      await client.call(operations.createAttribute, { params, body: { name: 'A' } });
      // @ts-expect-error and that type is one of the API's
      await client.call(operations.createAttribute, { params, body: { name: 'A', attribute_type: 'money' } });
      const gone: undefined = await client.call(operations.deleteList, { params });
      console.log(gone);
    }
  `;
  expect(await compileErrors({ 'script.mts': script, 'script.cts': script })).toBe('');
});

test('its types say that a number may be exact', async () => {
  const script = `
    import { createComemClient, operations, type Numeric } from 'comem/client';
    const query = { periodType: 'month' } as const;
    export async function use(baseUrl: string): Promise<void> {
      const exact = createComemClient({ baseUrl });
      for await (const { metrics } of exact.rows(operations.getMetricSeries, { query })) {
        const value: Numeric | null | undefined = metrics.mrr;
        // @ts-expect-error it may be an ExactNumber
        const wrong: number | null | undefined = metrics.mrr;
        console.log(value, wrong);
      }
    }
  `;
  expect(await compileErrors({ 'script.mts': script })).toBe('');
});

/** Examples in TypeScript of a text, be it Markdown or comments. */
function examplesIn(text: string): string[] {
  const plain = text.replace(/^ \* ?/gm, '');
  return [...plain.matchAll(/^```ts\n(.*?)^```$/gms)].map((match) => match[1] ?? '');
}

test('every example of the documents and of its comments compiles', async () => {
  const sources = ['README.md', 'CONTRIBUTING.md', 'src/client/public.ts'];
  const documents = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  const examples = [...sources, ...documents.map((name) => `docs/${name}`)]
    .flatMap((file) => examplesIn(readFileSync(join(root, file), 'utf8')))
    .filter((example) => example.includes("from 'comem/"));
  expect(examples.length).toBeGreaterThanOrEqual(2);
  const files = examples.map((example, index) => [`example-${index}.mts`, example]);
  expect(
    await compileErrors(Object.fromEntries(files), { types: ['node'], typeRoots: [join(root, 'node_modules/@types')] }),
  ).toBe('');
});

async function compileErrors(files: Record<string, string>, more: object = {}): Promise<string> {
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: false, exactOptionalPropertyTypes: true },
    ...{ target: 'es2023', lib: ['es2023', 'dom'], types: [], module: 'nodenext', moduleResolution: 'nodenext' },
    ...more,
  };
  const settings = JSON.stringify({ compilerOptions, files: Object.keys(files) });
  const folder = project({ ...files, 'tsconfig.json': settings });
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const checked = await run(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => error);
  return checked.stdout;
}

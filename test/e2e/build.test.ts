/** `npm run build` in folders of its own: what it writes, twice. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSchemaDocument } from '../../src/domain/checks/check-file.ts';
import { listSchemaDocument } from '../../src/domain/list-code/spec.ts';
import { seedSchemaDocument } from '../../src/server/seed/seed.ts';
import { modulesIn, packageOf, readPackage, root } from '../helpers/built.ts';
import { temporaryFolder } from '../helpers/cli.ts';

const run = promisify(execFile);
// In the project, because a source map says where the sources are from its own folder.
const folders = ['one', 'two'].map((name) => join(root, `.cache/build-${process.pid}-${name}`));
const [one = '', two = ''] = folders;

function filesOf(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return files.map((file) => join(file.parentPath, file.name).slice(folder.length + 1)).sort();
}

beforeAll(async () => {
  const builds = folders.map((folder) =>
    run(process.execPath, ['scripts/build.mjs', '--dir', join(folder, 'dist')], { cwd: root }),
  );
  for (const { stdout, stderr } of await Promise.all(builds)) expect(stdout + stderr).toBe('');
});

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

test('two builds are the same, byte by byte', () => {
  const names = filesOf(one);
  expect(names.length).toBeGreaterThan(100);
  expect(filesOf(two)).toEqual(names);
  const differing = names.filter((name) => !readFileSync(join(one, name)).equals(readFileSync(join(two, name))));
  expect(differing).toEqual([]);
});

test.each([
  ['seed', seedSchemaDocument()],
  ['checks', checkSchemaDocument()],
  ['list', listSchemaDocument()],
])('%s.schema.json is what files are read by', (name, document) => {
  const text = readFileSync(join(one, `dist/${name}.schema.json`), 'utf8');
  expect(text).toBe(`${JSON.stringify(document, undefined, 2)}\n`);
});

describe('THIRD-PARTY-NOTICES', () => {
  const sections = () =>
    readFileSync(join(one, 'THIRD-PARTY-NOTICES'), 'utf8')
      .split(`\n${'-'.repeat(80)}\n\n`)
      .slice(1);

  test('lists every package that is bundled, once', () => {
    const modules = filesOf(one).flatMap((name) => modulesIn(join(one, name)));
    const packages = [...new Set(modules.flatMap((module) => packageOf(module) ?? []))].map(readPackage);
    expect(packages.length).toBeGreaterThan(40);
    const listed = sections().map((section) => section.split('\n', 1)[0]);
    expect(listed).toEqual([...new Set(listed)].sort());
    expect(listed).toEqual(
      expect.arrayContaining(packages.map(({ name, version, license }) => `${name} ${version} (${license})`)),
    );
  });

  test('has the text of each licence, and the notices of what packages embed', () => {
    const text = (name: string) => sections().find((section) => section.startsWith(`${name} `)) ?? '';
    for (const section of sections()) expect(section).toMatch(/permission|redistribution|apache license/i);
    // Its font is copied, not bundled.
    expect(text('roboto-fontface')).toMatch(/Apache License\s+Version 2\.0/);
    expect(text('jq-wasm')).toMatch(/Owen Ou.*Stephen Dolan.*David M\. Gay.*NetBSD Foundation.*K\.Kosako/s);
    expect(text('undici')).toMatch(/Matteo Collina and Undici contributors.*Fedor Indutny/s);
    expect(text('pgpass')).toContain('Hannes Hörl');
    expect(text('abstract-logging')).toContain('James Sumners');
  });

  test.each([
    ['a licence that is not allowed', { license: 'GPL-3.0-only' }, 'its licence is GPL-3.0-only'],
    ['no licence', {}, 'its licence is undefined'],
    ['no text of its licence', { license: 'MIT' }, 'the text of its licence is missing'],
  ])('fails for a package with %s', async (_, fields, message) => {
    const folder = join(temporaryFolder(), 'node_modules/bad');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'bad', version: '1.0.0', ...fields }));
    const script = `import { notices } from './scripts/notices.mjs'; notices([${JSON.stringify(join(folder, 'a.js'))}]);`;
    const failed = run(process.execPath, ['--input-type=module', '-e', script], { cwd: root });
    await expect(failed).rejects.toThrow(`bad is bundled, but ${message}`);
  });
});

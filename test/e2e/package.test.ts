/** What goes into the npm package. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Packed {
  /** Bytes of the packed file. */
  size: number;
  files: { path: string; size: number; mode: number }[];
}

describe('the package', () => {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [packed] = JSON.parse(output) as [Packed];
  const paths = packed.files.map(({ path }) => path);

  test('holds what runs and what is read, and nothing else', () => {
    const folders = [...new Set(paths.map((path) => path.split('/')[0]))].sort();
    expect(folders.filter((name) => !/^(README|CHANGELOG|CONTRIBUTING)\.md$/.test(name ?? ''))).toEqual([
      'LICENSE',
      'THIRD-PARTY-NOTICES',
      'bin',
      'dist',
      'docs',
      'man',
      'package.json',
    ]);
    expect(paths).toEqual(expect.arrayContaining(['bin/comem.js', 'dist/main.js', 'dist/client.mjs', 'man/comem.1']));
    expect(paths.filter((path) => /\.test\.|(?<!\.d)\.ts$/.test(path))).toEqual([]);
    expect(packed.size).toBeLessThan(3_000_000);
  });

  test('has an executable entry', () => {
    expect(packed.files.find(({ path }) => path === 'bin/comem.js')?.mode).toBe(0o755);
    expect(readFileSync(join(root, 'bin/comem.js'), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  test('holds every file that package.json names', () => {
    const text = readFileSync(join(root, 'package.json'), 'utf8');
    const named = [...text.matchAll(/"\.\/((?:dist|man|bin)\/[^"]+)"/g)].map((match) => match[1]);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((path) => path !== undefined && !paths.includes(path))).toEqual([]);
  });

  test('needs no package but those with compiled code, and says nothing of the machine that built it', () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const asked = paths
      .filter((path) => /\.(js|[cm]js|map)$/.test(path))
      .flatMap((path) => {
        const text = readFileSync(join(root, path), 'utf8');
        expect(text.includes(root), path).toBe(false);
        // Between backticks it is code that a package prints.
        return [...text.matchAll(/(?<!`)\b(?:require|import)\("([^"./][^"]*)"\)/g)].map((match) => match[1] ?? '');
      });
    const builtin = execFileSync(process.execPath, ['-p', "require('node:module').builtinModules.join()"], {
      encoding: 'utf8',
    });
    const ours = asked.filter((to) => !to.startsWith('node:') && !builtin.trim().split(',').includes(to));
    // pg asks for pg-native only where somebody asks it for that.
    const optional = ['pg-native'];
    expect([...new Set(ours)].filter((to) => !optional.includes(to)).sort()).toEqual(Object.keys(dependencies).sort());
  });
});

test('the packed file runs where no install script has run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'comem-packed-'));
  try {
    const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
    const file = execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }).trim();
    execFileSync('tar', ['xzf', join(folder, file), '-C', folder]);
    const modules = join(folder, 'package/node_modules');
    for (const name of ['@photostructure/sqlite', '@napi-rs', '@resvg/resvg-wasm', 'node-gyp-build']) {
      // An install script would write into `build`.
      const filter = (path: string) => !path.endsWith(`${name}/build`);
      cpSync(join(root, 'node_modules', name), join(modules, name), { recursive: true, filter });
    }
    const xdg = ['CONFIG', 'DATA', 'CACHE', 'STATE'].map((kind) => [`XDG_${kind}_HOME`, join(folder, kind)]);
    const env = { PATH: process.env.PATH, ...Object.fromEntries(xdg) };
    const comem = (...argv: string[]) =>
      execFileSync(process.execPath, [join(folder, 'package/bin/comem.js'), ...argv], {
        cwd: folder,
        env,
        encoding: 'utf8',
      });
    expect(comem('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(comem('-p', 'demo', 'lists', 'list', '--jq', '.[0].slug')).toBe('deal-pipeline\n');
    expect(comem('-p', 'demo', 'sql', 'select 1 as n', '--jq', '.[].n')).toBe('1\n');
    comem('-p', 'demo', '-c', 'lumen', 'metrics', 'chart', '-m', 'mrr', '--last', '6', '--out', 'mrr.png');
    expect(readFileSync(join(folder, 'mrr.png')).subarray(1, 4).toString()).toBe('PNG');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a pack without the tools that build it is refused', () => {
  const folder = mkdtempSync(join(tmpdir(), 'comem-prepare-'));
  try {
    cpSync(join(root, 'scripts/prepare.mjs'), join(folder, 'prepare.mjs'));
    const prepare = (npm_command: string) =>
      spawnSync(process.execPath, [join(folder, 'prepare.mjs')], { env: { npm_command }, encoding: 'utf8' });
    expect(prepare('pack')).toMatchObject({ status: 1, stderr: expect.stringContaining('run `npm ci` first') });
    expect(prepare('ci')).toMatchObject({ status: 0, stderr: '' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

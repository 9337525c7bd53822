/** The documents: printed pages, citations, links, and the paths and scripts that they name. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
const inFolder = (folder: string, name: RegExp) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => name.test(path))
    .map((path) => join(folder, path));

const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...inFolder('docs', /\.md$/)];
const sources = [...inFolder('src', /\.ts$/), ...inFolder('test', /\.ts$/)];

/** The text of each section by its heading, up to the next heading of any level. */
function sectionsOf(page: string): Map<string, string> {
  const parts = withoutCode(read(page)).split(/^#+ (.+)$/m);
  return new Map(parts.flatMap((part, at) => (at % 2 === 1 ? [[part, parts[at + 1] ?? ''] as const] : [])));
}

const withoutCode = (text: string) => text.replace(/^ *```[\s\S]*?^ *```$/gm, '');

/** As GitHub makes the anchor of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

/** The comments of a file, each without its line breaks. */
function commentsOf(file: string): string[] {
  const found = read(file).match(/\/\*\*?[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n)+/gm) ?? [];
  return found.map((comment) => comment.replace(/\n\s*(?:\*|\/\/) ?/g, ' '));
}

describe('docs/api.md', () => {
  test('is what the contract says; `npm run docs` prints it', () => {
    const printed = execFileSync(process.execPath, ['scripts/reference.mjs', '--stdout'], { cwd: root });
    expect(read('docs/api.md')).toBe(printed.toString());
  });
});

describe('README.md', () => {
  test('is short, and leads to every page', () => {
    const text = read('README.md');
    expect(text.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(1200);
    expect(inFolder('docs', /\.md$/).filter((page) => !text.includes(`](${page})`))).toEqual([]);
  });

  test('shows pictures that exist, and five questions with their answers', () => {
    const text = read('README.md');
    const pictures = [...text.matchAll(/(?:src|srcset)="([^"]+)"|!\[[^\]]+\]\(([^)]+)\)/g)].map(
      ([, a, b]) => a ?? b ?? '',
    );
    expect(pictures.length).toBeGreaterThanOrEqual(3);
    expect(pictures.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(text.match(/^```console\n\$ comem /gm)?.length).toBe(5);
  });
});

describe('SECURITY.md', () => {
  test('names a test that holds each promise', () => {
    const rows = read('SECURITY.md').match(/^\|.*\|$/gm) ?? [];
    const promises = rows.filter((row) => !/^\| (?:promise|---)/.test(row));
    expect(promises.length).toBeGreaterThan(15);
    expect(promises.filter((row) => !/\| (?:`test\/[\w/.-]+\.test\.ts`(?:, )?)+ \|$/.test(row))).toEqual([]);
  });
});

describe('citations in comments', () => {
  const comments = sources.flatMap((file) => commentsOf(file).map((text) => ({ file, text })));

  test('of a section name one that exists', () => {
    const citations = comments.flatMap(({ file, text }) =>
      [...text.matchAll(/(docs\/[\w-]+\.md), "([^"]+)"(?: (\d+))?/g)].map(([says, page = '', heading = '', item]) => ({
        says: `${file}: ${says}`,
        section: existsSync(join(root, page)) ? sectionsOf(page).get(heading) : undefined,
        item,
      })),
    );
    expect(citations.length).toBeGreaterThan(40);
    const broken = citations.filter(
      ({ section, item }) => section === undefined || (item && !new RegExp(`^${item}\\. `, 'm').test(section)),
    );
    expect(broken.map(({ says }) => says)).toEqual([]);
  });

  test('of a page name one of the repository', () => {
    const named = comments.flatMap(({ file, text }) =>
      [...text.matchAll(/[\w/.-]+\.md\b/g)].map(([page]) => ({ file, page })),
    );
    expect(named.filter(({ page }) => !existsSync(join(root, page)))).toEqual([]);
  });
});

describe.each(pages)('%s', (page) => {
  const text = withoutCode(read(page));

  test('has links that lead somewhere', () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const broken = links.filter((link) => {
      if (/^https?:/.test(link)) return false;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && ![...sectionsOf(target).keys()].some((heading) => anchorOf(heading) === anchor);
    });
    expect(broken).toEqual([]);
  });

  test('has each heading once', () => {
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
    expect(headings.filter((heading, at) => headings.indexOf(heading) !== at)).toEqual([]);
  });

  test('names paths that exist', () => {
    const paths = [...text.matchAll(/`((?:src|test|docs|scripts|bin|man|\.ci|\.github)\/[\w./-]*|[\w-]+\.md)`/g)];
    expect(paths.map(([, path = '']) => path).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('names npm scripts that exist', () => {
    const named = [...read(page).matchAll(/\bnpm run (?:--silent )?([\w:]+)/g)];
    expect(named.map(([, name = '']) => name).filter((name) => !(name in scripts))).toEqual([]);
  });
});

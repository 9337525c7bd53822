import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/cli.ts';
import { ids, listsWorld, type World } from '../helpers/lists-world.ts';
import type { RunOptions } from '../helpers/run.ts';

let world: World;
let home: string;
beforeEach(async () => {
  world = await listsWorld();
  home = temporaryFolder();
});
afterEach(() => world.close());

function guarded(profile: object) {
  mkdirSync(join(home, 'config/comem'), { recursive: true, mode: 0o700 });
  const own = { baseUrl: 'https://world.example', company: ids.company, companies: { acme: ids.company }, ...profile };
  const settings = { version: 1, current: 'own', profiles: { own } };
  writeFileSync(join(home, 'config/comem/config.json'), JSON.stringify(settings), { mode: 0o600 });
}
const run = (argv: string[], options: RunOptions = {}) => world.run(argv, { home, ...options });
const patches = ({ requests }: { requests: { method: string }[] }) =>
  requests.filter(({ method }) => method !== 'GET').length;
const archive = ['entries', 'archive', 'deals', ids.acme];

it('a protected profile asks for the company by name on a terminal, and takes no other word', async () => {
  guarded({ protected: true });
  const question = 'Name the company (acme)';
  const wrong = await run(archive, { tty: true, answers: [[question, 'yes\r']] });
  expect([wrong.code, patches(wrong)]).toEqual([2, 0]);
  expect(wrong.stderr).toContain('"yes" is not the company');
  const right = await run(archive, { tty: true, answers: [[question, 'acme\r']] });
  expect([right.code, patches(right)]).toEqual([0, 1]);
  expect(right.stderr).toContain(
    `This would write to https://world.example with profile "own", company acme\n(${ids.company}).`,
  );
});

it('says that it writes when it does, and before a question what it would write to', async () => {
  guarded({});
  const place = `https://world.example with profile "own", company acme\n(${ids.company})`;
  const remove = ['entries', 'delete', 'deals', ids.old];
  const refused = await run(remove);
  expect([refused.code, patches(refused)]).toEqual([2, 0]);
  expect(refused.stderr).not.toContain('rite to');
  expect(refused.stderr).not.toContain('Writing');
  const declined = await run(remove, { tty: true, answers: [['Delete', 'n\r']] });
  expect([declined.code, patches(declined)]).toEqual([1, 0]);
  expect(declined.stderr).toContain(`This would write to ${place}.`);
  expect(declined.stderr).not.toContain('Writing');
  // The question is wider than the terminal.
  expect(declined.stderr).toMatch(/^\? Delete .*\n"Deals"\? \(y\/N\)/m);
  const done = await run(remove, { tty: true, answers: [['Delete', 'y\r']] });
  expect([done.code, patches(done)]).toEqual([0, 1]);
  expect(done.stderr).toContain(`This would write to ${place}.`);
  // Once is enough.
  expect(done.stderr).not.toContain('Writing');
});

it('--yes does not name the company, and a bulk write asks for it before anything is sent', async () => {
  guarded({ protected: true });
  const bulk = ['entries', 'update', 'deals', '--all', '--set', 'size=1', '-y'];
  const unnamed = await run(bulk);
  expect([unnamed.code, patches(unnamed)]).toEqual([2, 0]);
  const named = await run([...bulk, '--confirm', 'acme']);
  expect([named.code, patches(named)]).toEqual([0, 4]);
  const undo = await run(['undo', '-y']);
  expect([undo.code, patches(undo)]).toEqual([2, 0]);
  expect((await run(['undo', '-y', '--confirm', 'acme'])).code).toBe(0);
});

it('a profile without a company is named itself', async () => {
  guarded({ protected: true, company: undefined });
  const unnamed = await run(['entries', 'archive', ids.deals, ids.acme], {
    env: { COMEM_COMPANY_ID: undefined, COMEM_API_KEY: undefined },
  });
  expect(unnamed.stderr).toContain('--confirm own');
  const argv = ['entries', 'archive', ids.deals, ids.acme, '--confirm', 'own'];
  expect((await run(argv, { env: { COMEM_COMPANY_ID: undefined, COMEM_API_KEY: undefined } })).code).toBe(0);
});

it('a read-only profile refuses bulk writes and undo, and still shows what they would send', async () => {
  guarded({});
  expect((await run(['entries', 'update', 'deals', '--all', '--set', 'size=1', '-y'])).code).toBe(0);
  guarded({ readonly: true });
  for (const argv of [
    ['undo', '-y'],
    ['entries', 'delete', 'deals', '--all', '-y'],
  ]) {
    const refused = await run(argv);
    expect([refused.code, patches(refused), refused.stdout]).toEqual([2, 0, '']);
    expect(refused.stderr).toContain('read-only');
    const dry = await run([...argv, '--dry-run']);
    expect([dry.code, JSON.parse(dry.stdout).length]).toEqual([0, 4]);
  }
  expect((await run(['history'])).code).toBe(0);
});

it('a dry run shows on a terminal what would be asked or sent, and JSON to who wants it', async () => {
  guarded({});
  const update = ['entries', 'update', 'deals', ids.acme, '--title', 'Acme 2', '--dry-run'];
  const sent = await run(update, { tty: true, columns: 200 });
  expect([sent.code, sent.stdout, patches(sent)]).toEqual([0, '', 0]);
  expect(sent.stderr).toMatch(/PATCH \/api\/lists\/\S+\/entries\s+{"title":"Acme 2","id":/);
  expect(sent.stderr).toMatch(/Nothing was written to https:\/\/world\.example with\s+profile "own", company acme/);
  const asked = await run(['entries', 'delete', 'deals', ids.acme, '--dry-run'], { tty: true, columns: 200 });
  expect([asked.code, asked.stdout, patches(asked)]).toEqual([0, '', 0]);
  expect(asked.stderr).toMatch(/Would delete the entry .*\./);
  for (const options of [
    [update, {}],
    [[...update, '-o', 'json'], { tty: true }],
  ] as const) {
    const { stdout } = await run([...options[0]], options[1]);
    expect(JSON.parse(stdout)).toMatchObject([{ method: 'PATCH', body: { title: 'Acme 2' } }]);
  }
});

it.each([
  [['lists', 'delete', 'deals']],
  [['attrs', 'delete', 'deals', 'size']],
  [['entries', 'delete', 'deals', ids.acme]],
  [['entries', 'delete', 'deals', '--all']],
])('a dry run of %j says what would be asked', async (argv) => {
  guarded({});
  const onTerminal = { tty: true, columns: 200 };
  const asked = await run(argv, { ...onTerminal, answers: [['(y/N)', 'n\r']] });
  const [, question] = /Delete (.+?)\? \(y\/N\)/.exec(asked.stderr) ?? [];
  const { stderr } = await run([...argv, '--dry-run'], onTerminal);
  expect([question, stderr]).toEqual([
    expect.stringMatching(/./),
    expect.stringContaining(`Would delete ${question}.`),
  ]);
});

it('nothing is announced without an address to write to', async () => {
  const { code, stderr } = await run(['lists', 'create', 'X'], { env: { COMEM_BASE_URL: undefined } });
  expect(code).toBe(2);
  expect(stderr).toMatch(/^comem: no base URL is set: .*\n {2}hint: run `comem init`/);
});

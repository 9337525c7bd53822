/**
 * What a person sees, as complete screens: at four widths, and at one of them with colour (as `«green words»`). The drawn
 * screens are in test/commands/screens/; after a change that is meant, write them with `-u`, and read them.
 */
import { describe, expect, it } from 'vitest';
import { run } from '../helpers/run.ts';

const widths = [60, 80, 120, 200];

const screens: readonly (readonly string[])[] = [
  ['lists', 'list'],
  ['lists', 'get', 'deal-pipeline'],
  ['lists', 'diff', 'portfolio', 'hiring'],
  ['attrs', 'list', 'portfolio'],
  ['entries', 'list', 'deal-pipeline', '--limit', '5'],
  ['entries', 'get', 'deal-pipeline', 'Kite Logistics'],
  ['grants', 'list'],
  ['grants', 'list', '--status', 'active'],
  ['grants', 'expiring'],
  ['grants', 'list', '--status', 'active', '--as-of', '2026-01-31'],
  ['grants', 'audit'],
  ['grants', 'matrix', '-m', 'mrr,arr,burn'],
  ['metrics', 'table', '--last', '12'],
  ['metrics', 'series', '--last', '3'],
  ['metrics', 'growth', '-m', 'mrr,burn', '--last', '3'],
  ['-c', 'lumen', 'metrics', 'variance', '-m', 'mrr,burn', '--last', '3'],
  ['metrics', 'live'],
  ['metrics', 'catalog'],
  ['published', 'get', 'lumen', '--from', '2025-10'],
  ['companies', 'list'],
  ['server', 'credentials'],
  ['entries', 'funnel', 'deal-pipeline', '--by', 'stage'],
  ['entries', 'history', 'deal-pipeline', 'Fable Clinic', '--where', 'kind = changed'],
  ['changes', 'grants', '--since', '2y'],
  ['published', 'ledger'],
  ['published', 'ledger', '--recipient', 'cedar', '--on', '2026-02-28', '--values', '--where', 'changed'],
];

describe.each(screens.map((argv) => [argv.join(' '), argv] as const))('comem %s', (name, argv) => {
  it('looks as drawn', async () => {
    const parts: string[] = [];
    for (const columns of widths) parts.push(`=== ${columns} columns\n${await screen(argv, { columns })}`);
    parts.push(`=== 80 columns, in colour\n${visible(await screen(argv, { columns: 80, color: true }))}`);
    const file = `${name.replaceAll(/[^a-z0-9]+/gi, '-').replace(/^-/, '')}.txt`;
    await expect(parts.join('\n')).toMatchFileSnapshot(`screens/${file}`);
  });

  it('has no line wider than the terminal', async () => {
    for (const columns of widths) {
      const shown = await screen(argv, { columns });
      for (const line of shown.split('\n')) expect([...line].length, line).toBeLessThanOrEqual(columns);
    }
  });
});

/** Both streams, as a terminal shows them. */
async function screen(argv: readonly string[], options: { columns: number; color?: boolean }): Promise<string> {
  const { stdout, stderr, code } = await run(['-p', 'demo', ...argv], { ...options, tty: true, network: false });
  expect(code, stderr).toBe(0);
  return `${stdout}${stderr}`;
}

const names: Readonly<Record<string, string>> = {
  ...{ 1: 'bold', 2: 'dim', 31: 'red', 32: 'green', 33: 'yellow' },
  ...{ 34: 'blue', 35: 'magenta', 36: 'cyan', 90: 'gray' },
};

/** Colours as words. */
function visible(text: string): string {
  const [first = '', ...rest] = text.split('\u001b[');
  return first + rest.map((part) => part.replace(/^(\d+)m/, (_, code: string) => opening(code))).join('');
}

function opening(code: string): string {
  const name = names[code];
  return name === undefined ? '»' : `«${name} `;
}

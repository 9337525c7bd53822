import { expect, test } from 'vitest';
import type { TestModule } from 'vitest/node';
import Skips from './helpers/skips.ts';

const module = (file: string, names: readonly string[]): TestModule =>
  ({ relativeModuleId: file, children: { allTests: () => names.map((name) => ({ name })) } }) as never;

test('a run ends with what was skipped, by what it needs', () => {
  let said = '';
  const reporter = new Skips({
    write(text) {
      said += text;
    },
  });
  reporter.onTestRunEnd([
    module('test/a.test.ts', ['reads rows (needs mlr: apt-get install miller)', 'is filtered out by -t']),
    module('test/b.test.ts', ['sums (needs mlr: apt-get install miller)', 'draws (needs chromium: apt-get …)']),
  ]);
  expect(said).toBe(`
Skipped, because an optional tool is missing:
  mlr: apt-get install miller
    test/a.test.ts: reads rows
    test/b.test.ts: sums
  chromium: apt-get …
    test/b.test.ts: draws
`);
});

test('a run without such tests ends as it is', () => {
  let said = '';
  new Skips({
    write(text) {
      said += text;
    },
  }).onTestRunEnd([module('test/a.test.ts', ['is filtered out by -t'])]);
  expect(said).toBe('');
});

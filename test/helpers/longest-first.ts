/** The order of test files: the longest first, so that no worker is left with one of them at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest, in this order. vitest knows it by itself from the second run on; a fresh clone has only sizes. */
export const longest = [
  'test/fault/attacks.test.ts',
  'test/fault/matrix.test.ts',
  'test/e2e/examples.test.ts',
  'test/e2e/sql-rows.test.ts',
  'test/commands/sql/attacks.test.ts',
  'test/commands/words.test.ts',
  'test/commands/sql/sql.test.ts',
  'test/commands/server/serve.test.ts',
  'test/e2e/operator.test.ts',
  'test/server/monitoring.test.ts',
  'test/commands/hostile-texts.test.ts',
  'test/e2e/import.test.ts',
  'test/commands/answers.test.ts',
  'test/e2e/constituents.test.ts',
  'test/commands/entries/import/faults.test.ts',
  'test/e2e/process.test.ts',
];

/** Files in the order of `longest`, then the others in theirs; what comes from one project stays together. */
export function longestFirst<File>(files: readonly File[], of: (file: File) => { project: string; path: string }) {
  const projects = [...new Set(files.map((file) => of(file).project))];
  const place = (file: File) => {
    const { project, path } = of(file);
    const at = longest.findIndex((name) => path.endsWith(`/${name}`));
    return [projects.indexOf(project), at < 0 ? longest.length : at] as const;
  };
  return [...files].sort((a, b) => {
    const [[projectA, rankA], [projectB, rankB]] = [place(a), place(b)];
    return projectA - projectB || rankA - rankB;
  });
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return longestFirst(await super.sort(files), ({ moduleId, project }) => {
      return { path: moduleId, project: project.name };
    });
  }
}

import { describe, expect, it } from 'vitest';
import { fileHelp, fileManual } from '../../../src/commands/check/flags.ts';
import { checkSchemaDocument } from '../../../src/domain/checks/check-file.ts';
import { grantFunctionNames } from '../../../src/domain/checks/grant-checks.ts';
import { listFunctionNames } from '../../../src/domain/checks/list-checks.ts';
import { metricFunctionNames } from '../../../src/domain/checks/metric-checks.ts';

describe('the help of the check file', () => {
  const text = [...fileHelp, ...fileManual].join('\n');
  const words = (value: unknown): string[] =>
    typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).flatMap(([name, inner]) => [
          ...(name === 'properties' ? Object.keys(inner as object) : []),
          ...words(inner),
        ]);

  it('names every section, key and expectation', () => {
    const keys = [...new Set(words(checkSchemaDocument()))];
    expect(keys).toEqual(
      expect.arrayContaining(['list', 'metrics', 'grants', 'where', 'company', 'severity', 'owner']),
    );
    const heads = [...listFunctionNames, ...metricFunctionNames, ...grantFunctionNames];
    expect(heads.length).toBeGreaterThan(25);
    expect([...keys, ...heads].filter((word) => !new RegExp(`\\b${word}\\b`).test(text))).toEqual([]);
  });
});

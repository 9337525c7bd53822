// Adds up vitest's own reports: node .ci/sum.mjs FAILED-STEPS REPORT... A skipped test and a report that is not there
// count as failed, because here nothing may be missing.
import { existsSync, readFileSync } from 'node:fs';

const [steps, ...reports] = process.argv.slice(2);
let passed = 0;
let failed = 0;

for (const report of reports) {
  if (!existsSync(report)) {
    console.log(`no report: ${report.replace(/^.*\//, '')}`);
    failed += 1;
    continue;
  }
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  for (const { name, status, message, assertionResults } of testResults) {
    if (status === 'failed' && !assertionResults.some((test) => test.status === 'failed')) {
      console.log(`failed: ${name}: ${message}`);
      failed += 1;
    }
    for (const test of assertionResults) {
      if (test.status === 'passed') {
        passed += 1;
        continue;
      }
      console.log(`${test.status}: ${name.replace(/^.*\/test\//, 'test/')}: ${test.fullName}`);
      failed += 1;
    }
  }
}

// A step that failed beside the tests (lint, types, build) is a failure too.
if (failed === 0) failed += Number(steps);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

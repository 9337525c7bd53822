/** Lists, after all else, what was skipped for want of an optional tool, and how to get the tool. */
import type { Reporter, TestModule } from 'vitest/node';

const needs = /\(needs (.+)\)$/;

export default class Skips implements Reporter {
  private readonly write: (text: string) => void;

  constructor({ write = (text: string) => void process.stdout.write(text) } = {}) {
    this.write = write;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = new Map<string, string[]>();
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const what = needs.exec(test.name)?.[1];
        if (what === undefined) continue;
        const name = `${module.relativeModuleId}: ${test.name.replace(needs, '').trim()}`;
        skipped.set(what, [...(skipped.get(what) ?? []), name]);
      }
    }
    if (skipped.size === 0) return;
    this.write('\nSkipped, because an optional tool is missing:\n');
    for (const [what, names] of skipped) {
      this.write(`  ${what}\n${names.map((name) => `    ${name}\n`).join('')}`);
    }
  }
}

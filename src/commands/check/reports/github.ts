import { findingLines, observation, type Report, verdict } from './report.ts';

const commands = { fail: 'error', error: 'error', warn: 'warning', known: 'notice' } as const;

/** Workflow commands that annotate the lines of the check file. Held checks say nothing. */
export function githubReport(report: Report): string {
  const lines = report.results.flatMap((result) => {
    const kind = verdict(result);
    if (kind === 'pass') return [];
    const { line, column, name } = result.spec;
    const place = line === undefined ? [] : [`file=${property(report.file)}`, `line=${line}`, `col=${column ?? 1}`];
    const title = `title=${property(`${result.subject}: ${name}`)}`;
    const text = [observation(result), ...findingLines(result)].join('\n');
    return [`::${commands[kind]} ${[...place, title].join(',')}::${data(text)}`];
  });
  return lines.map((line) => `${line}\n`).join('');
}

function data(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function property(text: string): string {
  return data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}

import { defineCommand } from '../../cli/define.ts';
import { Failure } from '../../core/errors.ts';
import { doctorColumns, examineAccount, examineMachine, settingsFile } from './checks.ts';

export default defineCommand({
  path: 'doctor',
  summary: 'Find problems: settings, credentials, network, database',
  description: [
    'Prints a row per check: what was found and what to do. Works without settings and without a network. Sends one',
    'request without a credential and one with each credential that is set. Writes nothing to the API.',
    'Status: ok; note: worth knowing; wrong; skipped: fix the earlier problem first. Exits 1 when something is wrong.',
  ].join('\n'),
  operations: ['getMetricCatalog', 'listLists'],
  args: [],
  flags: {},
  examples: [
    { run: 'comem -p demo doctor', says: 'check what the demo needs' },
    { run: 'comem doctor', says: 'check the current profile' },
    { run: 'comem doctor --jq \'.[] | select(.status == "wrong")\'', says: 'only the problems, as JSON' },
  ],
  stdout: 'rows',
  ofNow: true,
  unsettled: true,
  async run(ctx) {
    const machine = await examineMachine(ctx);
    const unread = machine.some(({ check, status }) => check === settingsFile && status === 'wrong');
    const findings = [...machine, ...(await examineAccount(ctx, unread))];
    await ctx.out.rows(findings, doctorColumns, { id: (row) => row.check });
    const wrong = findings.filter(({ status }) => status === 'wrong');
    if (wrong.length === 0) return;
    const names = wrong.map(({ check }) => check).join(', ');
    const advice = wrong.flatMap((row) => (row.advice === null ? [] : [`${row.check}: ${row.advice}`]));
    const says = `${wrong.length} of ${findings.length} checks found a problem: ${names}`;
    throw new Failure('no', says, { hint: advice.join('; ') || undefined });
  },
});

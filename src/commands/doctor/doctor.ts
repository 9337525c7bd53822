import { defineCommand } from '../../cli/define.ts';
import { Failure } from '../../core/errors.ts';
import { examineAccount } from './account.ts';
import { doctorColumns } from './columns.ts';
import { examineMachine, settingsFile } from './machine.ts';

export default defineCommand({
  path: 'doctor',
  summary: 'Look for what is wrong: settings, credentials, network, clock, database',
  description: [
    'A row for each check, with what was found and what to do. It works without settings and without a network. One',
    'request goes out without a credential and one with each that is set; nothing is written at the API.',
    'Status: ok; note: nothing is wrong, but worth knowing; wrong; skipped: something before it has to be mended first.',
    'Exit 1 when something is wrong.',
  ].join('\n'),
  operations: ['getMetricCatalog', 'listLists'],
  args: [],
  flags: {},
  examples: [
    { run: 'comem -p demo doctor', says: 'everything that the demo needs' },
    { run: 'comem doctor', says: 'the profile in use' },
    { run: 'comem doctor --jq \'.[] | select(.status == "wrong")\'', says: 'what is wrong, for a program' },
  ],
  stdout: 'rows',
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
    const says = `${wrong.length} of ${findings.length} checks found something wrong: ${names}`;
    throw new Failure('no', says, { hint: advice.join('; ') || undefined });
  },
});

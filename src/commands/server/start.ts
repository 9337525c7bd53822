import { defineCommand } from '../../cli/define.ts';
import { serveFlags } from './database.ts';

export default defineCommand({
  path: 'server start',
  summary: 'Serve the API over HTTP; `comem serve` for short',
  description:
    'Serves the API on a SQLite database until Ctrl+C. A new database on this machine is filled with demo data, whose ' +
    'keys are public.\n\n' +
    'With -- COMMAND it serves while the command runs, on a fresh database unless --dir is given. The command gets ' +
    'COMEM_BASE_URL, COMEM_API_KEY, COMEM_SESSION_COOKIE, COMEM_COMPANY_ID (for a single company or the demo) and ' +
    'COMEM_NOW (for a fixed clock). Its standard output and exit code are those of the command.\n\n' +
    '--metrics-port serves /metrics for Prometheus on the same host; --rate-limit answers 429 with Retry-After to a ' +
    'credential that sends more, and comem waits.\n\n' +
    '--fault injects faults, to test how a program handles them: latency=20ms before each response, ' +
    "fail='METHOD PATH=FAULT@K/N' for K of N requests (a status, drop, drop-after or html), expire-session=TIME " +
    'after its first request, and max-page=N rows of a page.',
  args: [{ name: 'COMMAND', summary: 'a command to serve for, after --', optional: true, variadic: true }],
  flags: serveFlags,
  examples: {
    'comem serve': 'the demo data on http://127.0.0.1:4010',
    'comem serve -- comem lists list': 'one command on a fresh database with the demo data',
    'comem serve --dir ./data --seed team.yaml --port 0': 'a database of your own, on a free port',
    "comem serve --fault 'fail=GET *=503@1/3' -- ./nightly.sh": 'a script, with every third read failing',
  },
  stdout: 'nothing',
  confirmsLocally: true,
  confirms: 'before it serves the demo data on another --host',
  async run(ctx, { args: { COMMAND: command }, flags }) {
    const { serveUntilStopped, serveFor } = await import('./serve.ts');
    if (command.length === 0) await serveUntilStopped(ctx, flags);
    else await serveFor(ctx, flags, command);
  },
});

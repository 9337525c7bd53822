import { flag, inGroup } from '../../cli/define.ts';
import { databaseFlags } from './database.ts';

/** The names that `--fault` takes. Each was a flag once. */
export const faultNames = ['latency', 'fail', 'expire-session', 'max-page'] as const;

export const serveFlags = {
  port: flag.integer('N', 'port; default 4010; a free one for 0 and with -- COMMAND', { minimum: 0, maximum: 65_535 }),
  host: flag.text('HOST', 'address to listen on; default 127.0.0.1, only this machine'),
  allowHost: flag.list('NAME', 'a name in Host to answer to, beside those of loopback', { hidden: true }),
  metricsPort: flag.integer('N', 'port of /metrics for Prometheus; 0: a free one', {
    minimum: 0,
    maximum: 65_535,
    hidden: true,
  }),
  rateLimit: flag.text('N', 'requests of one credential in a minute; N/s in a second', { hidden: true }),
  ...databaseFlags,
  ...inGroup('DATABASE', {
    readDatabase: flag.text('URL', 'a standby of --database to read from; COMEM_READ_DATABASE'),
  }),
  seed: flag.text('demo|FILE|none', 'first content; default demo in a new local folder, else none'),
  now: flag.text('TIME', 'fixed clock; default COMEM_NOW, else that of the data', { hidden: true }),
  ...inGroup('FAULTS', {
    fault: flag.list('NAME=VALUE', `one of ${faultNames.join(', ')}`, {
      also: Object.fromEntries(faultNames.map((name) => [name, `${name}=VALUE`])),
    }),
  }),
};

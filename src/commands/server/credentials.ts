import { defineCommand } from '../../cli/define.ts';
import { shortRowFlags, showRows } from '../../cli/query.ts';
import { type CredentialRow, credentialColumns } from './columns.ts';

export default defineCommand({
  path: 'server credentials',
  summary: 'Show the keys and sessions of the demo data',
  description:
    'They are fixed and public. Keys and sessions of other databases are stored as hashes: `comem server keys create` ' +
    'creates a new one.',
  flags: shortRowFlags,
  examples: {
    'comem server credentials': 'every key and session, with its company',
    'comem server credentials -o json': 'as JSON',
    "comem server credentials --jq '.[0].credential'": 'the key of the investor, for COMEM_API_KEY',
  },
  async run(ctx, { flags }) {
    const { demoCredentials } = await import('../../server/demo.ts');
    const { sessionCookie } = await import('../../server/model/secrets.ts');
    const rows = demoCredentials().map(({ secret, ...rest }): CredentialRow => {
      const credential = rest.kind === 'session' ? `${sessionCookie}=${secret}` : secret;
      return { ...rest, credential };
    });
    await showRows(ctx, async () => rows, credentialColumns, {
      flags,
      command: ['server credentials'],
      name: ({ name }) => name,
      id: ({ name }) => name,
    });
  },
});

import { expect, it } from 'vitest';
import { embeddedConnection } from '../../src/client/embedded.ts';
import { temporaryFolder } from '../helpers/cli.ts';

it('answers what was sent before it is closed, and takes nothing afterwards', async () => {
  const connection = await embeddedConnection({ dataDir: temporaryFolder(), isDemo: true });
  const request = { method: 'GET', url: 'http://embedded/api/metrics/catalog', headers: {} } as const;
  const answer = connection.send(request);
  await connection.close?.();
  expect((await answer).status).toBeLessThan(500);
  await expect(connection.send(request)).rejects.toMatchObject({ reason: 'aborted' });
});

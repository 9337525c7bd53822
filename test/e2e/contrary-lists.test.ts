/** The commands of lists, attributes and entries on a server that decides otherwise whatever the API leaves open. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliResult, cli } from '../helpers/cli.ts';
import { type Contrary, startContrary } from '../helpers/contrary-server.ts';

let server: Contrary;
beforeAll(async () => {
  server = await startContrary();
});
afterAll(() => server.close());

const nothing = '00000000-0000-4000-8000-00000000dead';

function comem(...argv: string[]): Promise<CliResult> {
  const env = {
    COMEM_BASE_URL: server.url,
    COMEM_API_KEY: server.apiKey,
    COMEM_SESSION_COOKIE: server.sessionCookie,
    COMEM_COMPANY_ID: server.companyId,
  };
  return cli(argv, { env });
}

async function out(...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await comem(...argv);
  if (code !== 0) throw new Error(`${argv.join(' ')}: ${code}: ${stderr}`);
  return stdout;
}

describe('on a contrary server', () => {
  it('lists are listed, read, created, changed and deleted', async () => {
    expect(await out('lists', 'list', '--fields', 'slug', '--no-header')).toBe('deals\nempty\n');
    expect(JSON.parse(await out('lists', 'get', 'Deals', '-o', 'json'))).toMatchObject({ flavour: { of: 'vanilla' } });
    expect(await out('lists', 'create', 'My Funds', '--if-not-exists', '-o', 'id')).toMatch(/^[0-9A-F-]{36}\n$/);
    expect(await out('lists', 'update', 'my_funds', '--color', 'red', '--jq', '.color')).toBe('red\n');
    expect(await comem('lists', 'delete', 'my_funds', '--yes')).toMatchObject({ code: 0, stdout: '' });
    expect(await comem('lists', 'get', 'my_funds')).toMatchObject({ code: 3, stdout: '' });
    expect(await comem('lists', 'get', nothing)).toMatchObject({ code: 3, stdout: '' });
    expect(await out('lists', 'from-template', 'tpl:crm', '--jq', '.list.name')).toBe('CRM\n');
    expect(await comem('lists', 'from-template', 'okrs')).toMatchObject({ code: 6, stdout: '' });
  });

  it('entries are read beyond the page cap, without a total, in the order of the server', async () => {
    const ids = (await out('entries', 'list', 'deals', '-o', 'id')).trim().split('\n');
    expect([ids.length, new Set(ids).size]).toEqual([117, 117]);
    expect(await out('entries', 'count', 'deals')).toBe('117\n');
    expect(await out('entries', 'count', 'deals', '--archived')).toBe('130\n');
    expect(await out('entries', 'count', 'deals', '--filter', 'stage=won')).toBe('39\n');
    expect(await out('entries', 'list', 'deals', '--limit', '2', '--fields', 'title', '--no-header')).toBe(
      'Deal 128\nDeal 127\n',
    );
    expect(await out('entries', 'list', 'empty', '-o', 'json')).toBe('[]\n');
  });

  it('an unknown type, tone and further field are shown', async () => {
    const csv = await out(
      'entries',
      'list',
      'deals',
      '--search',
      'Deal 001',
      '-o',
      'csv',
      '--fields',
      'stage,deal_size,tags,owner',
    );
    expect(csv).toBe('stage,deal_size,tags,owner\nLead,1000.5,alpha,"{""ref"":1}"\n');
    expect(await out('entries', 'get', 'deals', 'Deal 001', '--jq', '.score')).toBe('0.1\n');
    expect(await out('attrs', 'list', 'deals', '--jq', '.[0].config.options[0].tone')).toBe('neon\n');
  });

  it('options go out by id', async () => {
    const made = await out(
      'entries',
      'create',
      'deals',
      '--title',
      'New',
      '--set',
      'stage=won',
      '--set',
      'tags=alpha;beta',
      '-o',
      'id',
    );
    expect(server.requests.at(-1)?.body).toEqual({ title: 'New', values: { stage: 'st/2', tags: ['t-a', 't-b'] } });
    expect(await out('entries', 'update', 'deals', 'New', '--set', 'stage=Lead', '--jq', '.values.tags | length')).toBe(
      '2\n',
    );
    expect(await comem('entries', 'update', 'deals', 'New', '--set', 'stage=Gone')).toMatchObject({
      code: 2,
      stdout: '',
    });
    expect(await out('entries', 'archive', 'deals', 'New', '--jq', '.[0].archived')).toBe('true\n');
    expect(await out('entries', 'unarchive', 'deals', made.trim(), '-o', 'id')).toBe(made);
    expect(await comem('entries', 'delete', 'deals', 'New', '--yes')).toMatchObject({ code: 0, stdout: '' });
    expect(await comem('entries', 'delete', 'deals', made.trim(), '--yes')).toMatchObject({ code: 6, stdout: '' });
  });

  it('a step is read from its body, whatever its status', async () => {
    const step = ['entries', 'step', 'deals', 'Deal 002', '-o', 'json'];
    expect(JSON.parse(await out(...step))).toMatchObject({ queued: true, state: 'humming' });
    expect(await comem(...step)).toMatchObject({ code: 1, stderr: expect.stringContaining('one at a time') });
    const archived = await comem('entries', 'step', 'deals', 'Deal 009', '-o', 'json');
    expect(archived).toMatchObject({ code: 1, stderr: expect.stringContaining('it is archived') });
    expect(JSON.parse(archived.stdout)).toMatchObject({ queued: false });
    const [list = ''] = (await out('lists', 'list', '-o', 'id')).split('\n');
    expect(await comem('entries', 'step', list, nothing)).toMatchObject({ code: 3, stdout: '' });
  });

  it('attributes keep what a change does not name, although a write replaces the config', async () => {
    await out('attrs', 'create', 'empty', 'Level', '--type', 'select', '--option', 'Low', '--option', 'High:sage');
    const ids = await out('attrs', 'list', 'empty', '--jq', '[.[0].config.options[].id]');
    await out('attrs', 'update', 'empty', 'level', '--rename-option', 'low=Lowest', '--add-option', 'Mid');
    expect(await out('attrs', 'list', 'empty', '--jq', '[.[0].config.options[].label]')).toBe(
      JSON.stringify(['Lowest', 'High', 'Mid'], null, 2).concat('\n'),
    );
    const kept = JSON.parse(await out('attrs', 'list', 'empty', '--jq', '[.[0].config.options[:2][].id]'));
    expect(kept).toEqual(JSON.parse(ids));
    expect(await out('attrs', 'update', 'deals', 'deal_size', '--max', '1000000', '--jq', '.config.currency')).toBe(
      'CHF\n',
    );
    expect(await comem('attrs', 'delete', 'empty', 'level', '--yes')).toMatchObject({ code: 0, stdout: '' });
    expect(await out('attrs', 'list', 'empty', '-o', 'json')).toBe('[]\n');
  });

  it('an ended session is a credential failure', async () => {
    const env = {
      COMEM_BASE_URL: server.url,
      COMEM_SESSION_COOKIE: server.endedCookie,
      COMEM_COMPANY_ID: server.companyId,
    };
    expect(await cli(['entries', 'list', 'deals'], { env })).toMatchObject({ code: 4, stdout: '' });
  });
});

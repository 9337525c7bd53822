import { defineCommand, flag } from '../../cli/define.ts';

export default defineCommand({
  path: 'api',
  summary: 'Send any request to the API',
  description: [
    'The API description selects the credential; an unknown path needs --as. A company is sent only if -c is given. A URL must be below the base URL.',
    'Prints the body as data in any format; --raw prints it as received. A response other than 2xx is an error on stderr.',
  ].join('\n\n'),
  operations: [],
  callsAny: true,
  args: [
    { name: 'METHOD', summary: 'GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS' },
    { name: 'PATH', summary: 'a path such as /api/lists' },
  ],
  flags: {
    query: flag.list('NAME=VALUE', 'a query parameter', { short: 'q' }),
    body: flag.list('NAME=VALUE', 'a field of the JSON body; NAME:=JSON for JSON', {
      short: 'f',
      also: { field: 'VALUE' },
    }),
    data: flag.text('JSON|@FILE|-', 'the JSON body; - reads stdin', { also: { input: '@VALUE' } }),
    paginate: flag.boolean('read every page and print one collection'),
    as: flag.text('key|session', 'the credential to send', { choices: ['key', 'session'] }),
    include: flag.boolean('print the status line, headers and body as received', { short: 'i', hidden: true }),
    resource: flag.text('NAME', 'show the columns of this resource, such as Report', { hidden: true }),
  },
  examples: [
    { run: 'comem -p demo api GET /api/metrics/catalog --jq .currency', says: 'any endpoint, any field' },
    { run: 'comem -p demo api GET /api/metrics/series -q periodType=month --paginate -o ndjson', says: 'every page' },
    {
      run: 'comem -p demo api PATCH /api/lists/c0ffee00-0000-4000-8000-0000000000ff -f name=Deals --dry-run',
      says: 'show the request',
    },
  ],
  stdout: 'rows',
  writes: true,
  mayRead: true,
  confirms: 'before a request that deletes or revokes',
  async run(ctx, { args, flags }) {
    const { requestApi } = await import('./request.ts');
    await requestApi(ctx, { ...flags, method: args.METHOD, path: args.PATH });
  },
});

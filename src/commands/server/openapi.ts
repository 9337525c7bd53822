import { defineCommand } from '../../cli/define.ts';
import { printDocument } from '../../cli/show.ts';

export default defineCommand({
  path: 'server openapi',
  summary: 'Print the OpenAPI 3.1 document of the API',
  examples: [
    { run: 'comem server openapi -O openapi.json', says: 'as JSON, into a file' },
    { run: 'comem server openapi -o yaml', says: 'as YAML' },
    { run: 'comem server openapi -O openapi.yaml', says: 'as YAML, into a file' },
  ],
  stdout: 'text',
  async run(ctx) {
    const { openapiDocument } = await import('../../contract/openapi.ts');
    await printDocument(ctx, openapiDocument(), 'json');
  },
});

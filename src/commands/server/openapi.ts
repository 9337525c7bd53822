import { defineCommand } from '../../cli/define.ts';
import { printDocument } from '../../cli/show.ts';

export default defineCommand({
  path: 'server openapi',
  summary: 'Print the OpenAPI 3.1 document of the API',
  examples: {
    'comem server openapi -O openapi.json': 'as JSON, into a file',
    'comem server openapi -o yaml': 'as YAML',
    'comem server openapi -O openapi.yaml': 'as YAML, into a file',
  },
  stdout: 'text',
  async run(ctx) {
    const { openapiDocument } = await import('../../contract/openapi.ts');
    await printDocument(ctx, openapiDocument(), 'json');
  },
});

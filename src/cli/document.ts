import { extname } from 'node:path';
import { usage } from '../core/errors.ts';
import { stringifyJson } from '../core/json.ts';
import type { Context } from './context.ts';

/**
 * Prints a whole document as YAML or JSON: by `-o`, else by the extension of `--out`, else the default of the command.
 * Other formats have no rows to show.
 */
export async function printDocument(ctx: Context, value: unknown, otherwise: 'json' | 'yaml'): Promise<void> {
  const { output, out } = ctx.settings;
  const extension = out === undefined ? '' : extname(out).slice(1).replace('yml', 'yaml');
  const asked = output.origin === 'profile' ? undefined : output.value;
  const format = asked ?? (extension === 'json' || extension === 'yaml' ? extension : otherwise);
  if (format !== 'json' && format !== 'yaml') {
    throw usage(`-o ${format} cannot hold the whole of it`, 'take -o yaml or -o json');
  }
  if (format === 'json') return ctx.out.text(`${stringifyJson(value, 2)}\n`);
  const { writeYaml } = await import('../core/yaml.ts');
  return ctx.out.text(await writeYaml(value));
}

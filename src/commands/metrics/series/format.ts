import type { Context } from '../../../cli/context.ts';
import type { Format } from '../../../core/output-formats.ts';
import { chooseFormat } from '../../../output/formats/choose.ts';

/** The format that rows will take. @throws usage for one that they cannot take */
export function formatOf({ settings: { out, output }, runtime }: Context): Format {
  return chooseFormat(output.value, runtime.terminal.stdoutIsTTY, out !== undefined && out !== '-');
}

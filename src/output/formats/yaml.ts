/** YAML: one sequence. */
import { writeYaml } from '../../core/yaml.ts';
import type { Result, RowWriter } from './writer.ts';

export function yamlWriter<Row>({ json }: Result<Row>): RowWriter<Row> {
  return {
    // The sequence of these rows continues the one before it.
    rows: (rows) => writeYaml(rows.map(json)),
    close: (none) => (none ? '[]\n' : ''),
  };
}

/** A Parquet file's rows and the types of its columns, read by the reader's own library. */
import { parquetMetadata, parquetReadObjects } from 'hyparquet';

export async function readParquet(bytes: Buffer) {
  const file = new Uint8Array(bytes).buffer;
  const { schema, row_groups: groups } = parquetMetadata(file);
  const types = Object.fromEntries(
    schema
      .slice(1)
      .map(({ name, type, converted_type: converted, logical_type: logical }) => [
        name,
        [type, converted ?? logical?.type].filter(Boolean).join(' '),
      ]),
  );
  return { rows: await parquetReadObjects({ file }), types, groups: groups.length };
}

/** An Output over streams that remember what they were given. */
import { Writable } from 'node:stream';
import type { Column } from '../../src/output/column.ts';
import type { OutputSettings } from '../../src/output/output.ts';
import type { Output } from '../../src/output/write/create-output.ts';
import { createOutput } from '../../src/output/write/create-output.ts';

export interface Given extends Partial<Omit<OutputSettings, 'output'>> {
  format?: string | undefined;
  tty?: boolean;
  columns?: number;
  color?: boolean;
  cwd?: string;
  stdout?: Writable;
  signal?: AbortSignal;
}

export interface Captured {
  out: Output;
  /** The pieces as they were written. */
  pieces: string[];
  stdout(): string;
  stderr(): string;
}

export function capture(given: Given = {}): Captured {
  const { format, tty = false, columns = 80, color = false, cwd = '/', stdout, signal, ...settings } = given;
  const pieces: string[] = [];
  const notes: string[] = [];
  const out = createOutput(
    {
      output: { value: format },
      fields: undefined,
      jq: undefined,
      out: undefined,
      header: true,
      truncate: true,
      limit: undefined,
      failEmpty: false,
      quiet: false,
      excel: false,
      ...settings,
    },
    {
      cwd,
      terminal: { stdoutIsTTY: tty, stderrIsTTY: tty, columns, color: { stdout: color } },
      stdout: stdout ?? collector(pieces),
      stderr: collector(notes),
      ...(signal && { signal }),
    },
  );
  return { out, pieces, stdout: () => pieces.join(''), stderr: () => notes.join('') };
}

function collector(pieces: string[]): Writable {
  return new Writable({
    decodeStrings: false,
    write(piece, _, done) {
      pieces.push(String(piece));
      done();
    },
  });
}

export interface Deal {
  id: string;
  title: string;
  amount?: unknown;
  open?: boolean | null;
  at?: string | null;
  tags?: unknown;
  values?: Record<string, unknown>;
}

export const dealColumns: Column<Deal>[] = [
  { key: 'id', heading: 'ID', type: 'id', get: (row) => row.id },
  { key: 'title', heading: 'Title', get: (row) => row.title },
  { key: 'amount', heading: 'Amount', type: 'currency', unit: 'EUR', get: (row) => row.amount as number },
  { key: 'open', heading: 'Open', type: 'boolean', get: (row) => row.open },
  { key: 'at', heading: 'At', type: 'datetime', get: (row) => row.at },
  { key: 'tags', heading: 'Tags', type: 'json', get: (row) => row.tags as object },
  {
    key: 'stage',
    heading: 'Stage',
    hidden: true,
    path: ['values', 'stage'],
    aliases: ['values.stage'],
    get: (row) => row.values?.stage as string,
  },
];

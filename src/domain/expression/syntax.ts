/** The parts of an expression as it is written, before anything is known of its names. */

export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** `at` is the place in the text, from 0. */
export type Node = { at: number } & (
  | { kind: 'number'; text: string }
  | { kind: 'date'; text: string }
  | { kind: 'duration'; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'constant'; value: true | false | null }
  | { kind: 'name'; name: string; quoted: boolean }
  | { kind: 'call'; name: string; args: Node[]; by?: string }
  | { kind: 'list'; items: Node[] }
  | { kind: 'not'; of: Node }
  | { kind: 'negative'; of: Node }
  | { kind: 'and' | 'or'; parts: Node[] }
  | { kind: 'if'; condition: Node; consequence: Node }
  | { kind: 'compare'; operator: Comparison; left: Node; right: Node }
  | { kind: 'near'; center: Node; width: Node }
  | { kind: 'in'; of: Node; items: Node }
  | { kind: 'between'; of: Node; from: Node; to: Node }
  | { kind: 'contains' | 'has'; of: Node; what: Node }
  | { kind: 'matches' | 'like'; of: Node; what: Node }
  | { kind: 'within'; of: Node; what: Node }
  | { kind: 'empty'; of: Node }
  | { kind: 'arithmetic'; operator: '+' | '-' | '*' | '/'; left: Node; right: Node }
);

/** The words of a column: yes and no in several languages, and options that are written in more than one way. */
import { type Attribute, optionsOf } from '../entries/options.ts';
import type { Cited } from './number-column.ts';

export type WordFinding =
  /** `x` beside another word for yes: it may mean either. */
  | { is: 'crosses'; cells: [Cited, Cited] }
  /** Texts that are taken for an option. */
  | { is: 'joined'; cell: Cited; label: string; count: number };

const yes = new Set(
  'true yes y 1 on ja j wahr oui vrai si sí sì verdadero vero sim verdadeiro ✓ ✔ ✔️ ☑ ☑️ ✅'.split(' '),
);
const no = new Set('false no n 0 off nein falsch non faux falso não nao nee ✗ ✘ ☐ ❌'.split(' '));
const cross = new Set(['x', '☒']);

/** A label as people take two for the same: without regard to case, blanks and the form of accents. */
export function foldLabel(label: string): string {
  return label.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
}

export class WordColumn {
  private readonly labels = new Map<string, string | undefined>();
  private readonly exact = new Set<string>();
  private readonly hasSeparator: boolean;
  private readonly joined = new Map<string, { cell: Cited; label: string; count: number }>();
  private cross: Cited | undefined;
  private yes: Cited | undefined;

  constructor(
    private readonly attribute: Attribute,
    private readonly kind: 'checkbox' | 'option',
  ) {
    const options = optionsOf(attribute) ?? [];
    for (const { id, label } of options) {
      for (const name of [id, label]) if (name !== undefined) this.exact.add(name);
      if (label === undefined) continue;
      const folded = foldLabel(label);
      this.labels.set(folded, this.labels.has(folded) ? undefined : label);
    }
    this.hasSeparator = options.some(({ label }) => label?.includes(';'));
  }

  /** @param raw the cell as it is in the file */
  add(text: string, line: number, raw: string): void {
    if (this.kind === 'checkbox') {
      const word = text.trim().toLowerCase();
      if (cross.has(word)) this.cross ??= { line, text };
      else if (yes.has(word)) this.yes ??= { line, text };
      return;
    }
    if (this.exact.has(raw)) return;
    for (const part of this.parts(text)) {
      const label = this.labelOf(part);
      if (label === undefined || label === part.trim()) continue;
      const found = this.joined.get(label) ?? { cell: { line, text: part }, label, count: 0 };
      found.count += 1;
      this.joined.set(label, found);
    }
  }

  get findings(): WordFinding[] {
    const { cross: crossed, yes: other } = this;
    if (crossed && other) return [{ is: 'crosses', cells: [crossed, other] }];
    return [...this.joined.values()].map((one) => ({ is: 'joined', ...one }));
  }

  read(text: string, raw: string): string {
    if (this.kind === 'checkbox') {
      const word = text.trim().toLowerCase();
      return yes.has(word) || cross.has(word) ? 'true' : no.has(word) ? 'false' : text;
    }
    if (this.exact.has(raw)) return raw;
    const parts = this.parts(text);
    return parts
      .map((part) => (this.exact.has(part) ? part : (this.labelOf(part) ?? part)))
      .join(parts.length > 1 ? '; ' : '');
  }

  private parts(text: string): string[] {
    if (this.attribute.attribute_type !== 'multi_select' || this.hasSeparator) return [text];
    return text.split(';').map((part) => part.trim());
  }

  private labelOf(text: string): string | undefined {
    return this.exact.has(text) ? text : this.labels.get(foldLabel(text));
  }
}

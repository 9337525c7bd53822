/** YAML texts that are too large to be held: the items of their long lists, one by one, where they are in block style. */

/** @param line where the text of the item begins */
type Take = (item: string, path: string, line: number) => void;

/** A list whose items are taken. */
interface Level {
  path: string;
  /** Blanks before the key of the list; items have as many or more. */
  key: number;
  /** Blanks before each item, once one is known. */
  items: number | undefined;
  text: string;
  line: number;
}

/**
 * Takes the items of lists out of a YAML text as it comes, each as its own lines: of top-level keys such as `lists`, and
 * of keys of their items, `lists.entries`. Gives what is left, where these lists are empty. What is written in another
 * way than line by line is left as it is.
 */
export class YamlItems {
  private readonly levels: Level[] = [];
  private rest = '';
  private line = 0;
  private open = '';
  /** The line of a key whose list may begin in the next one. */
  private header: { text: string; after: string; path: string; key: number } | undefined;

  constructor(
    private readonly take: Take,
    private readonly members: readonly string[],
  ) {}

  write(text: string): void {
    const lines = (this.open + text).split('\n');
    this.open = lines.pop() ?? '';
    for (const line of lines) this.add(`${line}\n`);
  }

  /** What is left of the text. */
  left(): string {
    if (this.open !== '') this.add(this.open);
    this.open = '';
    this.settle();
    while (this.levels.length > 0) this.close();
    return this.rest;
  }

  private add(line: string): void {
    this.line += 1;
    const blanks = /^ */.exec(line)?.[0].length ?? 0;
    const first = line[blanks];
    if (first === '\n' || first === '\r' || first === '#') this.keep(line);
    else this.addContent(line, blanks);
  }

  private addContent(line: string, blanks: number): void {
    const isItem = line[blanks] === '-' && /\s/.test(line[blanks + 1] ?? '\n');
    if (this.header) {
      const { text, after, path, key } = this.header;
      if (isItem && blanks >= key) {
        this.header = undefined;
        this.keep(`${text.trimEnd()} []\n${after}`);
        this.levels.push({ path, key, items: blanks, text: '', line: this.line });
      } else this.settle();
    }
    for (let level = this.levels.at(-1); level; level = this.levels.at(-1)) {
      if (isItem && blanks === level.items) {
        this.give(level);
        level.line = this.line;
        break;
      }
      if (blanks > (level.items ?? 0)) break;
      this.close();
    }
    const header = this.headerOf(line, blanks, isItem);
    if (header) this.header = header;
    else this.keep(line);
  }

  /** The key of a list that is wanted, which is a key of the text itself or of an item. */
  private headerOf(line: string, blanks: number, isItem: boolean): YamlItems['header'] {
    const top = this.levels.at(-1);
    const found = /^ *(?:- +)?([A-Za-z_]\w*):[ \t]*\r?\n?$/.exec(line);
    const name = found?.[1];
    if (name === undefined) return undefined;
    const key = line.indexOf(name);
    if (key !== (top ? (isItem ? key : this.keyColumn(top)) : 0) || (!top && blanks > 0)) return undefined;
    const path = top ? `${top.path}.${name}` : name;
    return this.members.includes(path) ? { text: line, after: '', path, key } : undefined;
  }

  /** Where the keys of an item are: after its dash. */
  private keyColumn({ text }: Level): number {
    const [before = ''] = /^ *- +/.exec(text) ?? [];
    return before.length;
  }

  /** The key had no list below it. */
  private settle(): void {
    const { header } = this;
    this.header = undefined;
    if (header) this.keep(header.text + header.after);
  }

  private keep(text: string): void {
    const top = this.levels.at(-1);
    if (this.header) this.header.after += text;
    else if (top) top.text += text;
    else this.rest += text;
  }

  private give(level: Level): void {
    if (level.text !== '') this.take(level.text, level.path, level.line);
    level.text = '';
  }

  private close(): void {
    const level = this.levels.pop();
    if (level) this.give(level);
  }
}

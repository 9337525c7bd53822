/** JSON texts that are too large to be held: the elements of their long arrays, one by one. */

/** Characters before an array that hold its key and the blanks around it. */
const keyLength = 200;

/** @param line where the text of the element begins, blanks included */
type Take = (element: string, path: string | undefined, line: number) => void;

/** A text that is being gathered: what is left of the whole, or an element of an array within it. */
interface Level {
  /** The path of the array; '' for the text itself. */
  path: string;
  /** How deep the array is; 0 for the text itself. */
  depth: number;
  text: string;
  line: number;
  /** Elements that were given. */
  taken: number;
}

/**
 * Takes the elements of an array out of a JSON text as it comes, each as its own text: of the array that the text is,
 * or of the members of its object that are named, such as `lists`, and of members of their elements, `lists.entries`.
 * Gives what is left, where these arrays are empty. Whether the pieces are JSON is for their reader to say.
 */
export class JsonElements {
  /** A member that the text has more than once, so that its elements are those of both. */
  repeated: string | undefined;
  private readonly begun = new Set<string>();
  private readonly levels: Level[] = [{ path: '', depth: 0, text: '', line: 1, taken: 0 }];
  private depth = 0;
  private line = 1;
  private isText = false;
  private isEscaped = false;

  constructor(
    private readonly take: Take,
    private readonly members: readonly string[] = [],
  ) {}

  write(text: string): void {
    let start = 0;
    let top = this.top();
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 10) this.line += 1;
      if (this.isText) {
        if (this.isEscaped) this.isEscaped = false;
        else if (code === 92) this.isEscaped = true;
        else if (code === 34) this.isText = false;
        continue;
      }
      if (code === 34) this.isText = true;
      else if (code === 91 || code === 123) {
        this.depth += 1;
        const path = code === 91 ? this.pathOf(top, text.slice(start, at)) : undefined;
        if (path === undefined) continue;
        top.text += text.slice(start, at + 1);
        start = at + 1;
        if (top.path === '' && this.begun.has(path)) this.repeated = path;
        this.begun.add(path);
        top = { path, depth: this.depth, text: '', line: this.line, taken: 0 };
        this.levels.push(top);
      } else if (code === 93 || code === 125) {
        if (top.depth === this.depth && top.depth > 0) {
          this.give(top, text.slice(start, at), top.taken === 0);
          start = at;
          this.levels.pop();
          top = this.top();
        }
        this.depth -= 1;
      } else if (code === 44 && top.depth === this.depth && top.depth > 0) {
        this.give(top, text.slice(start, at), false);
        start = at + 1;
      }
    }
    top.text += text.slice(start);
  }

  /** What is left of the text. */
  left(): string {
    return this.levels.map(({ text }) => text).join('');
  }

  private top(): Level {
    return this.levels.at(-1) as Level;
  }

  /** The path of an array that begins, if its elements are wanted. */
  private pathOf(top: Level, before: string): string | undefined {
    if (this.members.length === 0) return this.depth === 1 ? '' : undefined;
    if (this.depth !== top.depth + 2) return undefined;
    const [, key] =
      /"(\w+)"\s*:\s*$/.exec((top.text.slice(-keyLength) + before.slice(-keyLength)).slice(-keyLength)) ?? [];
    const path = top.path === '' ? key : `${top.path}.${key}`;
    return this.members.find((member) => member === path);
  }

  /** An array without elements has blanks at most. */
  private give(level: Level, text: string, mayBeNone: boolean): void {
    const element = level.text + text;
    const { line } = level;
    level.text = '';
    level.line = this.line;
    if (mayBeNone && element.trim() === '') return;
    level.taken += 1;
    this.take(element, level.path === '' ? undefined : level.path, line);
  }
}

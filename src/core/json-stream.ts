/** JSON texts that are too large to be held: the elements of their long arrays, one by one. */

type Take = (element: string, key: string | undefined) => void;

/**
 * Takes the elements of an array out of a JSON text as it comes, each as its own text: of the array that the text is,
 * or of the members of its object that are named. Gives what is left, where these arrays are empty. Whether the
 * pieces are JSON is for their reader to say.
 */
export class JsonElements {
  private rest = '';
  private element = '';
  private taken = 0;
  /** How deep the array is whose elements are taken; 0 outside of one. */
  private within = 0;
  private key: string | undefined;
  private depth = 0;
  private isText = false;
  private isEscaped = false;

  constructor(
    private readonly take: Take,
    private readonly members: readonly string[] = [],
  ) {}

  write(text: string): void {
    let start = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.isText) {
        if (this.isEscaped) this.isEscaped = false;
        else if (code === 92) this.isEscaped = true;
        else if (code === 34) this.isText = false;
        continue;
      }
      if (code === 34) this.isText = true;
      else if (code === 91 || code === 123) {
        this.depth += 1;
        if (code === 91 && this.within === 0 && this.begins(text.slice(start, at))) {
          this.rest += text.slice(start, at + 1);
          start = at + 1;
          this.within = this.depth;
          this.taken = 0;
        }
      } else if (code === 93 || code === 125) {
        if (this.within === this.depth) {
          this.give(text.slice(start, at), this.taken === 0);
          start = at;
          this.within = 0;
        }
        this.depth -= 1;
      } else if (code === 44 && this.within === this.depth && this.within > 0) {
        this.give(text.slice(start, at), false);
        start = at + 1;
      }
    }
    if (this.within > 0) this.element += text.slice(start);
    else this.rest += text.slice(start);
  }

  /** What is left of the text. */
  left(): string {
    return this.rest + this.element;
  }

  private begins(before: string): boolean {
    if (this.depth === 1) return this.members.length === 0;
    if (this.depth !== 2) return false;
    const [, key] = /"(\w+)"\s*:\s*$/.exec(this.rest.slice(-80) + before) ?? [];
    this.key = this.members.find((member) => member === key);
    return this.key !== undefined;
  }

  /** An array without elements has blanks at most. */
  private give(text: string, mayBeNone: boolean): void {
    const element = this.element + text;
    this.element = '';
    if (mayBeNone && element.trim() === '') return;
    this.taken += 1;
    this.take(element, this.key);
  }
}

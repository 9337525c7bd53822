/** When two texts likely mean the same thing: web addresses by their domain, titles by their words. */
import { urlOf } from '../../core/addresses.ts';

/** Hosts that many companies have a page on: the page is the name, not the host. */
const shared = new Set(
  'linkedin.com facebook.com instagram.com x.com twitter.com github.com gitlab.com youtube.com medium.com crunchbase.com wellfound.com angel.co notion.so notion.site docs.google.com sites.google.com drive.google.com apps.apple.com play.google.com linktr.ee producthunt.com'.split(
    ' ',
  ),
);

/** Without a scheme: not a number, not an address of mail. */
const bareDomain = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}\.?(?:\/\S*)?$/u;

/** `acme.com` of `https://www.Acme.com/about`; a page on a shared host keeps its path. Undefined for other texts. */
export function webKey(text: string): string | undefined {
  const written = text.trim();
  const address = bareDomain.test(written) ? `https://${written}` : written;
  const url = /^https?:\/\/[^\s/]+\.\S+$/i.test(address) ? urlOf(address) : undefined;
  if (!url) return undefined;
  const { hostname, pathname } = url;
  const host = hostname.replace(/\.$/, '').replace(/^(?:www\d?|m)\./, '');
  return shared.has(host.replace(/^[a-z]{2}\./, '')) ? `${host}${pathname.toLowerCase().replace(/\/+$/, '')}` : host;
}

/** The address without regard to case. */
export function textKey(text: string): string {
  return text.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
}

/** What a company's name ends with, and says nothing about which company it is. */
const forms = new Set(
  'inc incorporated llc llp lp ltd limited plc corp corporation co company gmbh ag se kg ug ohg sa sas sarl srl spa bv nv ab as asa oy oyj aps pty pte kk sl'.split(
    ' ',
  ),
);

export interface TitleWords {
  /** Words that must be the same: short ones and those with digits, in alphabetical order. */
  exact: string;
  /** The others, of which one may differ by a letter. */
  long: readonly string[];
  /** All letters and digits in a row. */
  joined: string;
}

export function titleWords(title: string): TitleWords {
  const words = title
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('&', ' and ')
    .replace(/['’.]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  if (words.length > 1 && words[0] === 'the') words.shift();
  while (words.length > 1 && forms.has(words.at(-1) ?? '')) words.pop();
  const isLong = (word: string) => word.length >= 6 && !/\p{N}/u.test(word);
  return {
    exact: words
      .filter((word) => !isLong(word))
      .sort()
      .join(' '),
    long: words.filter(isLong).sort(),
    joined: words.join(''),
  };
}

/** The same words in any order, with at most one letter more, less, other or swapped; or the same letters. */
export function areSimilar(a: TitleWords, b: TitleWords): boolean {
  if (a.joined === b.joined) return a.joined !== '';
  if (a.exact !== b.exact || a.long.length !== b.long.length) return false;
  const left = without(a.long, b.long);
  const right = without(b.long, a.long);
  if (left.length === 0) return true;
  return left.length === 1 && right.length === 1 && differsByOne(left[0] ?? '', right[0] ?? '');
}

/** Texts that similar titles have at least one of in common. */
export function similarityKeys({ exact, long, joined }: TitleWords): string[] {
  const near = long.flatMap((word, at) => {
    const rest = `${exact}|${[...long.slice(0, at), ...long.slice(at + 1)].join(' ')}`;
    // One letter cannot be among the first two and the last two of a long word.
    return [`${rest}|^${word.slice(0, 2)}`, `${rest}|$${word.slice(-2)}`];
  });
  return [
    ...new Set([
      ...(joined === '' ? [] : [`=${joined}`]),
      ...(long.length === 0 && exact !== '' ? [`+${exact}`] : []),
      ...near,
    ]),
  ];
}

function without(words: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return words.filter((word) => {
    const at = left.indexOf(word);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** Typing errors are seldom in the first letter, and Ember is not Amber. */
function differsByOne(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || a[0] !== b[0]) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [restA, restB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (restA.length <= 1 && restB.length <= 1) return true;
  return restA.length === 2 && restB.length === 2 && restA[0] === restB[1] && restA[1] === restB[0];
}

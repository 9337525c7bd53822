// Draws the pictures of the README into docs/pictures/: real runs on a fresh demo, on a pseudo-terminal.
// `--check` compares instead of writing, and exits with 1 where a picture is out of date.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const binary = join(root, 'bin/comem.js');
const folder = join(root, 'docs/pictures');
const home = mkdtempSync(join(tmpdir(), 'comem-pictures-'));
const columns = 92;

const xdg = Object.fromEntries(
  ['CONFIG', 'DATA', 'CACHE', 'STATE'].map((kind) => [`XDG_${kind}_HOME`, join(home, kind.toLowerCase())]),
);
const env = {
  PATH: process.env.PATH,
  HOME: home,
  TERM: 'xterm-256color',
  LANG: 'C.UTF-8',
  COMEM_PROFILE: 'demo',
  ...xdg,
};

/** The main job: a question, numbers, a grant that ends. */
const job = [
  "comem entries list deal-pipeline --where 'stage = Diligence' --sort valuation:desc --limit 4 --fields title,sector,valuation",
  'comem metrics table -m mrr,arr,burn --last 3',
  'comem grants revoke --recipient cedar --yes --fields id,outcome',
];

const report = '-c lumen metrics chart -m mrr --versions actual,budget --last 24';

const themes = {
  light: { back: '#ffffff', frame: '#d0d7de', text: '#1f2328', dim: '#656d76' },
  dark: { back: '#0d1117', frame: '#30363d', text: '#e6edf3', dim: '#8d96a0' },
};
/** The colors of a terminal by SGR number. */
const palette = {
  light: { 31: '#cf222e', 32: '#116329', 33: '#7d4e00', 34: '#0550ae', 35: '#8250df', 36: '#0e7490' },
  dark: { 31: '#ff7b72', 32: '#56d364', 33: '#e3b341', 34: '#79c0ff', 35: '#d2a8ff', 36: '#39c5cf' },
};

/** Splits a line as a shell does: words, and words in single quotes. */
const wordsOf = (line) => [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word);

function onTerminal(line) {
  const [, ...words] = wordsOf(line);
  const run = ['python3', join(root, 'scripts/terminal.py'), '50', String(columns), process.execPath, binary, ...words];
  const { status, stdout } = spawnSync(run[0], run.slice(1), { cwd: home, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${line} ended with ${status}: ${stdout}`);
  return screenOf(stdout);
}

/** What a terminal shows in the end: lines of cells, each a character and its style. */
function screenOf(text) {
  const lines = [[]];
  let [row, column, style] = [0, 0, ''];
  const line = () => {
    while (lines.length <= row) lines.push([]);
    return lines[row];
  };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes of a terminal.
  for (const [, sequence, numbers, letter, character] of text.matchAll(/(\x1b\[([\d;?]*)([A-Za-z]))|(.|\n|\r)/gsu)) {
    const count = Number(numbers?.split(';')[0] || 1);
    if (sequence === undefined) {
      if (character === '\r') column = 0;
      else if (character === '\n') row += 1;
      else {
        if (column === columns) [row, column] = [row + 1, 0];
        const cells = line();
        while (cells.length < column) cells.push({ character: ' ', style: '' });
        cells[column] = { character, style };
        column += 1;
      }
    } else if (letter === 'm') style = restyled(style, numbers ?? '');
    else if (letter === 'A') row = Math.max(0, row - count);
    else if (letter === 'B') row += count;
    else if (letter === 'C') column += count;
    else if (letter === 'G') column = count - 1;
    else if (letter === 'K' && numbers === '2') line().length = 0;
    else if (letter === 'K') line().length = Math.min(line().length, column);
  }
  while (lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

/** `bold dim 32`: what is set after a further SGR sequence. */
function restyled(style, numbers) {
  const set = new Set(style.split(' ').filter(Boolean));
  const drop = (test) => {
    for (const one of set) if (test(one)) set.delete(one);
  };
  for (const number of numbers.split(';').map((one) => Number(one || 0))) {
    if (number === 0) set.clear();
    else if (number === 1) set.add('bold');
    else if (number === 2) set.add('dim');
    else if (number === 22) drop((one) => one === 'bold' || one === 'dim');
    else if (number === 39) drop((one) => /^\d+$/.test(one));
    else if (number >= 30 && number <= 37) {
      drop((one) => /^\d+$/.test(one));
      set.add(String(number));
    } else if (number === 90) set.add('dim');
  }
  return [...set].join(' ');
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function picture(lines, name) {
  const [advance, leading, margin] = [8.4, 20, 20];
  const { back, frame, text, dim } = themes[name];
  const width = Math.ceil(columns * advance + 2 * margin);
  const height = lines.length * leading + 2 * margin;
  const drawn = lines.map((cells, at) => {
    const runs = [];
    for (const [index, { character, style }] of cells.entries()) {
      const last = runs.at(-1);
      // Blanks in a row are left out: not every viewer keeps them.
      const isApart = character !== ' ' && (last?.text.endsWith('  ') || last?.text === ' ');
      if (last?.style === style && !isApart) last.text += character;
      else runs.push({ text: character, style, from: index });
    }
    const y = margin + (at + 0.75) * leading;
    return runs
      .filter((run) => run.text.trim() !== '')
      .map((run) => {
        const styles = run.style.split(' ');
        const color = styles.includes('dim') ? dim : (palette[name][styles.find((one) => /^\d+$/.test(one))] ?? text);
        const weight = styles.includes('bold') ? ' font-weight="bold"' : '';
        // The length keeps columns aligned in whatever font there is.
        const shown = run.text.trimEnd();
        const length = ([...shown].length * advance).toFixed(1);
        return `<text x="${(margin + run.from * advance).toFixed(1)}" y="${y}" fill="${color}"${weight} textLength="${length}">${escaped(shown)}</text>`;
      })
      .join('');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${back}" stroke="${frame}"/>`,
    ...drawn.filter((line) => line !== ''),
    '</svg>\n',
  ].join('\n');
}

/** A command line as it is typed, in as many lines as it needs. */
function typed(line) {
  const lines = ['$'];
  for (const word of line.match(/'[^']*'|\S+/g) ?? []) {
    if (lines.at(-1).length + word.length + 3 > columns) {
      lines[lines.length - 1] += ' \\';
      lines.push('   ');
    }
    lines[lines.length - 1] += ` ${word}`;
  }
  return lines.map((text) => [...text.trimEnd()].map((character) => ({ character, style: 'bold' })));
}

function chart(name) {
  const file = join(home, 'chart.svg');
  const words = [binary, ...report.split(' '), '--out', file];
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: home, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${report} ended with ${status}: ${stderr}`);
  return { [name]: readFileSync(file, 'utf8') };
}

try {
  // The demo is made before, so that nothing is shown of that.
  spawnSync(process.execPath, [binary, 'lists', 'list'], { cwd: home, env });
  const lines = job.flatMap((line, at) => [...(at === 0 ? [] : [[]]), ...typed(line), ...onTerminal(line)]);
  const pictures = {
    'job-light.svg': picture(lines, 'light'),
    'job-dark.svg': picture(lines, 'dark'),
    ...chart('report.svg'),
  };
  if (process.argv.includes('--check')) {
    const old = Object.keys(pictures).filter((name) => pictures[name] !== readFileSync(join(folder, name), 'utf8'));
    if (old.length > 0) throw new Error(`run \`npm run pictures\`: out of date: ${old.join(', ')}`);
  } else {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(pictures)) writeFileSync(join(folder, name), text);
  }
} catch (error) {
  console.error(`pictures: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}

// THIRD-PARTY-NOTICES: the licence of every npm package that is bundled.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const allowed = ['0BSD', 'Apache-2.0', 'BSD-3-Clause', 'ISC', 'MIT'];

/** For the paths of all bundled modules. Throws if a licence is not allowed or its text is missing. */
export function notices(modules) {
  const roots = modules.flatMap((path) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path) ?? []);
  // A package can be installed in several places.
  const sections = new Set([...new Set(roots)].map(section));
  const intro = 'comem contains the following packages, each under its own licence.\n';
  return [intro, ...[...sections].sort()].join(`\n${'-'.repeat(80)}\n\n`);
}

function section(root) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (!allowed.includes(license)) throw new Error(`${name} is bundled, but its licence is ${license}`);
  // Beside this file: the licences of code that a package embeds, or its own where it comes without.
  const named = texts(join(import.meta.dirname, 'notices'), new RegExp(`^${name}\\.txt$`));
  const own = [root, join(root, 'licenses')].flatMap((folder) => texts(folder, /^(licen[cs]e|copying|notice)/i));
  const text = [...own, ...named].map((each) => each.replaceAll('\r\n', '\n').trim()).join('\n\n');
  if (text === '') throw new Error(`${name} is bundled, but the text of its licence is missing`);
  return `${name} ${version} (${license})\n\n${text}\n`;
}

/** The files of the folder whose names match, in the order of their names. */
function texts(folder, pattern) {
  const files = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  const names = files.filter((file) => file.isFile() && pattern.test(file.name)).map(({ name }) => name);
  return names.sort().map((name) => readFileSync(join(folder, name), 'utf8'));
}

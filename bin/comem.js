#!/usr/bin/env node

// Answers --version, and --help after plain words, before anything is loaded; everything else is dist/main.js.
const [major, minor] = process.versions.node.split('.').map(Number);
const args = process.argv.slice(2);
const fs = require('node:fs');
const path = require('node:path');

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`comem: Node.js 20.19 or later is required, but this is ${process.versions.node}\n`);
  process.exitCode = 2;
} else {
  const text = args.length === 1 && /^(--version|-V)$/.test(args[0]) ? version() : helpPage();
  if (text !== undefined) {
    print(text);
  } else {
    // Stack traces name the files and lines of src.
    if (process.env.COMEM_DEBUG) process.setSourceMapsEnabled(true);
    // Node 22 and later keep compiled code.
    if (major >= 22) require('node:module').enableCompileCache?.();
    require('../dist/main.js').start();
  }
}

function version() {
  return `${JSON.parse(fs.readFileSync(path.join(__dirname, '../package.json'), 'utf8')).version}\n`;
}

/** The page that the build has printed; undefined for other command lines and for widths that it has no pages for. */
function helpPage() {
  const words = args.slice(0, -1);
  const isAsked = args.length === 0 || /^(--help|-h)$/.test(args.at(-1));
  if (!isAsked || !words.every((word) => /^[a-z][a-z-]*$/.test(word))) return undefined;
  const file = path.join(__dirname, `../dist/help/${words[0] ?? 'comem'}.json`);
  if (!fs.existsSync(file)) return undefined;
  // The program's own page is the same on every screen.
  const width = words.length === 0 ? 80 : Math.min(columns(), 100);
  return JSON.parse(fs.readFileSync(file, 'utf8'))[width]?.[words.join(' ')];
}

/** The width of the screen. A stream is made only for a terminal: that takes longer than everything else here. */
function columns() {
  const set = process.env.COLUMNS;
  if (/^[1-9]\d{0,4}$/.test(set)) return Number(set);
  const terminal = [1, 2].find((descriptor) => fs.fstatSync(descriptor).isCharacterDevice());
  return (terminal === 1 ? process.stdout.columns : terminal && process.stderr.columns) || 80;
}

/** Writes to the file descriptor: creating `process.stdout` takes longer than everything else here. */
function print(text) {
  try {
    fs.writeSync(1, text);
  } catch (error) {
    // The reader of the pipe has stopped.
    if (error.code === 'EPIPE') return;
    if (error.code === 'EAGAIN') return void process.stdout.write(text);
    process.stderr.write(`comem: cannot write to stdout: ${error.message}\n`);
    process.exitCode = 2;
  }
}

#!/usr/bin/env node

// Answers a bare --version and --help before anything is loaded; everything else is dist/main.js.
const [major, minor] = process.versions.node.split('.').map(Number);
const [first, ...others] = process.argv.slice(2);
const bare = others.length === 0;
const fs = require('node:fs');
const path = require('node:path');
const help = path.join(__dirname, '../dist/help.txt');

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`comem: Node.js 20.19 or later is required, but this is ${process.versions.node}\n`);
  process.exitCode = 2;
} else if (bare && (first === '--version' || first === '-V')) {
  print(`${JSON.parse(fs.readFileSync(path.join(__dirname, '../package.json'), 'utf8')).version}\n`);
} else if (bare && (first === undefined || first === '--help' || first === '-h') && fs.existsSync(help)) {
  print(fs.readFileSync(help, 'utf8'));
} else {
  // Node 22 and later keep compiled code.
  if (major >= 22) require('node:module').enableCompileCache?.();
  require('../dist/main.js').start();
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

#!/usr/bin/env node

// Answers --version before anything is loaded; everything else is dist/main.js.
const [major, minor] = process.versions.node.split('.').map(Number);
const args = process.argv.slice(2);

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`comem: Node.js 20.19 or later is required, but this is ${process.versions.node}\n`);
  process.exitCode = 2;
} else if (args.length === 1 && /^(--version|-V)$/.test(args[0])) {
  process.stdout.on('error', ({ code, message }) => {
    // A reader of the pipe that has stopped is no failure.
    if (code === 'EPIPE') return;
    process.stderr.write(`comem: cannot write to stdout: ${message}\n`);
    process.exitCode = 2;
  });
  process.stdout.write(`${require('../package.json').version}\n`);
} else {
  // Stack traces name the files and lines of src.
  if (process.env.COMEM_DEBUG) process.setSourceMapsEnabled(true);
  // Node 22 and later keep compiled code.
  if (major >= 22) require('node:module').enableCompileCache?.();
  require('../dist/main.js').start();
}

// Builds after an install from a clone or from a git address. `npm ci --omit=dev` has no tools for it, and builds nothing.
let tools = true;
try {
  import.meta.resolve('rolldown');
} catch {
  tools = false;
}
if (tools) await import('./build.mjs');
else if (['pack', 'publish'].includes(process.env.npm_command)) {
  // A package without dist/ would install, and not start.
  console.error('the tools that build the package are not installed: run `npm ci` first');
  process.exitCode = 1;
}

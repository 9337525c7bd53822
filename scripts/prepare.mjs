// Builds after an install from a clone or from a git address. `npm ci --omit=dev` has no tools for it, and builds nothing.
let tools = true;
try {
  import.meta.resolve('rolldown');
} catch {
  tools = false;
}
if (tools) await import('./build.mjs');

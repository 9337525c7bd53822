// Required before a program: writes the largest resident memory in KiB to the file that COMEM_MEMORY names.
process.on('exit', () => {
  require('node:fs').writeFileSync(process.env.COMEM_MEMORY, String(process.resourceUsage().maxRSS));
});

// Required before a program: writes the largest resident memory in KiB to the file that COMEM_MEMORY names. Not that of
// `resourceUsage`, which begins with the memory of the process that started this one.
process.on('exit', () => {
  const fs = require('node:fs');
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'));
  fs.writeFileSync(process.env.COMEM_MEMORY, kilobytes);
});

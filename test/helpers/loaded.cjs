// Required before the program: writes at its end which files it has loaded, to the file that COMEM_LOADED names.
process.on('exit', () => {
  require('node:fs').writeFileSync(process.env.COMEM_LOADED, JSON.stringify(Object.keys(require.cache)));
});

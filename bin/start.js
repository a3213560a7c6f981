/** Apart from the entry point, because `import()` is no syntax of old versions of Node.js. */

void import('../dist/cli.js')
  .then(({ main }) => main(process.argv))
  .then((exitCode) => {
    process.exitCode = exitCode;
  });

/** Apart from the entry point, because its syntax is not that of old versions of Node.js. */

const { enableCompileCache } = process.getBuiltinModule('node:module'); // since 22.1
const { join } = process.getBuiltinModule('node:path');

// In a folder of the user, not in the common one that is the default, because the code in it is executed.
const { HOME, XDG_CACHE_HOME } = process.env;
const caches = XDG_CACHE_HOME || (HOME && join(HOME, '.cache'));
if (caches) enableCompileCache?.(join(caches, 'ironic-coreos/compiled'));

void import('../dist/cli.js')
  .then(({ main }) => main(process.argv))
  .then((exitCode) => {
    process.exitCode = exitCode;
  });

/** Apart from the entry point, because its syntax is not that of old versions of Node.js. */

const modules = process.getBuiltinModule('node:module');
const paths = process.getBuiltinModule('node:path');

// In a folder of the user, not in the common one that is the default, because the code in it is executed.
const { HOME, XDG_CACHE_HOME } = process.env;
const caches = XDG_CACHE_HOME || (HOME && paths.join(HOME, '.cache'));
if (caches && paths.isAbsolute(caches))
  modules.enableCompileCache?.(paths.join(caches, 'ironic-coreos/compiled')); // since Node 22.1

exports.start = async function start() {
  const { main } = await import('../dist/cli.js');
  process.exitCode = await main(process.argv);
};

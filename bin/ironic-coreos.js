#!/usr/bin/env node

// Newer versions of Node can keep compiled code from run to run. By default they do so in a folder for temporary files that
// others may have made; in the user's own there is nobody else's code.
const { HOME, XDG_CACHE_HOME = HOME && `${HOME}/.cache` } = process.env;
if (XDG_CACHE_HOME?.startsWith('/')) {
  process.getBuiltinModule('node:module').enableCompileCache?.(`${XDG_CACHE_HOME}/ironic-coreos`);
}

const { main } = await import('../dist/cli.js');
process.exitCode = await main(process.argv);

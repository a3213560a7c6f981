// @ts-check
/**
 * Bundles the program and the library into `dist/`: most of the time of a short command goes into Node's finding,
 * opening and linking modules, so that each command gets by with two or three files. Types are left to tsc. Run by node:
 * rolldown's own command would list every chunk to those who only want to start the program.
 */

import { readFileSync } from 'node:fs';
import { rolldown } from 'rolldown';

/** @type {{ dependencies: Record<string, string> }} */
const { dependencies } = JSON.parse(readText('package.json'));

const bundle = await rolldown({
  input: { cli: 'src/cli.ts', index: 'src/index.ts' },
  platform: 'node',
  logLevel: 'warn',
  preserveEntrySignatures: 'allow-extension', // or each entry would be one more file
  // What is installed with the package stays outside; commander is not, every command needs it.
  external: (id) =>
    id.startsWith('node:') ||
    Object.keys(dependencies).some((name) => id === name || id.startsWith(`${name}/`)),
  plugins: [commanderInside(), builtinsWithoutFacades()],
});
await bundle.write({
  dir: 'dist',
  cleanDir: true,
  chunkFileNames: '[name].js', // src/assets.ts counts on all chunks being directly in dist/
  comments: false,
  codeSplitting: {
    groups: [
      { name: 'cli', test: /src\/cli\.ts$|rolldown\/runtime/, priority: 2 },
      { name: 'validate', test: /src\/commands\/validate\.ts$/, priority: 1 },
      { name: 'liveImage', test: /src\/io\/rewriteImage\.ts$/, priority: 1 },
    ],
  },
});

/**
 * Commander is for Node's other module system, which takes time to set up, and it loads node:child_process for commands
 * that are programs of their own, of which we have none.
 */
function commanderInside() {
  return {
    name: 'commander-inside',
    transform: {
      filter: { id: /\/node_modules\/commander\// },
      /** @param {string} code */
      handler: (code) =>
        code
          .replace("require('node:child_process')", '{}')
          .replace(/require\('(node:\w+)'\)/g, "globalThis.process.getBuiltinModule('$1')"),
    },
    /** @this {import('rolldown').PluginContext} */
    generateBundle() {
      const source = readText('node_modules/commander/LICENSE');
      this.emitFile({ type: 'asset', fileName: 'commander.LICENSE', source });
    },
  };
}

/**
 * An import of a builtin makes Node read each of its properties, which for node:fs loads streams and promises. Asking for
 * the builtin itself does not.
 */
function builtinsWithoutFacades() {
  return {
    name: 'builtins-without-facades',
    /** @param {string} code */
    renderChunk: (code) =>
      code.replace(/^import (?:\* as )?(.+) from "(node:.+)";$/gm, (_line, names, id) => {
        return `const ${names.replaceAll(' as ', ': ')} = process.getBuiltinModule("${id}");`;
      }),
  };
}

/** @param {string} path */
function readText(path) {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

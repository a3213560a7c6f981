// @ts-check
/**
 * Bundles the program and the library into `dist/`; types are left to tsc. The program is CommonJS, as Node starts that
 * sooner, and loads everything when it is first used: most of the time of a short command goes into Node's finding,
 * compiling and running modules. Run by node: rolldown's own command would list every chunk to those who only want to
 * start the program.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { licensesInside } from './.ci/bundle/licenses.js';
import { loadedWhenUsed } from './.ci/bundle/loadedWhenUsed.js';
import { withoutUnusedParts } from './.ci/bundle/withoutUnusedParts.js';

/** @type {{ dependencies: Record<string, string> }} */
const { dependencies } = JSON.parse(readText('package.json'));

// What is installed with the package stays outside. Not so commander, which every command needs, prom-client, of which
// little is used, cli-progress, with which five more packages would be installed, tar-stream, with which dozens of native
// libraries for another runtime would be installed, and openpgp, which installs 17 MB of builds for other environments.
/** @param {string} id */
const external = (id) =>
  id.startsWith('node:') ||
  Object.keys(dependencies).some((name) => id === name || id.startsWith(`${name}/`));

/** The build for Node.js without comments and long names: a third of the size of the one that is imported by default. */
const resolve = {
  alias: {
    openpgp: fileURLToPath(new URL('node_modules/openpgp/dist/node/openpgp.min.mjs', import.meta.url)),
  },
};

/** So that bin/codeCache.js can tell by the name whether it knows the content. */
const CHUNK = '[name]-[hash].cjs';

/** Chunks are directly in `dist/`: src/core/assets.ts finds the files of the package from there. */
const output = { dir: 'dist', comments: false };

const licenses = licensesInside('bundled.LICENSES');

// Half a megabyte each, of which the program and the library share one copy.
const thirdParty = await rolldown({
  input: { openpgp: 'openpgp', 'node-forge': 'node-forge' },
  platform: 'node',
  resolve,
  logLevel: 'warn',
  plugins: [licenses],
});
const { output: thirdPartyChunks } = await thirdParty.write({
  ...output,
  format: 'cjs',
  cleanDir: true,
  entryFileNames: CHUNK,
  chunkFileNames: CHUNK,
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
});
/** @type {Map<string, string>} names of the packages to paths of their copies */
const copies = new Map(
  thirdPartyChunks.flatMap((chunk) =>
    chunk.type === 'chunk' && chunk.isEntry ? [[chunk.name, `./${chunk.fileName}`]] : [],
  ),
);
const sharedCopies = {
  name: 'shared-copies',
  /** @param {string} id */
  resolveId: (id) => {
    const path = copies.get(id);
    return path === undefined ? null : { id: path, external: true };
  },
};

const library = await rolldown({
  input: { index: 'src/index.ts' },
  platform: 'node',
  resolve,
  logLevel: 'warn',
  checks: { ineffectiveDynamicImport: false }, // it exports what the program's commands load late
  preserveEntrySignatures: 'strict', // names that only its chunks share are no part of the library
  external,
  plugins: [sharedCopies, withoutUnusedParts(), licenses],
});
await library.write({ ...output, chunkFileNames: '[name].js' });

const program = await rolldown({
  input: { cli: 'src/cli/main.ts' },
  platform: 'node',
  resolve,
  logLevel: 'warn',
  checks: { ineffectiveDynamicImport: false }, // loadedWhenUsed makes static imports late as well
  preserveEntrySignatures: 'allow-extension',
  external,
  plugins: [sharedCopies, withoutUnusedParts(), loadedWhenUsed('require("./importModule.cjs")'), licenses],
});
const { output: chunks } = await program.write({
  ...output,
  format: 'cjs',
  entryFileNames: CHUNK,
  chunkFileNames: CHUNK,
  codeSplitting: {
    // What a command needs is read at once; what only some settings need stays apart.
    groups: [
      {
        name: 'program',
        test: /src\/(?:cli\/main|core\/(?:assets|errors|once|programVersion)|io\/(?:stdout|v8Flags)|io\/files\/(?:files|handles|tempFile))\.ts$|rolldown\/runtime/,
        priority: 8,
      },
      {
        name: 'validate',
        test: /src\/(?:commands\/validate\/validate|hosts\/input\/nameInput)\.ts$/,
        priority: 7,
      },
      { name: 'imageParts', test: /src\/image\/(?:overlay|imageChange|embeddedIgnition)\.ts$/, priority: 6 },
      { name: 'output', test: /src\/io\/files\/(?:newFile|shareFile)\.ts$/, priority: 6 },
      // What few configs need. The chunks lint and agent use each other, so dependencies are not included.
      {
        name: 'initrd',
        test: /src\/(?:image\/initrd|formats\/(?:compression|cpio|xz\/|zstd\/))/,
        priority: 6,
        includeDependenciesRecursively: false,
      },
      {
        name: 'keyfile',
        test: /src\/network\/(?:keyfile\/|reachability)/,
        priority: 6,
        includeDependenciesRecursively: false,
      },
      {
        name: 'agent',
        test: /src\/(?:core\/masking|ipa\/|formats\/(?:osloConfig|pythonText|imageReference)|ignition\/(?:merge|effectiveConfig)\.|agent\/(?:agentArchive|conf\w*|embeddedSecrets|image\w+|insecureArgument|ironicUrl|machineAddress|pullSecret|registriesConf)\.|agent\/lint\/(?:addresses|conf|lintConfig|pullSecret|sandbox|secrets)\.)/,
        priority: 6,
        includeDependenciesRecursively: false,
      },
      { name: 'lint', test: /src\/agent\/lint\/lintHost\.ts$/, priority: 4 },
      {
        name: 'liveImage',
        test: /src\/(?:imagefile\/(?:rewriteImage|writableImage)|image\/(?:rollback|growth|mediumFiles)|commands\/iso\/(?:ignition|kargs))\.ts$/,
        priority: 3,
      },
      { name: 'yaml', test: /src\/formats\/yaml\W/, priority: 1 },
      {
        name: 'toml',
        test: /src\/formats\/toml\.ts$|node_modules\/(?:toml-eslint-parser|eslint-visitor-keys)\//,
        priority: 6,
      },
      { name: 'network', test: /src\/network\//, priority: 1 },
      { name: 'render', test: /src\/commands\/render\/render\.ts$/ },
      { name: 'chalk', test: /node_modules\/chalk\//, priority: 9 },
      {
        name: 'tarBundle',
        test: /src\/commands\/prepare\/folder\/tarBundle\.ts$|node_modules\/(?:tar-stream|streamx)\//,
      },
    ],
  },
});
writeFileSync('dist/importModule.cjs', 'module.exports = (id) => import(id);\n');
writeFileSync('dist/cli.cjs', `module.exports = require('./${chunks[0].fileName}');\n`);

/** @param {string} path */
function readText(path) {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

// @ts-check
/** How rolldown bundles the program and the library. `scripts/bundle.js` uses these options, and tests check what they keep. */

import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** All dependencies are inside: the package is installed without a network, and users get the versions that were tested. */
export const bundleOptions = {
  cwd: root,
  platform: /** @type {const} */ ('node'),
  external: /^node:(?!process$)/,
  resolve: {
    alias: {
      // The build for Node.js without comments and long names, a third of the one that is imported by default.
      openpgp: resolve(root, 'node_modules/openpgp/dist/node/openpgp.min.mjs'),
      // chalk imports it, and Node.js then opens all three standard streams, also in processes of others.
      'node:process': resolve(import.meta.dirname, 'process.js'),
    },
  },
  treeshake: false, // see outputOptions
  checks: { ineffectiveDynamicImport: false }, // the library exports what the program's commands load late
  logLevel: /** @type {const} */ ('warn'),
};

/**
 * rolldown takes calls for unnecessary that are checks, such as `decodeURIComponent(path);`, and removes them in two places: its tree
 * shaking, and its minifier, which by default removes dead code.
 */
export const outputOptions = { comments: false, minify: false };

/**
 * For `codeSplitting.groups`; a group has all that its modules import. Every command reads `core` and `program`, most read `common`.
 * `validate` is the shortest of them. The library does not read `program`.
 */
export const chunks = [
  {
    name: 'core',
    test: /src\/(?:core\/(?:assets|errors|once|programVersion)|formats\/mapping|io\/(?:processIo|stdout|files\/(?:platform|readFiles|tempFile)|report\/(?:choices|report)))\.ts$|rolldown\/runtime/,
    priority: 4,
  },
  { name: 'program', test: /src\/(?:cli\/main|io\/commandLine)\.ts$/, priority: 2 },
  {
    name: 'validate',
    test: /src\/(?:commands\/validate\/validate|hosts\/input\/nameInput)\.ts$/,
    priority: 1,
  },
  { name: 'common', minShareCount: 8 },
  // So that src/core/assets.ts knows them by their names.
  { name: 'openpgp', test: /node_modules\/openpgp\//, priority: 3 },
  { name: 'node-forge', test: /node_modules\/node-forge\//, priority: 3 },
];

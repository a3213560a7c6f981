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
 * For `codeSplitting.groups`. A chunk has its modules and all that they import, without what chunks above it have. Every command
 * reads `core` and `program`, which the library does not. `validate` is the shortest command and reads `validate`. `render` adds
 * `images` and `renderConfig`; `iso ignition embed` adds `images` and `iso`.
 */
export const chunks = [
  // So that src/core/assets.ts knows them by their names.
  { name: 'openpgp', test: /node_modules\/openpgp\// },
  { name: 'node-forge', test: /node_modules\/node-forge\// },
  { name: 'core', test: /rolldown\/runtime/ },
  chunk('core', [
    'core/(assets|errors|once|programVersion)',
    'formats/mapping',
    'io/(processIo|stdout|files/(platform|readFiles|tempFile)|report/(choices|report))',
  ]),
  chunk('program', ['cli/main', 'io/commandLine']),
  chunk('validate', ['commands/validate/validate']),
  chunk('images', [
    'agent/(agentArchive|embeddedSecrets)',
    'formats/(containerArchive|tar)',
    'hosts/input/(contentKind|liveParts)',
    'ignition/effectiveConfig',
    'image/(liveFeatures|mediumFiles|networkSettings|ramdiskSystem|rollback)',
    'imagefile/(imageOutput|openImage)',
    'kargs/(checkBoot|kernelArguments|loaders/ipxe)',
  ]),
  chunk('yaml', [String.raw`formats/yaml/\w+`]),
  chunk('renderConfig', ['hosts/settings/renderConfig']),
  chunk('iso', [
    'hosts/input/(imageNetwork|imageRequirements)',
    'image/(growth|isoState)',
    'imagefile/rewriteImage',
  ]),
  { name: 'common', minShareCount: 8 },
];

/** @param {string} name @param {readonly string[]} modules regular expressions of paths below `src/`, without `.ts` */
function chunk(name, modules) {
  return { name, test: new RegExp(String.raw`/src/(${modules.join('|')})\.ts$`) };
}

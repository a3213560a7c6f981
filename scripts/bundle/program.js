// @ts-check
/** What the bundles of the program have in common: those of the package and of the executable. */

import { fileURLToPath } from 'node:url';

/** For `resolve`: the build of OpenPGP.js for Node.js without comments and long names, a third of the one that is imported by default. */
export const smallerBuilds = {
  alias: {
    openpgp: fileURLToPath(new URL('../../node_modules/openpgp/dist/node/openpgp.min.mjs', import.meta.url)),
  },
};

/** For `codeSplitting.groups`. What a command needs is read at once; what only some settings need is in files of its own. */
export const programChunks = [
  {
    name: 'program',
    test: /src\/(?:cli\/main|core\/(?:assets|errors|once|programVersion)|io\/(?:process|processIo|stdout)|io\/files\/(?:files|handles|tempFile))\.ts$|rolldown\/runtime/,
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
    test: /src\/(?:core\/masking|ipa\/|formats\/(?:osloConfig|pythonText|imageReference)|ignition\/(?:merge|effectiveConfig)\.|agent\/(?:agentArchive|conf\w*|embeddedSecrets|image\w+|insecureArgument|ironicUrl|machineAddress|pullSecret|registriesConf)\.|agent\/lint\/(?:addresses|lintConfig|pullSecret|sandbox|secrets)\.)/,
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
  { name: 'tarStream', test: /node_modules\/(?:tar-stream|streamx)\// },
];

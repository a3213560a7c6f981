/** Declares `ignition merge`, `ignition translate` and `ignition from-butane`. */

import { butaneVersions } from '../../butane/versions.ts';
import { nameVersions } from '../../ignition/versions.ts';
import { command, type CommandGroup } from '../../io/commandLine.ts';
import { fromButaneOptions, mergeOptions, translateOptions } from './options.ts';

const merge = command({
  summary: 'Merge Ignition configs into one config',
  description: 'Merge Ignition configs into one config, as Ignition does on boot',
  options: mergeOptions,
  details: `
Each config is validated, translated to the newest version of all configs, and
merged over the previous configs. A warning is printed if a later config changes
or removes an entry of an earlier config implicitly. Configs that are referenced
in ignition.config are not fetched. If the merged config is invalid, it is
printed to standard output, but not written to a file.
`,
  examples: `
  ironic-coreos ignition merge agent.ign site.ign > worker.ign
  ironic-coreos render --inventory ramdisk.yaml |
    ironic-coreos ignition merge - site.ign -o worker.ign
`,
  load: async () => (await import('./merge.ts')).merge,
});

const translate = command({
  summary: 'Translate an Ignition config to another spec version',
  description: 'Translate an Ignition config to a newer or an older version of the spec',
  options: translateOptions,
  details: `
To a newer version, the config is translated as Ignition does on boot; a warning
is printed for each loss. To an older version, the config is translated only if
that version supports all its entries; unsupported entries are reported.
`,
  examples: `
  ironic-coreos ignition translate --to 3.4.0 worker.ign
  ironic-coreos ignition translate --to 3.2.0 worker.bu -o worker.ign
`,
  load: async () => (await import('./merge.ts')).translate,
});

const fromButane = command({
  summary: 'Translate a Butane config to Ignition',
  description: 'Translate a Butane config to an Ignition config',
  options: fromButaneOptions,
  details: `
Translates the variant fcos, versions ${nameVersions(butaneVersions, ' and')}.
Errors and warnings have the line and column of the YAML. All commands that read
an Ignition config also read Butane, and translate it.
`,
  examples: `
  ironic-coreos ignition from-butane worker.bu > worker.ign
  ironic-coreos ignition from-butane --files-dir files worker.bu -o worker.ign
`,
  load: async () => (await import('./merge.ts')).fromButane,
});

export const ignition: CommandGroup = {
  commands: { merge, translate, 'from-butane': fromButane },
};

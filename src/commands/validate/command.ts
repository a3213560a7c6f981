/** Declares `validate`. */

import type { Command } from 'commander';
import { nameVersions, specVersions } from '../../ignition/versions.ts';
import { argumentRun, choice, type Context, declareRun, FILES_DIR } from '../../io/commandLine.ts';

const notes = `
How each file is validated:
  *.conf: configuration of ironic-python-agent. Valid if the agent starts with
  it. In an ironic.conf, the kernel arguments of the ramdisk are checked.
  Live ISO or initramfs, recognized by its content. Valid if the image is intact
  and nothing in the embedded config stops a live system or the agent. Line
  numbers refer to config.ign in the image.
  Inventory (ramdisk.yaml), recognized by its keys. Valid if the config of each
  host can be rendered, with all files that it refers to; nothing is written.
  Any other file: Ignition or Butane config. Valid if Ignition accepts it.
  Errors, warnings and line numbers are the same as those of ignition-validate,
  for the spec versions ${nameVersions(specVersions, ' and')}.
  Folder: *.ign, *.bu, ironic-python-agent*.conf, and *.conf in folders named
  ironic-python-agent or ironic-python-agent.d, at any depth.
  Pattern that the shell does not expand ('configs/**/*.json'): all files that
  match.

Lint:
  Valid configs are also checked for what fails on boot: files, units, networks,
  keys. These findings are warnings, unless the config runs
  ironic-python-agent: then validate also checks that the agent starts, finds
  its configuration, reaches Ironic and keeps its secrets, and what stops the
  agent, a unit or Ignition is an error. Inlined configs and contents that are
  invalid or cannot be decoded are always errors.
  none    skip these checks
  agent   check every config as one that runs the agent

Exit codes:
  0  success: all files are valid
  1  failure: a file is invalid or cannot be read
  2  usage error

Examples:
  ironic-coreos validate worker.ign
  ironic-coreos validate --files-dir files worker.bu
  ironic-coreos validate --strict --format github configs/
  ironic-coreos validate ipa.iso
  ironic-coreos validate ramdisk.yaml
  ironic-coreos validate --format json *.ign | jq -r "select(.valid | not).file"
Run 'ironic-coreos explain RULE' for the meaning of a rule
`;

export function declareValidate(command: Command, context: Context): void {
  command
    .description('Validate Ignition configs, agent configuration files, inventories and images')
    .argument('<FILE...>', 'files, folders or patterns; - is standard input')
    .addOption(
      choice(
        '--format <form>',
        'report format: text, json (one object per file, one per line) or github (annotations) (default: text)',
        ['text', 'json', 'github'],
      ),
    )
    .option('--strict', 'treat files with warnings as invalid')
    .option('--files-dir <folder>', FILES_DIR)
    .addOption(
      choice(
        '--lint <mode>',
        'none: exactly the verdict of ignition-validate; agent: check all configs as configs of the agent (default: only those that run it)',
        ['none', 'agent'],
      ),
    )
    .option(
      '--hardware <path>',
      'inspection data of machines to compare the hosts of inventories with: a file or a folder of "baremetal node inventory save", ' +
        '"try --save" or BareMetalHosts',
    )
    .option(
      '--ipa-version <release>',
      'release of ironic-python-agent to check against (default: the newest)',
    );
  const run = argumentRun(['files'], context, async () => (await import('./validate.ts')).validate);
  declareRun(command, notes, run, context);
}

/** Declares `validate`. */

import { nameVersions, specVersions } from '../../ignition/versions.ts';
import { command } from '../../io/commandLine.ts';
import { validateOptions } from './options.ts';

export const validateCommand = command({
  description: 'Validate Ignition configs, agent configuration files, inventories and images',
  options: validateOptions,
  details: `
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
`,
  exitCodes: { 0: 'success: all files are valid', 1: 'failure: a file is invalid or cannot be read' },
  examples: `
  ironic-coreos validate worker.ign
  ironic-coreos validate --files-dir files worker.bu
  ironic-coreos validate --strict --format github configs/
  ironic-coreos validate ipa.iso
  ironic-coreos validate ramdisk.yaml
  ironic-coreos validate --format json *.ign | jq -r "select(.valid | not).file"
Run 'ironic-coreos explain RULE' for the meaning of a rule
`,
  load: async () => (await import('./validate.ts')).validate,
});

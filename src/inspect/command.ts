/** The command that looks into images. */

import type { Command } from 'commander';
import { choice, type Context, declareRun } from '../io/commandLine.ts';

const NOTES = `
IMAGE is a live ISO, an initramfs or an archive that goes behind one, an
Ignition config, or an archive with the agent's container image: a file, an
http:// or https:// URL, of which only what is needed is fetched, or "-" for
standard input. What it is is told by its content.

Said are: which build it is and what it supports, how many bytes of the reserved
areas are used and free, which kernel arguments are not the default ones, what
was embedded or appended, the memory that a host needs, the settings of the
config, and whether the image is as it was released. Secrets are masked. Where
the config loads the agent's image from an archive, the one on the medium is
read and checked, but for images at a URL.

With OTHER, only what differs is printed, the configs by setting. Of a live ISO
and a config, only the configs are compared.

Exit codes:
  0  the image can be used; or both are the same
  1  the image is damaged, and the report says how to repair it; or they differ
  2  the command line is wrong; or two images could not be compared

Examples:
  ironic-coreos inspect ipa.iso
  ironic-coreos inspect --format json ipa.iso | jq .embedArea.free
  ironic-coreos inspect fedora-coreos-live.x86_64.iso ipa.iso
  ironic-coreos inspect https://192.0.2.1/ipa.iso ironic-agent.ign
`;

export function declareInspect(command: Command, context: Context): void {
  command
    .description('Says what an image is and what it would boot, or in what two of them differ.')
    .argument('<IMAGE>', 'live ISO, initramfs, Ignition config or container archive')
    .argument('[OTHER]', 'what to compare it with')
    .addOption(choice('--format <FORM>', 'text (default) or json', ['text', 'json']));
  const run = async (image: string, other: string | undefined, options: { readonly format?: string }) =>
    (await import('./inspect.ts')).inspect({ ...options, image, other }, context.io);
  declareRun(command, NOTES, run, context);
}

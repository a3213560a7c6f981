/** Declares `iso extract`. */

import type { Command } from 'commander';
import { type Context, EXIT_CODES, refuseRepeatedOptions } from '../../io/commandLine.ts';
import { declareMinimalIso } from './minimalIsoCommand.ts';
import { ISO } from '../../customize/outputOptions.ts';

const PXE_NOTES = `
The files are named after the ISO: coreos.iso gives coreos-vmlinuz,
coreos-initrd.img and coreos-rootfs.img. Their paths are printed. None is
written where one of them exists. What is embedded in the ISO is not in them:
see "pxe customize" and "pxe ignition wrap".
${EXIT_CODES}
Example:
  ironic-coreos iso extract pxe -o /srv/tftp coreos.iso
`;

export function declareIsoExtract(extract: Command, context: Context): void {
  declarePxe(extract.command('pxe'), context);
  declareMinimalIso(extract, context);
}

interface PxeOptions {
  readonly outputDir?: string;
}

function declarePxe(command: Command, context: Context): void {
  command
    .summary('extract the files for network boot')
    .description('Extracts kernel, initramfs and root filesystem from a live ISO, for network boot.')
    .argument('<ISO>', ISO)
    .option('-o, --output-dir <path>', 'folder for the files, made if need be', '.')
    .addHelpText('after', PXE_NOTES)
    .action(async (iso: string, options: PxeOptions) => {
      const { extractPxe } = await import('./pxe.ts');
      context.finish(await extractPxe({ ...options, iso }, context.io));
    });
  refuseRepeatedOptions(command);
}

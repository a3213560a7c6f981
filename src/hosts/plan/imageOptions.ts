/** The options for base images and agent archives, which `prepare` and all services share. */

import type { Command } from 'commander';
import { repeated } from '../../io/commandLine.ts';

export function declareImageOptions(command: Command): Command {
  return command
    .optionsGroup('Images (FILE, ARCHITECTURE=FILE or STREAM/ARCHITECTURE=FILE):')
    .addOption(repeated('--iso <file>', 'live ISO, with kernel, initramfs and root filesystem; repeatable'))
    .addOption(repeated('--kernel <file>', 'kernel; an aarch64 kernel is decompressed; repeatable'))
    .addOption(repeated('--initramfs <file>', 'initramfs; repeatable'))
    .addOption(repeated('--rootfs <file>', 'root filesystem; repeatable'))
    .addOption(
      repeated(
        '--agent-archive <file>',
        'agent archive: container image as OCI or docker archive, for hosts without a registry; for all streams; repeatable',
      ),
    )
    .option('--images <folder>', 'folder of downloaded images, with the file names of the release');
}

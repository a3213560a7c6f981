/** The options for base images and agent archives, which `prepare` and all services share. */

import { common, file, folder, repeatable, under } from '../../io/commandLine.ts';

export const imageOptions = under('Images (FILE, ARCHITECTURE=FILE or STREAM/ARCHITECTURE=FILE):', {
  '--iso <file>': common(repeatable(file('live ISO, with kernel, initramfs and root filesystem'))),
  '--kernel <file>': repeatable(file('kernel; an aarch64 kernel is decompressed')),
  '--initramfs <file>': repeatable(file('initramfs')),
  '--rootfs <file>': repeatable(file('root filesystem')),
  '--agent-archive <file>': common(
    repeatable(
      file(
        'agent archive: container image as OCI or docker archive, for hosts without a registry; for all streams',
      ),
    ),
  ),
  '--images <folder>': common(folder('folder of downloaded images, with the file names of the release')),
});

/** `pxe customize`: writes a copy of a live initramfs, with the customization as an appended archive. */

import {
  readCustomization,
  refuseInstalledConfigs,
  refuseUnsupported,
  reportInstallation,
} from '../customize/customization.ts';
import { requireContents } from '../../hosts/input/imageContents.ts';
import { readInitrdImage } from '../../hosts/input/initrdInput.ts';
import { readLiveInitrd, renderCustomization } from '../../image/customize/customization.ts';
import type { EmbedFiles } from '../../image/embedArea.ts';
import { CONFIG_NAME } from '../../image/embeddedIgnition.ts';
import { writeInitrd } from '../../image/initrd.ts';
import { copyWithChange, streamImage } from '../../imagefile/copyImage.ts';
import { withOpened } from '../../imagefile/imageFile.ts';
import { checkOutput, modeForFiles, outputFile } from '../../imagefile/imageOutput.ts';
import type { OpenImage } from '../../imagefile/openImage.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { liveArguments } from '../../kargs/coreosArguments.ts';
import type { PxeCustomizeOptions } from './options.ts';

const needed = liveArguments({}).map(({ text }) => text);
const KARGS_NOTICE = `PXE configuration must include kernel arguments:\n\t${needed.join(' ')}\n`;

/** The archive is appended without zeros in between; the kernel supports both. */
export async function customizePxe(options: PxeCustomizeOptions, io: Io): Promise<ExitCode> {
  const file = outputFile(options, io); // a usage error is reported before a file is opened
  await checkOutput(file, [options.initramfs], io);
  await withOpened(io, async (open) => {
    const image = await open(options.initramfs, 'Initramfs');
    const files = await makeFiles(image, options, io);
    const change = { patches: [{ offset: image.size, data: writeInitrd(files) }] };
    if (file === undefined) return streamImage(image, change, io);
    await copyWithChange({ image, change }, { ...file, mode: modeForFiles(file.mode, files, io) });
  });
  return 0;
}

/** Creates the files to append, after it reads the whole initramfs. */
async function makeFiles(image: OpenImage, options: PxeCustomizeOptions, io: Io): Promise<EmbedFiles> {
  const { build, features } = await readInitrdImage(image, readLiveInitrd);
  refuseUnsupported(options, features);
  const customization = await readCustomization(options, io);
  const files = renderCustomization(customization);
  requireContents({ files, build }, { io, keyfiles: customization.keyfiles, options });
  refuseInstalledConfigs(customization, { build }, { io, options });
  reportInstallation(customization, [], io);
  if (files.has(CONFIG_NAME)) io.stderr.write(KARGS_NOTICE);
  return files;
}

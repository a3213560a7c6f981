/** `deploy configdrive` for the hosts of an inventory. */

import type { ExitCode, Io } from '../io/io.ts';
import { type ConfigDriveOptions, formatConfigDrive, readConfigDrive } from './configDriveDocument.ts';
import { formatMember, jsonMapping } from './hostFrames.ts';
import { isFolder, writeHosts } from './hosts.ts';

/** Ends with 1 where a host is wrong; the others are written. */
export async function configDrives(
  options: ConfigDriveOptions & { readonly inventory: string },
  io: Io,
): Promise<ExitCode> {
  const { pretty = false } = options;
  return writeHosts(
    {
      options,
      extension: '.json',
      frame: jsonMapping,
      make: async (host, context) => {
        const drive = await readConfigDrive(host, context);
        if (drive === undefined) return undefined;
        const text = isFolder(options) ? formatConfigDrive(drive, pretty) : formatMember(host.name, drive);
        return { text, content: 'secret' };
      },
    },
    io,
  );
}

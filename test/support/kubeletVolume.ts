/** A volume of a pod with the values of a ConfigMap or Secret, whose files kubelet replaces all at once. */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Writes all files to a new folder, and then renames a new link `..data` over the one to the old folder. Each name is a link:
 * `ramdisk.yaml` -> `..data/ramdisk.yaml`, `..data` -> `..2026_11_30_12_00_00.AbCdEf`.
 */
export function writeKubeletVolume(folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true });
  const link = join(folder, '..data');
  const before = existsSync(link) ? join(folder, readlinkSync(link)) : undefined;
  const data = mkdtempSync(join(folder, '..2026_11_30_12_00_00.'));
  chmodSync(data, 0o755);
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(data, name), content, { mode: 0o440 });
    if (!existsSync(join(folder, name))) symlinkSync(join('..data', name), join(folder, name));
  }
  symlinkSync(basename(data), join(folder, '..data_tmp'));
  renameSync(join(folder, '..data_tmp'), link);
  if (before !== undefined) rmSync(before, { recursive: true });
}

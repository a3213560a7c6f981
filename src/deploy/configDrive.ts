/** `deploy configdrive`: writes the config drive of an installation, in the JSON form. */

import { UsageError } from '../core/errors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { type ConfigDriveOptions, formatConfigDrive, readConfigDrive } from './configDriveDocument.ts';
import { writeDocument } from './deployDocument.ts';
import { contextOfFlags } from './hostContext.ts';
import { refuseWithoutInventory } from './inventoryFlags.ts';

/**
 * Shows everything that is wrong with the options, and then ends with 1; warnings alone do not stop it. With an inventory
 * that of each of its hosts is written.
 */
export async function configDrive(options: ConfigDriveOptions, io: Io): Promise<ExitCode> {
  refuseWithoutInventory(options);
  const { inventory, pretty = false } = options;
  refuseOtherForms(options.format ?? 'json');
  if (inventory !== undefined) {
    const { configDrives } = await import('./configDrives.ts');
    return configDrives({ ...options, inventory }, io);
  }
  const drive = await readConfigDrive(options, contextOfFlags(io));
  if (drive === undefined) return 1;
  await writeDocument(formatConfigDrive(drive, pretty), { ...options, content: 'secret' }, io);
  return 0;
}

const refusals: ReadonlyMap<string, string> = new Map([
  ['yaml', 'the client of Ironic reads a config drive as JSON only'],
  ['iso', 'install_coreos refuses a config drive that is rendered already'],
  ['base64', 'install_coreos refuses a config drive that is rendered already'],
]);

function refuseOtherForms(format: string): void {
  if (format === 'json') return;
  const reason = refusals.get(format) ?? `unknown format: ${JSON.stringify(format)}`;
  throw new UsageError(reason, { hint: 'use json' });
}

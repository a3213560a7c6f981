/** `deploy baremetalhost`: writes the manifests of a host for Metal3. */

import { holdsSecrets, renderHostManifests } from './documents/bareMetalHost.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { formatManifests, writeDocument } from './deployDocument.ts';
import { contextOfFlags } from './hostContext.ts';
import { requireName } from './hostOptions.ts';
import { type BareMetalHostOptions, parseChoices, readHostSettings } from './hostSettings.ts';
import { refuseWithoutInventory } from './inventoryFlags.ts';
import { parseFormat } from '../io/report/choices.ts';

/**
 * Shows everything that is wrong with the options, and then ends with 1; warnings alone do not stop it. With an inventory
 * each of its hosts is written.
 */
export async function bareMetalHost(options: BareMetalHostOptions, io: Io): Promise<ExitCode> {
  const format = parseFormat(options.format, ['yaml', 'json']);
  refuseWithoutInventory(options);
  const { inventory } = options;
  if (inventory !== undefined) {
    parseChoices(options);
    const { bareMetalHosts } = await import('./bareMetalHosts.ts');
    return bareMetalHosts({ ...options, inventory }, format, io);
  }
  const settings = await readHostSettings(requireName(options), contextOfFlags(io));
  if (settings === undefined) return 1;
  const text = await formatManifests(renderHostManifests(settings), format);
  await writeDocument(text, { ...options, content: holdsSecrets(settings) ? 'secret' : 'public' }, io);
  return 0;
}

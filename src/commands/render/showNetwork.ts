/** `render --show-network`: the network of a host, with its values in the place of placeholders. */

import { CliError } from '../../core/errors.ts';
import { formatYaml } from '../../formats/yamlText.ts';
import { readInventoryLayers } from '../../hosts/settings/inventory.ts';
import { readNamedFile } from '../../hosts/settings/reading.ts';
import type { Io } from '../../io/io.ts';

export async function formatNetwork(inventory: string, host: string, io: Io): Promise<string> {
  const { files } = await readInventoryLayers({ inventory, host }, io);
  for (const inputs of files) {
    for (const [key, what] of [
      ['host.nmstate', 'Network state'],
      ['host.networkData', 'Network data'],
    ] as const) {
      const value = inputs.get(key)?.at(-1);
      if (value?.document !== undefined) return formatYaml([value.document.value]);
      if (value !== undefined) return readNamedFile(value, io, what);
    }
  }
  throw new CliError(`${host} has no nmstate and no network data`, {
    code: 'ERR_HOST',
    hint: `add "network: {nmstate: …}" to it in ${inventory}`,
  });
}

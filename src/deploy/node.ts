/** `deploy node`: writes a node for Ironic, as commands or as a description. */

import { UsageError } from '../core/errors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { writeDocument } from './deployDocument.ts';
import { contextOfFlags } from './hostContext.ts';
import { requireName } from './hostOptions.ts';
import { refuseWithoutInventory } from './inventoryFlags.ts';
import { formatNode, type NodeFormat, type NodeOptions, readNode } from './nodeDocument.ts';
import { parseFormat } from '../io/report/choices.ts';

/**
 * Shows everything that is wrong with the options, and then ends with 1; warnings alone do not stop it. With an inventory
 * each of its hosts is written.
 */
export async function node(options: NodeOptions, io: Io): Promise<ExitCode> {
  const format = parseFormat<NodeFormat>(options.format, ['command', 'json', 'yaml', 'driver-info']);
  refuseSetAsDocument(options, format);
  refuseWithoutInventory(options);
  const { inventory } = options;
  if (inventory !== undefined) {
    const { nodes } = await import('./nodes.ts');
    return nodes({ ...options, inventory }, format, io);
  }
  const description = readNode(requireName(options), format, contextOfFlags(io));
  if (description === undefined) return 1;
  await writeDocument(await formatNode(description, format, options), { ...options, content: 'public' }, io);
  return 0;
}

function refuseSetAsDocument({ set = false }: NodeOptions, format: NodeFormat): void {
  if (!set || format === 'command') return;
  throw new UsageError('--set is for commands', { hint: 'leave it or --format out' });
}

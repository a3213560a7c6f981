/** The document of `deploy node`: the options that ask for a node, what they stand for, and its text in each format. */

import {
  checkNode,
  describeNode,
  type NodeDescription,
  type NodeSettings,
  type Ramdisk,
} from './documents/node.ts';
import { formatCreateCommands, formatSetCommand } from './documents/nodeCommands.ts';
import { UsageError } from '../core/errors.ts';
import { formatValue } from './deployDocument.ts';
import { tellIssues } from './deployIssues.ts';
import type { HostContext } from './hostContext.ts';
import { type HostOptions, readHostOptions } from './hostOptions.ts';
import type { InventoryFlags } from './inventoryFlags.ts';
import { ramdiskOf, type RamdiskOptions } from './ramdiskOptions.ts';

/** The options of the command line, under the names that they have there. */
export interface NodeOptions extends HostOptions, InventoryFlags, RamdiskOptions {
  /** The node is there already. */
  readonly set?: boolean;
  /** `command` (default), `json`, `yaml`, or `driver-info`. */
  readonly format?: string;
  readonly output?: string;
}

export type NodeFormat = 'command' | 'json' | 'yaml' | 'driver-info';

/**
 * The node that the options stand for; undefined where they are wrong, after telling why.
 * @throws UsageError for options that contradict each other or are not complete
 */
export function readNode(
  options: NodeOptions & { readonly name: string },
  format: NodeFormat,
  { io, wording }: Pick<HostContext, 'io' | 'wording'>,
): NodeDescription | undefined {
  const ramdisk = withArguments(ramdiskOf(options), options.kernelAppendParams);
  refuseIncomplete(options, format);
  const { host, issues } = readHostOptions(options);
  const settings: NodeSettings = { host, ...(ramdisk !== undefined && { ramdisk }) };
  // A node that is there may have hints already, and hints that cannot be read have been told.
  const hasHints = options.set === true || issues.some(({ path }) => path[0] === 'rootDevice');
  const found = checkNode(settings).filter(({ rule }) => !(hasHints && rule.id === 'root-device-missing'));
  return tellIssues([...issues, ...found], io, wording) === 0 ? describeNode(settings) : undefined;
}

function withArguments(ramdisk: Ramdisk | undefined, text: string | undefined): Ramdisk | undefined {
  if (text === undefined) return ramdisk;
  if (ramdisk?.kind === 'pair') return { ...ramdisk, arguments: text };
  throw new UsageError('--kernel-append-params is for --deploy-kernel and --deploy-ramdisk', {
    hint: 'Ironic adds no arguments to a ready ISO: put them into it (iso kargs)',
  });
}

function refuseIncomplete({ bmcAddress, set = false }: NodeOptions, format: NodeFormat): void {
  if (bmcAddress === undefined && !set && format !== 'driver-info') {
    throw new UsageError('a new node needs the address of its BMC, which names the driver', {
      hint: 'give --bmc-address, or --set for a node that is there',
    });
  }
}

/** The whole of a document with one node. */
export async function formatNode(
  description: NodeDescription,
  format: NodeFormat,
  { set = false }: Pick<NodeOptions, 'set'>,
): Promise<string> {
  if (format === 'command') return set ? formatSetCommand(description) : formatCreateCommands(description);
  if (format === 'driver-info') return formatValue(description.driver_info, 'json');
  return formatValue({ nodes: [description] }, format);
}

/** `deploy node`: writes a node for Ironic, as commands or as a description. */

import { checkNode, describeNode, type NodeSettings, type Ramdisk } from '../../deploy/node.ts';
import { formatCreateCommands, formatSetCommand } from '../../deploy/nodeCommands.ts';
import { UsageError } from '../../errors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { formatValue, parseFormat, writeDocument } from './deployDocument.ts';
import { tellIssues } from './deployIssues.ts';
import { type HostOptions, readHost } from './hostOptions.ts';
import { ramdiskOf, type RamdiskOptions } from './ramdiskOptions.ts';

/** The options of the command line, under the names that they have there. */
export interface NodeOptions extends HostOptions, RamdiskOptions {
  /** The node is there already. */
  readonly set?: boolean;
  /** `command` (default), `json`, `yaml`, or `driver-info`. */
  readonly format?: string;
  readonly output?: string;
}

type NodeFormat = 'command' | 'json' | 'yaml' | 'driver-info';

/** Shows everything that is wrong with the options, and then ends with 1; warnings alone do not stop it. */
export async function node(options: NodeOptions, io: Io): Promise<ExitCode> {
  const format = parseFormat<NodeFormat>(options.format, ['command', 'json', 'yaml', 'driver-info']);
  const ramdisk = withArguments(ramdiskOf(options), options.kernelAppendParams);
  refuseIncomplete(options, format);
  const { host, issues } = readHost(options);
  const settings: NodeSettings = { host, ...(ramdisk !== undefined && { ramdisk }) };
  // A node that is there may have hints already, and hints that cannot be read have been told.
  const hasHints = options.set === true || issues.some(({ path }) => path[0] === 'rootDevice');
  const found = checkNode(settings).filter(({ rule }) => !(hasHints && rule.id === 'root-device-missing'));
  if (tellIssues([...issues, ...found], io) !== 0) return 1;
  await writeDocument(await formatNode(settings, format, options), { ...options, content: 'public' }, io);
  return 0;
}

function withArguments(ramdisk: Ramdisk | undefined, text: string | undefined): Ramdisk | undefined {
  if (text === undefined) return ramdisk;
  if (ramdisk?.kind === 'pair') return { ...ramdisk, arguments: text };
  throw new UsageError('--kernel-append-params is for --deploy-kernel and --deploy-ramdisk', {
    hint: 'Ironic adds no arguments to a ready ISO: put them into it (iso kargs)',
  });
}

function refuseIncomplete({ bmcAddress, set = false }: NodeOptions, format: NodeFormat): void {
  if (set && format !== 'command') {
    throw new UsageError('--set is for commands', { hint: 'leave it or --format out' });
  }
  if (bmcAddress === undefined && !set && format !== 'driver-info') {
    throw new UsageError('a new node needs the address of its BMC, which names the driver', {
      hint: 'give --bmc-address, or --set for a node that is there',
    });
  }
}

async function formatNode(
  settings: NodeSettings,
  format: NodeFormat,
  { set = false }: NodeOptions,
): Promise<string> {
  const description = describeNode(settings);
  if (format === 'command') return set ? formatSetCommand(description) : formatCreateCommands(description);
  if (format === 'driver-info') return formatValue(description.driver_info, 'json');
  return formatValue({ nodes: [description] }, format);
}

/** `deploy node`: writes a node for Ironic as commands or as a description, or those of the hosts of an inventory. */

import { UsageError } from '../core/errors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import {
  type DeployJob,
  formatItem,
  formatMember,
  formatValue,
  isAlone,
  jsonMapping,
  nodeList,
  plainFrame,
  writeDeployed,
} from './deployDocument.ts';
import { type HostContext, reportIssues } from './hostContext.ts';
import {
  type HostOptions,
  type InventoryFlags,
  ramdiskOf,
  type RamdiskOptions,
  readHostOptions,
  refuseWithoutInventory,
  requireName,
} from './options.ts';
import { parseFormat } from '../io/report/choices.ts';
import {
  checkNode,
  describeNode,
  formatCreateCommands,
  formatSetCommand,
  type NodeDescription,
  type NodeSettings,
  type Ramdisk,
} from './documents/node.ts';

/**
 * Shows everything that is wrong with the options, and then ends with 1; warnings alone do not stop it. With an inventory
 * each of its hosts is written.
 */
export async function node(options: NodeOptions, io: Io): Promise<ExitCode> {
  const format = parseFormat<NodeFormat>(options.format, ['command', 'json', 'yaml', 'driver-info']);
  refuseSetAsDocument(options, format);
  refuseWithoutInventory(options);
  const formatHost = isAlone(options) ? formatNode : formatPart;
  const make: DeployJob<NodeOptions>['make'] = async (host, context) => {
    const description = readNode(requireName(host), format, context);
    if (description === undefined) return undefined;
    return { text: await formatHost(description, format, host), content: 'public' };
  };
  return writeDeployed({ options, ...forms[format], make }, io);
}

function refuseSetAsDocument({ set = false }: NodeOptions, format: NodeFormat): void {
  if (!set || format === 'command') return;
  throw new UsageError('--set is for commands', { hint: 'leave it or --format out' });
}

/** The options of the command line, under the names that they have there. */
export interface NodeOptions extends HostOptions, InventoryFlags, RamdiskOptions {
  /** The node is there already. */
  readonly set?: boolean;
  /** `command` (default), `json`, `yaml`, or `driver-info`. */
  readonly format?: string;
  readonly output?: string;
}

type NodeFormat = 'command' | 'json' | 'yaml' | 'driver-info';

/**
 * The node that the options stand for; undefined where they are wrong, after reporting why.
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
  // A node that is there may have hints already, and hints that cannot be read have been reported.
  const hasHints = options.set === true || issues.some(({ path }) => path[0] === 'rootDevice');
  const found = checkNode(settings).filter(({ rule }) => !(hasHints && rule.id === 'root-device-missing'));
  return reportIssues([...issues, ...found], io, wording) === 0 ? describeNode(settings) : undefined;
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

/** `baremetal create` reads one document only. */
const forms: Readonly<Record<NodeFormat, Pick<DeployJob<NodeOptions>, 'extension' | 'frame'>>> = {
  command: { extension: '.sh', frame: plainFrame },
  json: { extension: '.json', frame: nodeList },
  yaml: { extension: '.yaml', frame: { ...plainFrame, start: 'nodes:\n' } },
  'driver-info': { extension: '.json', frame: jsonMapping },
};

async function formatPart(
  description: NodeDescription,
  format: NodeFormat,
  options: Pick<NodeOptions, 'set'>,
): Promise<string> {
  if (format === 'json') return formatItem(description);
  if (format === 'driver-info') return formatMember(description.name, description.driver_info);
  const text = await formatNode(description, format, options);
  return format === 'yaml' ? text.slice(forms.yaml.frame.start.length) : text;
}

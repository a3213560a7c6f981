/** `deploy node`: writes a node for Ironic as commands or as JSON or YAML, or the nodes of an inventory. */

import { UsageError } from '../../core/errors.ts';
import { hasErrors } from '../../core/finding.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import {
  checkNode,
  describeNode,
  formatCreateCommands,
  formatSetCommand,
  type NodeDescription,
} from './documents/node.ts';
import { type HostContext, reportIssues } from './hostContext.ts';
import { byHost, formatValue, type HostDocument, writeDeployed } from './hosts.ts';
import { type NameOption, readHostOptions, requireImage } from './readOptions.ts';
import type { DeployOptions, NodeOptions } from './options.ts';
import { servedIsos } from './servedIso.ts';

const extensions = { command: '.sh', json: '.json', yaml: '.yaml', 'driver-info': '.json' } as const;

type NodeFormat = keyof typeof extensions;

export async function node(options: NodeOptions, io: Io): Promise<ExitCode> {
  const { format: form } = options;
  checkSet(options, form);
  const served = await servedIsos('deployIso', options, io);
  const make = (host: DeployOptions, context: HostContext) => readNode(host, form, context);
  const write = (hosts: readonly HostDocument<NodeDescription>[]): string => {
    const nodes = hosts.map(({ document }) => document);
    const formatCommands = options.set === true ? formatSetCommand : formatCreateCommands;
    const comment = served?.comment ?? ((text) => text);
    if (form === 'command') return comment(nodes.map(formatCommands).join(''));
    if (form === 'yaml') return comment(formatValue({ nodes }, form)); // `baremetal create` reads one document
    if (form === 'json') return formatValue({ nodes }, form);
    const infos = hosts.map(({ host, document }) => ({ host, document: document.driver_info }));
    return formatValue(byHost(infos), 'json');
  };
  return writeDeployed({ options, extension: extensions[form], make, write, served }, io);
}

function checkSet({ bootMac, set = false }: DeployOptions, format: NodeFormat): void {
  if (!set) return;
  if (format !== 'command') {
    throw new UsageError('--set requires --format command', { hint: 'remove --set or --format' });
  }
  if (bootMac !== undefined) {
    throw new UsageError('--set does not change the ports of the node', {
      hint: 'remove --boot-mac; create a port with "baremetal port create MAC --node UUID"',
    });
  }
}

/** Reads the node from the options. Returns undefined for invalid options, after reporting the errors. */
async function readNode(
  options: DeployOptions,
  format: NodeFormat,
  context: HostContext,
): Promise<NodeDescription | undefined> {
  const { checkMachine, io, nameOf, readRamdiskNetwork } = context;
  refuseRamdisk(options, nameOf);
  refuseIncomplete(options, format, nameOf);
  const { host, issues } = readHostOptions(options);
  requireImage(options, nameOf);
  const differences =
    options.hardware === undefined || hasErrors(issues)
      ? []
      : checkMachine(host, options, (await readRamdiskNetwork(io))?.connections);
  const found = [...issues, ...checkNode(host, options), ...differences];
  if (reportIssues(found, context) !== 0) return undefined;
  const { set = false } = options;
  const description = describeNode(host, options);
  const { name: _name, driver: _driver, driver_info: info, properties, ...others } = description;
  const isUnchanged = [info, properties, others].every((part) => Object.keys(part).length === 0);
  if (set && isUnchanged) {
    throw new UsageError('--set changes nothing', {
      hint: 'pass what to change, for example --deploy-iso URL or --deploy-interface NAME',
    });
  }
  if (!set || options.bootInterface !== undefined) return description;
  // The BMC address may be for another purpose: only the option changes how an existing node boots.
  const { boot_interface: _derived, ...changed } = description;
  return changed;
}

function refuseRamdisk(options: DeployOptions, nameOf: NameOption): void {
  const { deployIso, deployKernel, deployRamdisk, kernelAppendParams } = options;
  const pair = [nameOf('deployKernel'), nameOf('deployRamdisk')].join(' and ');
  const isPair = deployKernel !== undefined || deployRamdisk !== undefined;
  if (deployIso !== undefined && isPair) {
    throw new UsageError(`${nameOf('deployIso')} cannot be combined with ${pair}`, {
      hint: `pass either ${nameOf('deployIso')}, or ${pair}`,
    });
  }
  if (isPair && (deployKernel === undefined || deployRamdisk === undefined)) {
    throw new UsageError(`${pair} require each other`, { hint: `pass ${pair}` });
  }
  if (kernelAppendParams !== undefined && !isPair) {
    throw new UsageError(`${nameOf('kernelAppendParams')} requires ${pair}`, {
      hint: 'use ironic-coreos iso kargs modify for an ISO: Ironic does not add arguments to it',
    });
  }
}

function refuseIncomplete(
  { bmcAddress, bmcInsecure = false, set = false }: DeployOptions,
  format: NodeFormat,
  nameOf: NameOption,
): void {
  const address = nameOf('bmcAddress');
  if (bmcAddress === undefined && !set && format !== 'driver-info') {
    throw new UsageError(`a new node requires ${address}`, {
      hint: `pass ${address}, or use --set to change an existing node`,
    });
  }
  if (bmcAddress === undefined && bmcInsecure) {
    throw new UsageError(`${nameOf('bmcInsecure')} requires ${address}`, {
      hint: 'pass the address, too: its scheme decides which setting is written',
    });
  }
}

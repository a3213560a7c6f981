/** Commands of the `baremetal` client (python-ironicclient), for a POSIX shell. */

import type { DeployStep } from './deploySteps.ts';
import type { NodeDescription } from './node.ts';
import { formatCommand, quoteShellWord } from '../../formats/shell.ts';

/** Creates the node and its port. User and password of the BMC come from BMC_USERNAME and BMC_PASSWORD. */
export function formatCreateCommands(node: NodeDescription): string {
  const { driver = '', boot_interface: boot, ports = [] } = node;
  const prefix = driver === 'idrac' ? 'redfish' : driver;
  const create = formatCommand([
    'baremetal node create',
    `--driver ${quoteShellWord(driver)}`,
    `--name ${quoteShellWord(node.name)}`,
    ...(boot === undefined ? [] : [`--boot-interface ${quoteShellWord(boot)}`]),
    `--deploy-interface ${node.deploy_interface}`,
    ...attributeWords('--driver-info', node.driver_info),
    `--driver-info ${prefix}_username="$BMC_USERNAME"`,
    `--driver-info ${prefix}_password="$BMC_PASSWORD"`,
    ...attributeWords('--property', node.properties),
  ]);
  const uuid = `"$(baremetal node show ${quoteShellWord(node.name)} -f value -c uuid)"`;
  return [create, ...ports.map(({ address }) => `baremetal port create ${address} --node ${uuid}\n`)].join(
    '',
  );
}

/** Changes a node that is there, but not its name, its driver or its ports. */
export function formatSetCommand(node: NodeDescription): string {
  return formatCommand([
    `baremetal node set ${quoteShellWord(node.name)}`,
    `--deploy-interface ${node.deploy_interface}`,
    ...attributeWords('--driver-info', node.driver_info),
    ...attributeWords('--property', node.properties),
  ]);
}

export interface DeployRequest {
  readonly node: string;
  readonly steps: readonly DeployStep[];
  /** Path of the file with the config drive. */
  readonly configDrive?: string;
  readonly imageSource?: string;
}

/** Deploys a node, after setting what its steps read from it. */
export function formatDeployCommands({ node, steps, configDrive, imageSource }: DeployRequest): string {
  const set = formatCommand([
    `baremetal node set ${quoteShellWord(node)}`,
    '--deploy-interface custom-agent',
    ...(imageSource === undefined ? [] : attributeWords('--instance-info', { image_source: imageSource })),
  ]);
  const deploy = formatCommand([
    `baremetal node deploy ${quoteShellWord(node)}`,
    `--deploy-steps ${quoteShellWord(JSON.stringify(steps))}`,
    ...(configDrive === undefined ? [] : [`--config-drive ${quoteShellWord(configDrive)}`]),
  ]);
  return set + deploy;
}

function attributeWords(option: string, attributes: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(attributes).map(
    ([name, value]) => `${option} ${quoteShellWord(formatAttribute(name, value))}`,
  );
}

/** The client reads every value as JSON first, so text that is JSON too has to be in quotes. */
export function formatAttribute(name: string, value: unknown): string {
  const isPlain = typeof value === 'string' && !isJson(value);
  return `${name}=${isPlain ? value : JSON.stringify(value)}`;
}

/** As Python has it, which knows some numbers more. */
function isJson(text: string): boolean {
  if (/^\s*(?:NaN|-?Infinity)\s*$/.test(text)) return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

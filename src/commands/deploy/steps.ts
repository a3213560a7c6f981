/** `deploy steps`: writes deploy steps, and the config drive that they read, for one host or the hosts of an inventory. */

import { dirname, resolve } from 'node:path';
import { UsageError } from '../../core/errors.ts';
import { stepNames } from '../../core/installSteps.ts';
import { differsByHost } from '../../core/placeholders.ts';
import type { Mapping } from '../../formats/mapping.ts';
import { makeFolder } from '../../io/files/newFile.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { ignoredOptions } from './documents/bareMetalHost.ts';
import { checkStepsDeployment, noteNode, stepsInterface } from './documents/deployment.ts';
import { checkInstall, renderConfigDrive, renderDeploySteps } from './documents/installation.ts';
import { noteDisabled } from './documents/interfaces.ts';
import { formatDeployCommands } from './documents/node.ts';
import { type HostContext, reportIssues } from './hostContext.ts';
import { byHost, formatValue, type HostDocument, writeDeployed, writeText } from './hosts.ts';
import { emptyConfigDrive, type NameOption, needsConfigDrive, requireImage } from './readOptions.ts';
import type { DeployOptions, StepsOptions } from './options.ts';

const extensions = { command: '.sh', json: '.json', yaml: '.yaml' } as const;

type StepsFormat = keyof typeof extensions;

export async function steps(options: StepsOptions, io: Io): Promise<ExitCode> {
  const { format: form, inventory } = options;
  refuseDrive(options);
  const make = async (host: DeployOptions, context: HostContext): Promise<MadeSteps | undefined> => {
    if (inventory === undefined) return makeSteps(host, form, context);
    const { name, configDrive, ...others } = host;
    const node = form === 'command' && name !== undefined ? { ...others, node: name } : others;
    if (configDrive === undefined || !needsConfigDrive(host)) return makeSteps(node, form, context);
    const folder = dirname(configDrive);
    await makeFolder(resolve(io.cwd, folder), folder);
    return makeSteps({ ...node, configDrive }, form, context);
  };
  const write = (hosts: readonly HostDocument<MadeSteps>[]): string =>
    form === 'command'
      ? hosts.map(({ document }) => document.commands).join('')
      : formatValue(byHost(hosts.map((one) => ({ ...one, document: one.document.deploySteps }))), form);
  return writeDeployed({ options, extension: extensions[form], make, write }, io);
}

interface MadeSteps {
  readonly deploySteps: readonly Mapping[];
  /** What sets the attributes that they need on the node, and deploys it. */
  readonly commands: string;
}

/** Writes the config drive if it is requested. Returns undefined for invalid options, after reporting the errors. */
async function makeSteps(
  options: DeployOptions,
  format: StepsFormat,
  context: HostContext,
): Promise<MadeSteps | undefined> {
  const step = stepNames.find((name) => name === options.step) ?? 'install_coreos';
  refuseIncomplete(options, format, context.nameOf);
  const config = await context.readConfig(options);
  const drive = renderConfigDrive(config, options);
  requireImage(options, context.nameOf);
  const deployInterface = stepsInterface(options, step);
  const { ignition, appendKarg, copyNetwork, imageSource } = options;
  const givenOptions = { ignition, appendKarg: appendKarg?.[0], copyNetwork, imageSource };
  const issues = [
    ...(step === 'start_assisted_install' ? ignoredOptions(givenOptions) : []),
    ...checkInstall(options),
    ...checkStepsDeployment(options, step, deployInterface),
    ...(format === 'command' ? [] : [noteNode(options, deployInterface)]),
    ...noteDisabled({ deploy: deployInterface }),
  ];
  if (reportIssues(issues, context) !== 0) return undefined;
  const { configDrive } = options;
  if (configDrive !== undefined) await writeText(`${JSON.stringify(drive)}\n`, configDrive, true, context.io);
  const deploySteps = renderDeploySteps(step, deployInterface);
  return { deploySteps, commands: formatDeployCommands(deploySteps, deployInterface, options) };
}

/** Options that the steps cannot contain must not be ignored silently. */
function refuseIncomplete(options: DeployOptions, format: StepsFormat, nameOf: NameOption): void {
  const { configDrive, node } = options;
  const isNeeded = needsConfigDrive(options);
  if (isNeeded && configDrive === undefined) {
    const settings = `${nameOf('ignition')}, ${nameOf('appendKarg')} and ${nameOf('copyNetwork')}`;
    throw new UsageError(`${settings} require --config-drive: deploy steps cannot contain them`, {
      hint: 'pass the file to write: --config-drive FILE',
    });
  }
  if (!isNeeded && configDrive !== undefined) throw emptyConfigDrive(nameOf);
  if (format === 'command' && node === undefined) {
    throw new UsageError('--format command requires --node', { hint: 'pass --node NAME' });
  }
  if (format !== 'command' && node !== undefined) {
    throw new UsageError('--node requires --format command', {
      hint: 'pass --format command, or remove --node',
    });
  }
}

function refuseDrive({ configDrive, inventory, node }: StepsOptions): void {
  if (configDrive === '-') {
    throw new UsageError('--config-drive requires a file: the steps are written to standard output', {
      hint: 'pass a file, or use ironic-coreos deploy configdrive',
    });
  }
  if (inventory === undefined) return;
  if (node !== undefined) {
    throw new UsageError('--node cannot be combined with --inventory', {
      hint: 'use --host NAME to select hosts; their names are the names of the nodes',
    });
  }
  if (configDrive === undefined || differsByHost(configDrive)) return;
  throw new UsageError('--config-drive is the same file for all hosts', {
    hint: 'add {name}, for example --config-drive drives/{name}.json',
  });
}

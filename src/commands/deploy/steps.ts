/** `deploy steps`: writes deploy steps, and the config drive that they read, for one host or the hosts of an inventory. */

import { dirname, resolve } from 'node:path';
import {
  checkStepsDeployment,
  noteNode,
  type StepsDeployment,
  stepsDeployment,
} from './documents/deployment.ts';
import { linesFor, noteLines } from './documents/interfaces.ts';
import {
  checkInstall,
  checkRequestSize,
  type DeployStep,
  ignitionInArguments,
  renderConfigDrive,
  renderDeploySteps,
} from './documents/installation.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import {
  type DeployCommand,
  formatMember,
  formatValue,
  isAlone,
  jsonMapping,
  plainFrame,
  writeDocument,
} from './deployDocument.ts';
import { writeDeployed } from './hosts.ts';
import { type HostContext, reportIssues } from './hostContext.ts';
import {
  type StepsOptions,
  type DeployOptions,
  deploymentOf,
  emptyConfigDrive,
  type HostOptions,
  type NameOption,
  needsConfigDrive,
} from './options.ts';
import { parseChoice, parseFormat } from '../../io/report/choices.ts';
import { ignoredOptions } from './documents/bareMetalHost.ts';
import { nameIssues } from './documents/host.ts';
import { formatDeployCommands, nodeName } from './documents/node.ts';
import { isUuid, nodeNameProblem } from '../../core/objectName.ts';
import { stepNames } from '../../core/installSteps.ts';
import { UsageError } from '../../core/errors.ts';
import { issue } from '../../core/rule.ts';
import { makeFolder } from '../../io/files/newFile.ts';
import { differsByHost } from '../../core/placeholders.ts';

/**
 * Reports all errors in the options; the exit code is then 1. With an inventory, the steps of each of its hosts are
 * written.
 */
export async function steps(options: StepsOptions, io: Io): Promise<ExitCode> {
  const format = parseFormat<StepsFormat>(options.format, ['json', 'yaml', 'command']);
  if (options.inventory !== undefined) {
    parseChoice('--step', options.step, stepNames);
    refuseSharedDrive(options);
  }
  const make: DeployCommand['make'] = async (host, context) => {
    const { name } = host;
    const adapted: DeployOptions = name === undefined ? options : adaptToHost({ ...host, name }, format);
    if (name !== undefined && adapted.configDrive !== undefined) {
      const folder = dirname(adapted.configDrive);
      await makeFolder(resolve(io.cwd, folder), folder);
    }
    const made = await makeSteps(adapted, format, context);
    if (made === undefined) return undefined;
    const { deploySteps } = made;
    if (format === 'command') {
      const { node = '', configDrive } = adapted;
      const text = formatDeployCommands(node, deploySteps, configDrive, made.deployment);
      return { text, content: 'public' };
    }
    const text =
      format === 'json'
        ? formatMember(host, deploySteps)
        : formatValue(isAlone(host) ? deploySteps : { [host.name ?? '']: deploySteps }, 'yaml');
    return { text, content: options.ignitionInArgs === true ? 'secret' : 'public' };
  };
  const frame = format === 'json' ? jsonMapping(options) : plainFrame;
  return writeDeployed({ options, extension: extensions[format], frame, make }, io);
}

type StepsFormat = 'json' | 'yaml' | 'command';

/** The steps, and what the node needs for them. */
interface MadeSteps {
  readonly deploySteps: readonly DeployStep[];
  readonly deployment: StepsDeployment;
}

/**
 * Writes the config drive if it is requested. Returns undefined for invalid options, after reporting the errors.
 * @throws UsageError for options that cannot be combined or are incomplete
 */
async function makeSteps(
  options: DeployOptions,
  format: StepsFormat,
  context: HostContext,
): Promise<MadeSteps | undefined> {
  const step = parseChoice('--step', options.step, stepNames) ?? 'install_coreos';
  refuseIncomplete(options, format, context.nameOf);
  const config = await context.readConfig(options);
  const inArguments = options.ignitionInArgs === true ? config : undefined;
  const drive = renderConfigDrive(inArguments === undefined ? config : undefined, options);
  const deployment = stepsDeployment(deploymentOf(options, context.nameOf), step);
  const deploySteps = renderDeploySteps(step, deployment.deployInterface, inArguments);
  const { ignition, appendKarg, copyNetwork, imageSource } = options;
  const givenOptions = { ignition, appendKarg: appendKarg?.[0], copyNetwork, imageSource };
  const { node } = options;
  const nodeProblem = node === undefined || isUuid(node) ? undefined : nodeNameProblem(node);
  const issues = [
    ...(step === 'start_assisted_install' ? ignoredOptions(givenOptions) : []),
    ...checkInstall(options),
    ...nameIssues(nodeName, { node: nodeProblem }),
    ...(options.ignitionInArgs === true ? [issue(ignitionInArguments, [])] : []),
    ...checkStepsDeployment(deployment, step),
    ...(format === 'command' ? [] : noteNode(deployment)),
    ...noteLines(linesFor({ deploy: [deployment.deployInterface] })),
    ...checkRequestSize([deploySteps, drive]),
  ];
  if (reportIssues(issues, context) !== 0) return undefined;
  const { configDrive } = options;
  if (configDrive !== undefined)
    await writeDocument(`${JSON.stringify(drive)}\n`, configDrive, 'secret', context.io);
  return { deploySteps, deployment };
}

/** Options that the steps cannot contain must not be ignored silently. */
function refuseIncomplete(options: DeployOptions, format: StepsFormat, nameOf: NameOption): void {
  const { ignition, ignitionInArgs = false, node } = options;
  if (ignitionInArgs && ignition === undefined) {
    const name = nameOf('ignition');
    throw new UsageError(`--ignition-in-args requires ${name}`, { hint: `pass ${name} FILE` });
  }
  if (ignitionInArgs && format === 'command') {
    throw new UsageError('--ignition-in-args cannot be combined with --format command', {
      hint: 'write the steps to a file, with --format json -o steps.json: a config is too large and too secret for a command line',
    });
  }
  const { configDrive } = options;
  if (configDrive === '-') {
    throw new UsageError('--config-drive requires a file: the steps are written to standard output', {
      hint: 'pass a file, or use ironic-coreos deploy configdrive',
    });
  }
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

const extensions = { command: '.sh', json: '.json', yaml: '.yaml' } as const;

function refuseSharedDrive({ configDrive, node }: DeployOptions): void {
  if (node !== undefined) {
    throw new UsageError('--node cannot be combined with --inventory', {
      hint: 'use --host NAME to select hosts; their names are the names of the nodes',
    });
  }
  if (configDrive === undefined || configDrive === '-' || differsByHost(configDrive)) return;
  throw new UsageError('--config-drive is the same file for all hosts', {
    hint: 'add {name}, for example --config-drive drives/{name}.json',
  });
}

/** Sets step and node from the inventory, and removes the config drive if the host does not need one. */
function adaptToHost(host: HostOptions, format: StepsFormat): DeployOptions {
  const { name, method, configDrive, step = method, ...others } = host;
  return {
    ...others,
    ...(step !== undefined && { step }),
    ...(format === 'command' && { node: name }),
    ...(configDrive !== undefined && (configDrive === '-' || needsConfigDrive(host)) && { configDrive }),
  };
}

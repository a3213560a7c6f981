/** `deploy steps`: writes deploy steps, and the config drive that they read, for one host or the hosts of an inventory. */

import { dirname, resolve } from 'node:path';
import { mkdir } from 'node:fs/promises';
import {
  checkImageSource,
  checkInstall,
  checkRequestSize,
  type DeployStep,
  ignitionInArguments,
  imageSetOnNode,
  renderConfigDrive,
  renderDeploySteps,
  stepNames,
} from './documents/installation.ts';
import type { ExitCode, Io } from '../io/io.ts';
import {
  type DeployJob,
  formatMember,
  formatValue,
  isAlone,
  jsonMapping,
  plainFrame,
  privateMode,
  writeDeployed,
} from './deployDocument.ts';
import { type HostContext, reportIssues } from './hostContext.ts';
import {
  type InstallOptions,
  installSettings,
  type InventoryFlags,
  refuseWithoutInventory,
} from './options.ts';
import { parseChoice, parseFormat } from '../io/report/choices.ts';
import { methodTakesNothing } from './documents/bareMetalHost.ts';
import { formatDeployCommands, nodeName } from './documents/node.ts';
import { isUuid, nodeNameProblem } from '../core/objectName.ts';
import { UsageError } from '../core/errors.ts';
import type { Issue } from '../ignition/rule.ts';
import { writeFileAtomically } from '../io/files/newFile.ts';
import { differsByHost } from '../core/placeholders.ts';
import { fileError } from '../io/files/fileErrors.ts';

/**
 * Shows everything that is wrong with the options, and then ends with 1; warnings alone do not stop it. With an inventory
 * those of each of its hosts are written.
 */
export async function steps(options: StepsOptions, io: Io): Promise<ExitCode> {
  const format = parseFormat<StepsFormat>(options.format, ['json', 'yaml', 'command']);
  refuseWithoutInventory(options);
  if (options.inventory !== undefined) {
    parseChoice('--step', options.step, stepNames);
    refuseSharedDrive(options);
  }
  const makeFolder = folderMaker(io);
  const make: DeployJob<StepsOptions>['make'] = async (host, context) => {
    const { name } = host;
    const adapted = name === undefined ? host : adaptToHost({ ...host, name }, format);
    if (name !== undefined && adapted.configDrive !== undefined) {
      await makeFolder(dirname(adapted.configDrive));
    }
    const made = await makeSteps(adapted, format, context);
    if (made === undefined) return undefined;
    const { deploySteps, content } = made;
    if (format === 'command') return { text: formatStepCommands(deploySteps, adapted), content };
    const text = isAlone(options)
      ? await formatValue(deploySteps, format)
      : await formatPart(name ?? '', deploySteps, format);
    return { text, content };
  };
  return writeDeployed({ options, ...forms[format], make }, io);
}

/** The options of the command line, under the names that they have there. */
export interface StepsOptions extends InventoryFlags, InstallOptions {
  /** `install_coreos` when it is left out. */
  readonly step?: string;
  readonly imageSource?: string;
  readonly ignitionInArgs?: boolean;
  /** Where the config drive goes. */
  readonly configDrive?: string;
  /** For commands. */
  readonly node?: string;
  /** `json`, `yaml` or `command`. */
  readonly format?: string;
  readonly output?: string;
}

type StepsFormat = 'json' | 'yaml' | 'command';

/** Steps, after their config drive has been written where it was asked for. */
interface MadeSteps {
  readonly deploySteps: readonly DeployStep[];
  readonly content: 'secret' | 'public';
}

/**
 * Undefined where the options are wrong, after reporting why.
 * @throws UsageError for options that contradict each other or are not complete
 */
async function makeSteps(
  options: StepsOptions,
  format: StepsFormat,
  { io, wording, readConfig }: HostContext,
): Promise<MadeSteps | undefined> {
  const step = parseChoice('--step', options.step, stepNames) ?? 'install_coreos';
  refuseIncomplete(options, format);
  const config = await readConfig(options.ignition, io);
  const inArguments = options.ignitionInArgs === true ? config : undefined;
  const drive = renderConfigDrive(inArguments === undefined ? config : undefined, installSettings(options));
  const deploySteps = renderDeploySteps(step, inArguments);
  const issues = [
    ...(step === 'start_assisted_install' ? checkNothingGiven(options) : []),
    ...checkOptions(options, format),
    ...checkRequestSize([deploySteps, drive]),
  ];
  if (reportIssues(issues, io, wording) !== 0) return undefined;
  if (options.configDrive !== undefined) {
    const text = `${JSON.stringify(drive)}\n`;
    await writeFileAtomically(resolve(io.cwd, options.configDrive), text, {
      mode: privateMode,
      shownPath: options.configDrive,
    });
  }
  return { deploySteps, content: inArguments === undefined ? 'public' : 'secret' };
}

/** What cannot be in the steps must not be lost silently. */
function refuseIncomplete(options: StepsOptions, format: StepsFormat): void {
  refuseArguments(options, format);
  refuseConfigDrive(options);
  const { node } = options;
  if (format === 'command' && node === undefined) {
    throw new UsageError('a command needs the node', { hint: 'give --node NAME' });
  }
  if (format !== 'command' && node !== undefined) {
    throw new UsageError('the node is not part of the steps', {
      hint: 'give --format command, or leave --node out',
    });
  }
}

function refuseArguments({ ignition, ignitionInArgs = false }: StepsOptions, format: StepsFormat): void {
  if (ignitionInArgs && ignition === undefined) {
    throw new UsageError('--ignition-in-args needs a config', { hint: 'give --ignition FILE' });
  }
  if (ignitionInArgs && format === 'command') {
    throw new UsageError('a config is too much, and too secret, for a command line', {
      hint: 'write the steps to a file: --format json -o steps.json',
    });
  }
}

function refuseConfigDrive(options: StepsOptions): void {
  const { configDrive } = options;
  if (configDrive === '-') {
    throw new UsageError('the config drive cannot go to standard output beside the steps', {
      hint: 'give a file, or use: ironic-coreos deploy configdrive',
    });
  }
  const isNeeded = needsConfigDrive(options);
  if (isNeeded && configDrive === undefined) {
    throw new UsageError(
      'the config, kernel arguments and the network go into the config drive, not into the steps',
      {
        hint: 'give --config-drive FILE, where it is written to',
      },
    );
  }
  if (!isNeeded && configDrive !== undefined) {
    throw new UsageError('there is nothing to write into the config drive', {
      hint: 'give --ignition, --append-karg or --copy-network',
    });
  }
}

/** Whether there is anything that the steps cannot hold. */
function needsConfigDrive(options: StepsOptions): boolean {
  const { ignition, appendKarg = [], copyNetwork, ignitionInArgs = false } = options;
  return (ignition !== undefined && !ignitionInArgs) || appendKarg.length > 0 || copyNetwork !== undefined;
}

function checkNothingGiven({
  ignition,
  appendKarg,
  copyNetwork,
  imageSource,
}: StepsOptions): readonly Issue[] {
  const given = { config: ignition, kernelArguments: appendKarg?.[0], copyNetwork, image: imageSource };
  return Object.entries(given).flatMap(([setting, value]) =>
    value === undefined ? [] : [{ rule: methodTakesNothing, path: [setting] }],
  );
}

function checkOptions(options: StepsOptions, format: StepsFormat): readonly Issue[] {
  const { imageSource: url, node, ignitionInArgs } = options;
  const problem = node === undefined || isUuid(node) ? undefined : nodeNameProblem(node);
  return [
    ...checkInstall(installSettings(options)),
    ...(url === undefined ? [] : checkImageSource({ url }).map((issue) => ({ ...issue, path: ['image'] }))),
    ...(url === undefined || format === 'command' ? [] : [{ rule: imageSetOnNode, path: ['image'] }]),
    ...(problem === undefined
      ? []
      : [{ rule: nodeName, path: ['node'], message: `${nodeName.message}: ${problem}` }]),
    ...(ignitionInArgs === true ? [{ rule: ignitionInArguments, path: [] }] : []),
  ];
}

/** The whole of a deployment, for a shell. */
function formatStepCommands(deploySteps: readonly DeployStep[], options: StepsOptions): string {
  const { node = '', configDrive, imageSource } = options;
  return formatDeployCommands({
    node,
    steps: deploySteps,
    ...(configDrive !== undefined && { configDrive }),
    ...(imageSource !== undefined && { imageSource }),
  });
}

const forms: Readonly<Record<StepsFormat, Pick<DeployJob<StepsOptions>, 'extension' | 'frame'>>> = {
  command: { extension: '.sh', frame: plainFrame },
  json: { extension: '.json', frame: jsonMapping },
  yaml: { extension: '.yaml', frame: plainFrame },
};

function refuseSharedDrive({ configDrive, node }: StepsOptions): void {
  if (node !== undefined) {
    throw new UsageError('--node is for one host; with an inventory the names of the hosts are used', {
      hint: 'choose hosts with --host NAME',
    });
  }
  if (configDrive === undefined || configDrive === '-' || differsByHost(configDrive)) return;
  throw new UsageError('--config-drive would be the same file for every host', {
    hint: 'put {name} into it: --config-drive drives/{name}.json',
  });
}

/** The method of the inventory is the step; a host that needs no config drive gets none. */
function adaptToHost(
  host: StepsOptions & { readonly name: string; readonly method?: string },
  format: StepsFormat,
): StepsOptions {
  const { name, method, configDrive, step = method, ...others } = host;
  return {
    ...others,
    ...(step !== undefined && { step }),
    ...(format === 'command' && { node: name }),
    ...(configDrive !== undefined && (configDrive === '-' || needsConfigDrive(host)) && { configDrive }),
  };
}

/** Makes the folder of config drives, once. */
function folderMaker(io: Io): (folder: string) => Promise<void> {
  const made = new Set<string>();
  return async (folder) => {
    if (made.has(folder)) return;
    made.add(folder);
    await mkdir(resolve(io.cwd, folder), { recursive: true }).catch((error: unknown) => {
      throw fileError(error, { path: folder, what: 'Folder for config drives', action: 'create' });
    });
  };
}

/** A member of a mapping from the name of the host to its steps. */
async function formatPart(
  name: string,
  deploySteps: readonly DeployStep[],
  format: 'json' | 'yaml',
): Promise<string> {
  if (format === 'json') return formatMember(name, deploySteps);
  return formatValue({ [name]: deploySteps }, 'yaml');
}

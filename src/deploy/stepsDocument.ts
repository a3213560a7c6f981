/** The document of `deploy steps`: the options that ask for steps, what they stand for, and its text as commands. */

import { resolve } from 'node:path';
import { methodTakesNothing } from './documents/bareMetalHost.ts';
import { checkRequestSize, renderConfigDrive } from './documents/configDrive.ts';
import {
  type DeployStep,
  ignitionInArguments,
  renderDeploySteps,
  stepNames,
} from './documents/deploySteps.ts';
import { checkImageSource, imageSetOnNode } from './documents/imageSource.ts';
import { checkInstall } from './documents/installSettings.ts';
import { nodeName } from './documents/node.ts';
import { formatDeployCommands } from './documents/nodeCommands.ts';
import { isUuid, nodeNameProblem } from '../core/objectName.ts';
import { UsageError } from '../core/errors.ts';
import type { Issue } from '../ignition/rule.ts';
import { writeFileAtomically } from '../io/files/newFile.ts';
import { privateMode } from './deployDocument.ts';
import { tellIssues } from './deployIssues.ts';
import type { HostContext } from './hostContext.ts';
import { type InstallOptions, installSettings } from './installOptions.ts';
import type { InventoryFlags } from './inventoryFlags.ts';
import { parseChoice } from '../io/report/choices.ts';

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

export type StepsFormat = 'json' | 'yaml' | 'command';

/** Steps, after their config drive has been written where it was asked for. */
export interface MadeSteps {
  readonly deploySteps: readonly DeployStep[];
  readonly content: 'secret' | 'public';
}

/**
 * Undefined where the options are wrong, after telling why.
 * @throws UsageError for options that contradict each other or are not complete
 */
export async function makeSteps(
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
  if (tellIssues(issues, io, wording) !== 0) return undefined;
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
export function needsConfigDrive(options: StepsOptions): boolean {
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
export function formatStepCommands(deploySteps: readonly DeployStep[], options: StepsOptions): string {
  const { node = '', configDrive, imageSource } = options;
  return formatDeployCommands({
    node,
    steps: deploySteps,
    ...(configDrive !== undefined && { configDrive }),
    ...(imageSource !== undefined && { imageSource }),
  });
}

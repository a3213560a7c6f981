/** `deploy steps`: writes deploy steps, and the config drive that they read, for `baremetal node deploy`. */

import { resolve } from 'node:path';
import { checkRequestSize, renderConfigDrive } from '../../deploy/configDrive.ts';
import {
  type DeployStep,
  ignitionInArguments,
  renderDeploySteps,
  stepNames,
} from '../../deploy/deploySteps.ts';
import { checkImageSource, imageSetOnNode } from '../../deploy/imageSource.ts';
import { methodTakesNothing } from '../../deploy/bareMetalHost.ts';
import type { PlainConfig } from '../../deploy/installedConfig.ts';
import { checkInstall } from '../../deploy/installSettings.ts';
import { formatDeployCommands } from '../../deploy/nodeCommands.ts';
import { nodeName } from '../../deploy/node.ts';
import { isUuid, nodeNameProblem } from '../../deploy/objectName.ts';
import { UsageError } from '../../errors.ts';
import type { Issue } from '../../ignition/rule.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeFileAtomically } from '../../io/outputFile.ts';
import { formatValue, parseChoice, parseFormat, privateMode, writeDocument } from './deployDocument.ts';
import { tellIssues } from './deployIssues.ts';
import { type InstallOptions, installSettings, readInstalledConfig } from './installOptions.ts';

/** The options of the command line, under the names that they have there. */
export interface StepsOptions extends InstallOptions {
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

/** Shows everything that is wrong with the options, and then ends with 1; warnings alone do not stop it. */
export async function steps(options: StepsOptions, io: Io): Promise<ExitCode> {
  const format = parseFormat<StepsFormat>(options.format, ['json', 'yaml', 'command']);
  const step = parseChoice('--step', options.step, stepNames) ?? 'install_coreos';
  refuseIncomplete(options, format);
  const config = await readInstalledConfig(options.ignition, io);
  const inArguments = options.ignitionInArgs === true ? config : undefined;
  const drive = renderConfigDrive(inArguments === undefined ? config : undefined, installSettings(options));
  const deploySteps = renderDeploySteps(step, inArguments);
  const issues = [
    ...(step === 'start_assisted_install' ? checkNothingGiven(options) : []),
    ...checkOptions(options, format),
    ...checkRequestSize([deploySteps, drive]),
  ];
  if (tellIssues(issues, io) !== 0) return 1;
  if (options.configDrive !== undefined) {
    const text = `${JSON.stringify(drive)}\n`;
    await writeFileAtomically(resolve(io.cwd, options.configDrive), text, { mode: privateMode });
  }
  const text = format === 'command' ? commands(deploySteps, options) : await formatValue(deploySteps, format);
  await writeDocument(text, { ...options, content: contentOf(inArguments) }, io);
  return 0;
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
  const { ignition, appendKarg = [], copyNetwork, ignitionInArgs = false, configDrive } = options;
  if (configDrive === '-') {
    throw new UsageError('the config drive cannot go to standard output beside the steps', {
      hint: 'give a file, or use: ironic-coreos deploy configdrive',
    });
  }
  const hasConfig = ignition !== undefined && !ignitionInArgs;
  const isNeeded = hasConfig || appendKarg.length > 0 || copyNetwork !== undefined;
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

function commands(deploySteps: readonly DeployStep[], options: StepsOptions): string {
  const { node = '', configDrive, imageSource } = options;
  return formatDeployCommands({
    node,
    steps: deploySteps,
    ...(configDrive !== undefined && { configDrive }),
    ...(imageSource !== undefined && { imageSource }),
  });
}

function contentOf(config: PlainConfig | undefined): 'secret' | 'public' {
  return config === undefined ? 'public' : 'secret';
}

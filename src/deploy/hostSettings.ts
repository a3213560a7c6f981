/** What is wanted of a host for Metal3: the options of `deploy baremetalhost`, and the settings they stand for. */

import { bootModes, checkHostSettings, cleaningModes, type HostSettings } from './documents/bareMetalHost.ts';
import { type StepName, stepNames } from './documents/deploySteps.ts';
import { checkImageFormat } from './documents/imageSource.ts';
import type { PlainConfig } from './documents/installedConfig.ts';
import type { Io } from '../io/io.ts';
import { tellIssues } from './deployIssues.ts';
import type { HostContext } from './hostContext.ts';
import { type HostOptions, type HostRead, readHostOptions } from './hostOptions.ts';
import {
  imageSource,
  type InstallImageOptions,
  type InstallOptions,
  installSettings,
} from './installOptions.ts';
import type { InventoryFlags } from './inventoryFlags.ts';
import { parseChoice } from '../io/report/choices.ts';

/** The options of the command line, under the names that they have there. */
export interface BareMetalHostOptions
  extends HostOptions, InventoryFlags, InstallOptions, InstallImageOptions {
  readonly namespace?: string;
  /** `NAME-bmc-secret` when it is left out, as in Metal3's examples. */
  readonly bmcCredentialsName?: string;
  readonly userDataName?: string;
  /** Files. */
  readonly nmstate?: string;
  readonly networkData?: string;
  readonly method?: string;
  readonly bootMode?: string;
  readonly automatedCleaning?: string;
  /** `yaml` (default) or `json`. */
  readonly format?: string;
  readonly output?: string;
}

/**
 * The settings that the options stand for; undefined where they are wrong, after telling why.
 * @throws UsageError for options that are no choice, CliError for files that cannot be read
 */
export async function readHostSettings(
  options: BareMetalHostOptions & { readonly name: string },
  context: HostContext,
): Promise<HostSettings | undefined> {
  const read = readHostOptions(options);
  const config = await context.readConfig(options.ignition, context.io);
  const settings = await hostSettings(options, { ...read, config }, context);
  const imageIssues = settings.image === undefined ? checkImageFormat(options.imageFormat) : [];
  const issues = [
    ...read.issues,
    ...imageIssues.map((issue) => ({ ...issue, path: ['image', ...issue.path] })),
    ...checkHostSettings(settings),
  ].filter(({ rule, path }) => !isConsequence(rule.id, path, read));
  return tellIssues(issues, context.io, context.wording) === 0 ? settings : undefined;
}

/** What is missing only because it could not be read has been told already. */
function isConsequence(rule: string, path: readonly unknown[], { issues }: HostRead): boolean {
  const unread = new Set(issues.map((issue) => issue.path[0]));
  return (
    (rule === 'bmc-missing' && unread.has('bmc')) ||
    (rule.startsWith('mac-missing') && unread.has('bootMac')) ||
    (rule === 'root-device-missing' && unread.has('rootDevice')) ||
    (rule === 'hint-not-in-metal3' &&
      issues.some((issue) => issue.rule.severity === 'error' && issue.path[1] === path[1]))
  );
}

async function hostSettings(
  options: BareMetalHostOptions,
  { host, config }: HostRead & { readonly config: PlainConfig | undefined },
  { io, readNmstate }: HostContext,
): Promise<HostSettings> {
  const { bootMode, cleaning, method = 'install_coreos' } = parseChoices(options);
  const nmstate =
    options.nmstate === undefined ? await readNmstate() : await readNetwork(options.nmstate, 'nmstate', io);
  const networkData =
    options.networkData === undefined
      ? undefined
      : await readNetwork(options.networkData, 'Network data', io);
  const image = imageSource(options);
  return {
    host,
    bmcCredentials: options.bmcCredentialsName ?? `${host.name}-bmc-secret`,
    method,
    install: installSettings(options),
    ...(options.namespace !== undefined && { namespace: options.namespace }),
    ...(config !== undefined && { config }),
    ...(options.userDataName !== undefined && { userData: options.userDataName }),
    ...(nmstate !== undefined && { nmstate }),
    ...(networkData !== undefined && { networkData }),
    ...(image !== undefined && { image }),
    ...(bootMode !== undefined && { bootMode }),
    ...(cleaning !== undefined && { cleaning }),
  };
}

/** Reading YAML takes a library that most runs do not need. */
async function readNetwork(file: string, what: string, io: Io): Promise<string> {
  const { readMapping } = await import('./networkFile.ts');
  return readMapping(file, what, io);
}

/**
 * What is chosen out of a few; to be called alone where hosts are not read yet.
 * @throws UsageError for what is no choice
 */
export function parseChoices(options: BareMetalHostOptions): Choices {
  return {
    bootMode: parseChoice('--boot-mode', options.bootMode, bootModes),
    cleaning: parseChoice('--automated-cleaning', options.automatedCleaning, cleaningModes),
    method: parseChoice('--method', options.method, stepNames),
  };
}

interface Choices {
  readonly bootMode: (typeof bootModes)[number] | undefined;
  readonly cleaning: (typeof cleaningModes)[number] | undefined;
  readonly method: StepName | undefined;
}

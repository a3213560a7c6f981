/** `deploy baremetalhost`: writes the Metal3 manifests of one host, or of the hosts of an inventory. */

import type { Finding } from '../../core/finding.ts';
import {
  checkHostSettings,
  containsSecrets,
  type HostSettings,
  type RamdiskNetwork,
  renderHostManifests,
} from './documents/bareMetalHost.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { type DeployCommand, formatItem, isAlone, manifestList, plainFrame } from './deployDocument.ts';
import { writeDeployed } from './hosts.ts';
import { type HostContext, readNetworkFile, reportIssues } from './hostContext.ts';
import {
  type BareMetalHostOptions,
  type DeployOptions,
  type HostOptions,
  type NameOption,
  deploymentOf,
  readHostOptions,
  requireName,
} from './options.ts';
import { reportRamdiskNetwork } from './ramdiskNetwork.ts';
import { parseChoice, parseFormat } from '../../io/report/choices.ts';
import { stepNames } from '../../core/installSteps.ts';
import { checkImageFormat, type PlainConfig } from './documents/installation.ts';
import { splitHint } from './documents/rootDeviceHints.ts';
import { bootModes, cleaningModes, type DeployHost, inspectionModes } from './documents/host.ts';
import { CliError } from '../../core/errors.ts';
import { formatYaml } from '../../formats/yamlText.ts';

/**
 * Reports all errors in the options; the exit code is then 1. With an inventory, the manifests of each of its hosts are
 * written.
 */
export async function bareMetalHost(options: BareMetalHostOptions, io: Io): Promise<ExitCode> {
  const format = parseFormat(options.format, ['yaml', 'json']);
  if (options.inventory !== undefined) parseChoices(options);
  const shared = trackShared();
  const make: DeployCommand['make'] = async (host, context) => {
    const settings = await readHostSettings({ ...host, name: requireName(host) }, context);
    if (settings === undefined) return undefined;
    const isRepeated = shared(settings, context.nameOf) === 'known' && !isAlone(options);
    const manifests = renderHostManifests(settings).filter(
      ({ kind, metadata }) => !(isRepeated && kind === 'Secret' && metadata.name === settings.userData),
    );
    const text = formatManifests(manifests, format, isAlone(options));
    return { text, content: containsSecrets(settings) ? 'secret' : 'public' };
  };
  const frame = format === 'json' ? manifestList : plainFrame;
  return writeDeployed({ options, extension: `.${format}`, frame, make }, io);
}

/** Formats manifests for `kubectl apply -f`. @param isWhole whether they are the whole document */
function formatManifests(manifests: readonly object[], format: 'yaml' | 'json', isWhole: boolean): string {
  if (format === 'json') return manifests.map(formatItem).join(',\n');
  return isWhole ? formatYaml(manifests) : manifests.map((one) => `---\n${formatYaml([one])}`).join('');
}

/** The config in a Secret, and the first host that uses it. */
interface SharedConfig {
  readonly config: PlainConfig;
  readonly host: string;
}

/** Detects Secrets that several hosts share. @throws CliError if two hosts use one Secret for different configs */
function trackShared(): (settings: HostSettings, nameOf: NameOption) => 'new' | 'known' {
  const known = new Map<string, SharedConfig>();
  return ({ host, namespace = '', userData, config }, nameOf) => {
    if (userData === undefined || config === undefined) return 'new';
    const key = `${namespace}/${userData}`;
    const other = known.get(key);
    if (other === undefined) {
      known.set(key, { config, host: host.name });
      return 'new';
    }
    if (other.config === config || JSON.stringify(other.config) === JSON.stringify(config)) return 'known';
    throw new CliError(`the Secret ${userData} already contains a different config, for ${other.host}`, {
      code: 'ERR_SETTING',
      hint: `remove ${nameOf('userDataName')}, or add {name} to it`,
    });
  };
}

/**
 * Reads the settings from the options. Returns undefined for invalid options, after reporting the errors.
 * @throws UsageError for unsupported values, CliError for files that cannot be read
 */
async function readHostSettings(
  options: HostOptions,
  context: HostContext,
): Promise<HostSettings | undefined> {
  const read = readHostOptions(options);
  const settings = await hostSettings(options, read.host, context);
  const isCustom = settings.deployment.deployInterface === undefined;
  const imageIssues =
    settings.deployment.image === undefined
      ? checkImageFormat(options.imageFormat, isCustom ? 'coreos-installer' : 'ironic')
      : [];
  const issues = [...read.issues, ...imageIssues, ...checkHostSettings(settings)].filter(
    ({ rule, path }) => !isConsequence(rule, path, read.issues),
  );
  return reportIssues(issues, context) === 0 ? settings : undefined;
}

/** Whether a setting is only missing because its value is invalid, which has been reported. */
function isConsequence(rule: string, path: readonly unknown[], issues: readonly Finding[]): boolean {
  const unread = new Set(issues.map((issue) => issue.path[0]));
  return (
    (rule === 'bmc-missing' && unread.has('bmcAddress')) ||
    (rule.startsWith('mac-missing') && unread.has('bootMac')) ||
    (rule === 'root-device-missing' && unread.has('rootDevice')) ||
    (rule === 'hint-not-in-metal3' &&
      issues.some((issue) => issue.severity === 'error' && issue.path[1] === path[1]))
  );
}

async function hostSettings(
  options: DeployOptions,
  host: DeployHost,
  { agent, io, nameOf, readConfig, readRamdiskNetwork }: HostContext,
): Promise<HostSettings> {
  const config = await readConfig(options);
  const { method = 'install_coreos', ...choices } = parseChoices(options);
  const read = async (key: RamdiskNetwork['key'], what: string): Promise<RamdiskNetwork | undefined> => {
    const file = options[key];
    return file === undefined ? undefined : { key, text: await readNetworkFile(file, key, what, io) };
  };
  const ramdiskNetwork = (await read('nmstate', 'nmstate')) ?? (await readRamdiskNetwork());
  if (ramdiskNetwork !== undefined) await reportRamdiskNetwork(agent, options.nmstate, io);
  const networkData = (await read('networkData', 'Network data'))?.text;
  return {
    host,
    bmcCredentials: options.bmcCredentialsName ?? `${host.name}-bmc-secret`,
    method,
    install: options,
    namespace: options.namespace,
    config,
    userData: options.userDataName,
    ramdiskNetwork,
    networkData,
    deployment: deploymentOf(options, nameOf),
    labels: Object.fromEntries((options.label ?? []).map(splitHint)),
    raid: options.raid,
    firmwareSettings: options.firmwareSettings,
    ...choices,
  };
}

/**
 * Parses options with a fixed list of values. Also called alone, before the hosts are read.
 * @throws UsageError for unsupported values
 */
function parseChoices(options: DeployOptions) {
  return {
    bootMode: parseChoice('--boot-mode', options.bootMode, bootModes),
    cleaning: parseChoice('--automated-cleaning', options.automatedCleaning, cleaningModes),
    inspectionMode: parseChoice('--inspection-mode', options.inspectionMode, inspectionModes),
    method: parseChoice('--method', options.method, stepNames),
  };
}

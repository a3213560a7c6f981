/** `deploy baremetalhost`: writes the Metal3 manifests of one host, or of the hosts of an inventory. */

import { stepNames } from '../../core/installSteps.ts';
import { CliError, ifWellFormed, UsageError } from '../../core/errors.ts';
import { type Finding, hasErrors } from '../../core/finding.ts';
import { asMapping, type Mapping } from '../../formats/mapping.ts';
import { parseYaml } from '../../formats/yaml.ts';
import { formatYaml } from '../../formats/yamlText.ts';
import { checkHostSpec } from '../../hosts/settings/inventoryDocument.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import {
  checkHostSettings,
  type HostSettings,
  type RamdiskNetwork,
  renderHostManifests,
} from './documents/bareMetalHost.ts';
import { checkImageFormat } from './documents/installation.ts';
import { type HostContext, reportIssues } from './hostContext.ts';
import { formatValue, type HostDocument, writeDeployed } from './hosts.ts';
import { readNetworkFile } from './networkFile.ts';
import { deploymentOf, readHostOptions } from './readOptions.ts';
import type { BareMetalHostOptions, DeployOptions } from './options.ts';
import { servedIsos } from './servedIso.ts';

type Manifests = ReturnType<typeof renderHostManifests>;

/**
 * Reports all errors in the options; the exit code is then 1. With an inventory, the manifests of each of its hosts are
 * written.
 */
export async function bareMetalHost(options: BareMetalHostOptions, io: Io): Promise<ExitCode> {
  const { format: form } = options;
  const spec = typeof options.spec === 'string' ? await readSpec(options.spec) : options.spec;
  const configs = new Map<string, { readonly host: string; readonly config: string }>();
  const served = await servedIsos('bootIso', options, io);
  const make = async (host: DeployOptions, context: HostContext) => {
    const [given, named] = served?.withIso(host, context) ?? ([host, context] as const);
    const settings = await readHostSettings(given, named);
    if (settings === undefined) return undefined;
    const { namespace = '', userData, config } = settings;
    if (userData !== undefined && config !== undefined) {
      const own = { host: settings.host.name, config: JSON.stringify(config) };
      const other = configs.get(`${namespace}/${userData}`) ?? own;
      if (other.config !== own.config) throw otherConfig(userData, other.host, context);
      configs.set(`${namespace}/${userData}`, other);
    }
    return renderHostManifests(settings);
  };
  const write = (hosts: readonly HostDocument<Manifests>[]): string => {
    const manifests = new Map(
      hosts.flatMap(({ document }) =>
        document.map(
          (one) => [[one.kind, one.metadata.namespace, one.metadata.name].join('/'), one] as const,
        ),
      ),
    );
    const items = [...manifests.values()]; // hosts may share a Secret
    if (form === 'json') return formatValue({ apiVersion: 'v1', kind: 'List', items }, form);
    return served?.comment(formatYaml(items)) ?? formatYaml(items);
  };
  const given = { ...options, ...(spec !== undefined && { spec }) };
  const isSecret = (document: Manifests): boolean =>
    served !== undefined || document.some(({ kind }) => kind === 'Secret');
  return writeDeployed({ options: given, extension: `.${form}`, make, write, isSecret }, io);
}

/** @throws UsageError if the definition of BareMetalHosts does not allow these fields */
async function readSpec(text: string): Promise<Mapping> {
  const value = ifWellFormed(() => parseYaml(text).value);
  const [mistake] = await checkHostSpec(value);
  if (mistake === undefined) return asMapping(value);
  const { message, hint = 'use the fields of a BareMetalHost, e.g. --spec "{bootMode: UEFI}"' } = mistake;
  throw new UsageError(`--spec: ${message}`, { hint });
}

function otherConfig(name: string, host: string, { nameOf }: HostContext): CliError {
  return new CliError(`the Secret ${name} already contains a different config, for ${host}`, {
    code: 'ERR_SETTING',
    hint: `remove ${nameOf('userDataName')}, or add {name} to it`,
  });
}

/**
 * Reads the settings from the options. Returns undefined for invalid options, after reporting the errors.
 * @throws UsageError for options that cannot be combined, CliError for files that cannot be read
 */
async function readHostSettings(
  options: DeployOptions,
  context: HostContext,
): Promise<HostSettings | undefined> {
  const { checkMachine, io, nameOf, readConfig, readRamdiskNetwork } = context;
  const { host, issues: unread } = readHostOptions(options);
  const config = await readConfig(options);
  const read = async (key: RamdiskNetwork['key'], what: string): Promise<RamdiskNetwork | undefined> => {
    const file = options[key];
    return file === undefined ? undefined : { key, text: await readNetworkFile(file, key, what, io) };
  };
  const settings: HostSettings = {
    host,
    bmcCredentials: options.bmcCredentialsName ?? `${host.name}-bmc-secret`,
    method: ([...stepNames, 'none'] as const).find((name) => name === options.method) ?? 'install_coreos',
    install: options,
    namespace: options.namespace,
    config,
    userData: options.userDataName,
    ramdiskNetwork: (await read('nmstate', 'nmstate')) ?? (await readRamdiskNetwork(io)),
    networkData: (await read('networkData', 'Network data'))?.text,
    deployment: deploymentOf(options, nameOf),
    labels: options.labels,
    spec: asMapping(options.spec),
  };
  const { deployInterface, image } = settings.deployment;
  const writer = deployInterface === undefined ? 'coreos-installer' : 'ironic';
  const issues = [
    ...unread,
    ...(image === undefined ? checkImageFormat(options.imageFormat, writer) : []),
    ...checkHostSettings(settings).filter(({ rule, path }) => !isConsequence(rule, path, unread)),
    ...(hasErrors(unread) ? [] : await checkMachine(host, options, settings.ramdiskNetwork, io)),
  ];
  return reportIssues(issues, context) === 0 ? settings : undefined;
}

/** Whether a setting is only missing because its value is invalid, which has been reported. */
function isConsequence(rule: string, path: readonly unknown[], issues: readonly Finding[]): boolean {
  const unread = new Set(issues.map((issue) => issue.path[0]));
  return (
    (rule === 'bmc-missing' && unread.has('bmcAddress')) ||
    (rule === 'mac-missing' && unread.has('bootMac')) ||
    (rule === 'root-device-missing' && unread.has('rootDevice')) ||
    (rule === 'hint-not-in-metal3' && issues.some((issue) => issue.path[1] === path[1]))
  );
}

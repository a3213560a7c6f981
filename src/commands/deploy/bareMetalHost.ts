/** `deploy baremetalhost`: writes the Metal3 manifests of one host, or of the hosts of an inventory. */

import { CliError, ifWellFormed, UsageError } from '../../core/errors.ts';
import { hasErrors } from '../../core/finding.ts';
import { asMapping, type Mapping } from '../../formats/mapping.ts';
import { parseYaml } from '../../formats/yaml.ts';
import { formatYaml } from '../../formats/yamlText.ts';
import { checkHostSpec } from '../../hosts/settings/inventoryDocument.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { checkHostSettings, type HostSettings, renderHostManifests } from './documents/bareMetalHost.ts';
import { type HostContext, reportIssues } from './hostContext.ts';
import { formatValue, type HostDocument, writeDeployed } from './hosts.ts';
import { type ReadNetwork, readNetworkFile } from './networkFile.ts';
import { readHostOptions, requireImage } from './readOptions.ts';
import type { BareMetalHostOptions, DeployOptions } from './options.ts';
import { servedIsos } from './servedIso.ts';

type Manifests = ReturnType<typeof renderHostManifests>;

function isSecret(manifests: Manifests): boolean {
  return manifests.some(({ kind }) => kind === 'Secret');
}

export async function bareMetalHost(options: BareMetalHostOptions, io: Io): Promise<ExitCode> {
  const { format: form } = options;
  const spec = typeof options.spec === 'string' ? await readSpec(options.spec) : options.spec;
  const configs = new Map<string, { readonly host: string; readonly config: string }>();
  const served = await servedIsos('bootIso', options, io);
  const make = async (host: DeployOptions, context: HostContext) => {
    const settings = await readHostSettings(host, context);
    if (settings === undefined) return undefined;
    const { config } = settings;
    const { name = '', namespace = '', userDataName: userData } = host;
    if (userData !== undefined && config !== undefined) {
      const own = { host: name, config: JSON.stringify(config) };
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
  return writeDeployed({ options: given, extension: `.${form}`, make, write, isSecret, served }, io);
}

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

/** Reads the settings from the options. Returns undefined for invalid options, after reporting the errors. */
async function readHostSettings(
  options: DeployOptions,
  context: HostContext,
): Promise<HostSettings | undefined> {
  const { checkMachine, io, nameOf, readConfig, readRamdiskNetwork } = context;
  const { host, issues: unread } = readHostOptions(options);
  const config = await readConfig(options);
  const read = async (key: ReadNetwork['key'], what: string): Promise<ReadNetwork | undefined> => {
    const file = options[key];
    return file === undefined ? undefined : readNetworkFile(file, key, what, io);
  };
  const ramdiskNetwork = (await read('nmstate', 'nmstate')) ?? (await readRamdiskNetwork(io));
  const settings: HostSettings = {
    host,
    options,
    config,
    ramdiskNetwork,
    networkData: (await read('networkData', 'Network data'))?.text,
  };
  requireImage(options, nameOf);
  const invalidHints = new Set(unread.map(({ path }) => path[1]));
  const issues = [
    ...unread,
    ...checkHostSettings(settings).filter(
      ({ path, rule }) => rule !== 'hint-not-in-metal3' || !invalidHints.has(path[1]),
    ),
    ...(hasErrors(unread) ? [] : checkMachine(host, options, ramdiskNetwork?.connections)),
  ];
  return reportIssues(issues, context) === 0 ? settings : undefined;
}

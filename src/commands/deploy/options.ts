/** The options that several `deploy` commands share: hosts, inventories, ramdisk and installed host. */

import { type Finding, hasErrors } from '../../core/finding.ts';
import { quoteText } from '../../core/foreignText.ts';
import type { DeployHost } from './documents/host.ts';
import { parseBmcAddress } from '../../redfish/bmcAddress.ts';
import { architectures } from '../../core/architecture.ts';
import { parseMacAddress } from '../../core/macAddress.ts';
import { readRootDevice, splitHint } from './documents/rootDeviceHints.ts';
import { CliError, UsageError } from '../../core/errors.ts';
import { errorRule, found, issueWith, type Rule } from '../../core/rule.ts';
import { parseChoice } from '../../io/report/choices.ts';
import type { Deployment } from './documents/deployment.ts';
import { deployInterfaces } from './documents/interfaces.ts';
import type { Ramdisk } from './documents/node.ts';
import {
  checkInstalledConfig,
  type InstallSettings,
  plainConfig,
  type PlainConfig,
} from './documents/installation.ts';
import type { Mapping } from '../../formats/mapping.ts';
import { configOfRamdisk } from '../../hosts/input/installedConfig.ts';
import type { Io } from '../../io/io.ts';
import { refuseForImage } from '../../hosts/input/imageRequirements.ts';
import { buildOfImageUrl } from '../../image/ignitionSpec.ts';
import { resolveConfig } from '../../ignition/effectiveConfig.ts';
import { readConfigFiles, reportFindings, type ValidConfig } from '../../hosts/input/configFiles.ts';

// The options of each `deploy` command, named as on the command line. An inventory may contain those of `hosts.ts`.

interface OutputOptions {
  readonly format?: string;
  /** A file; with an inventory a folder. Default: standard output. */
  readonly output?: string;
}

interface InventoryOptions extends OutputOptions {
  /** The inventory file. */
  readonly inventory?: string;
  /** Names of the selected hosts of the inventory (default: all hosts). */
  readonly host?: readonly string[];
  /** Stop at the first invalid host. */
  readonly failFast?: boolean;
}

/** Settings of the installed host. */
interface InstallOptions extends InstallSettings {
  /** Ignition config of the installed host; `-` is standard input. */
  readonly ignition?: string;
  /** Folder of the local files of that config, if it is Butane (default: local files are refused). */
  readonly filesDir?: string;
}

/** The image to deploy. */
interface ImageOptions {
  readonly imageSource?: string;
  readonly imageChecksum?: string;
  readonly deployInterface?: string;
}

interface DeploymentOptions extends ImageOptions {
  readonly imageFormat?: string;
  /** URL of a live ISO to boot instead of an installation. */
  readonly bootIso?: string;
}

/** The description of the host. */
interface HardwareOptions {
  /** Required without an inventory. */
  readonly name?: string;
  readonly bootMac?: string;
  readonly arch?: string;
  readonly bmcAddress?: string;
  readonly bmcInsecure?: boolean;
  /** `NAME=EXPRESSION` each. */
  readonly rootDevice?: readonly string[];
}

interface RamdiskOptions {
  readonly deployIso?: string;
  readonly deployKernel?: string;
  readonly deployRamdisk?: string;
  readonly kernelAppendParams?: string;
}

export interface StepsOptions extends InstallOptions, ImageOptions, InventoryOptions {
  /** The deploy step. Default: `install_coreos`. */
  readonly step?: string;
  /** The config drive file to write. */
  readonly configDrive?: string;
  readonly ignitionInArgs?: boolean;
  /** The node, for commands that deploy it. */
  readonly node?: string;
}

export interface ConfigDriveOptions extends InstallOptions, InventoryOptions {
  /** Indent the JSON. */
  readonly pretty?: boolean;
}

export interface NodeOptions extends HardwareOptions, RamdiskOptions, DeploymentOptions, InventoryOptions {
  /** Whether the node already exists. */
  readonly set?: boolean;
  readonly inspectInterface?: string;
  readonly bootInterface?: string;
}

export interface BareMetalHostOptions
  extends HardwareOptions, InstallOptions, DeploymentOptions, InventoryOptions {
  readonly namespace?: string;
  /** Default: `NAME-bmc-secret`, as in Metal3's examples. */
  readonly bmcCredentialsName?: string;
  readonly bootMode?: string;
  readonly automatedCleaning?: string;
  readonly inspectionMode?: string;
  /** `NAME=VALUE` each. */
  readonly label?: readonly string[];
  /** RAID volumes; in an inventory only. */
  readonly raid?: Mapping;
  /** Texts and integers by name; in an inventory only. */
  readonly firmwareSettings?: Mapping;
  /** The deploy step. Default: `install_coreos`. */
  readonly method?: string;
  readonly userDataName?: string;
  /** Files. */
  readonly nmstate?: string;
  readonly networkData?: string;
}

/** The options of all commands that describe hosts. */
export interface DeployOptions extends StepsOptions, ConfigDriveOptions, NodeOptions, BareMetalHostOptions {}

/** The name of an option in messages: its flag, or its key in the inventory. */
export type NameOption = (option: string) => string;

/** The options for one host. */
export type HostOptions = DeployOptions & { readonly name: string };

const macAddress = errorRule('mac-address', 'invalid MAC address', 'use the form 52:54:00:12:34:56');
const bmcAddress = errorRule(
  'bmc-address',
  'invalid BMC address',
  'use SCHEME://HOST[:PORT][/SYSTEM], e.g. redfish-virtualmedia://192.0.2.10/redfish/v1/Systems/1',
);

/** @throws UsageError if the name is missing */
export function requireName({ name }: DeployOptions): string {
  if (name !== undefined) return name;
  throw new UsageError('--name is missing', {
    hint: 'pass --name NAME, or --inventory FILE for all its hosts',
  });
}

/**
 * Reads the host, without the invalid parts, which are issues.
 * @throws UsageError for an unknown architecture
 */
export function readHostOptions(options: HostOptions) {
  const architecture = parseChoice('--arch', options.arch, architectures);
  const mac = options.bootMac === undefined ? undefined : parseMacAddress(options.bootMac);
  const address = options.bmcAddress === undefined ? undefined : parseBmcAddress(options.bmcAddress);
  const { rootDevice, issues } = readRootDevice((options.rootDevice ?? []).map(splitHint));
  const host: DeployHost = {
    name: options.name,
    rootDevice,
    bootMac: mac !== undefined && 'mac' in mac ? mac.mac : undefined,
    architecture,
    bmc:
      address !== undefined && 'scheme' in address
        ? { address, insecure: options.bmcInsecure ?? false }
        : undefined,
  };
  return {
    host,
    issues: found(
      mac !== undefined && 'problem' in mac && invalidMac(options.bootMac ?? '', mac.problem),
      address !== undefined && 'problem' in address && problemOf(bmcAddress, 'bmcAddress', address),
      issues,
    ),
  };
}

function invalidMac(text: string, problem: string): Finding {
  return {
    ...macAddress,
    path: ['bootMac'],
    message: `invalid MAC address ${quoteText(text)}: ${problem}`,
  };
}

function problemOf(
  rule: Rule,
  option: string,
  { problem, hint }: { readonly problem: string; readonly hint?: string | undefined },
): Finding {
  return { ...issueWith(rule, [option], problem), hint: hint ?? rule.hint };
}

/** Whether to write one file per host. */
export function isFolder({ output }: { readonly output?: string | undefined }): boolean {
  return output !== undefined && output !== '-';
}

/**
 * The ramdisk, without kernel arguments; undefined if none is given.
 * @throws UsageError for options that cannot be combined or are incomplete
 */
export function ramdiskOf(options: RamdiskOptions, nameOf: NameOption): Ramdisk | undefined {
  const { deployIso: iso, deployKernel, deployRamdisk } = options;
  const pair = [nameOf('deployKernel'), nameOf('deployRamdisk')].join(' and ');
  const isPair = deployKernel !== undefined || deployRamdisk !== undefined;
  if (iso !== undefined && isPair) {
    throw new UsageError(`${nameOf('deployIso')} cannot be combined with ${pair}`, {
      hint: `pass either ${nameOf('deployIso')}, or ${pair}`,
    });
  }
  if (iso !== undefined) return { kind: 'iso', iso };
  if (!isPair) return undefined;
  if (deployKernel === undefined || deployRamdisk === undefined) {
    throw new UsageError(`${pair} require each other`, { hint: `pass ${pair}` });
  }
  return { kind: 'pair', kernel: deployKernel, ramdisk: deployRamdisk };
}

/**
 * What is deployed.
 * @throws UsageError for an unknown deploy interface, or for options that require an image
 */
export function deploymentOf(options: DeployOptions, nameOf: NameOption): Deployment {
  const { imageSource: url, imageChecksum: checksum, imageFormat: format, bootIso } = options;
  const deployInterface = parseChoice(nameOf('deployInterface'), options.deployInterface, deployInterfaces);
  if (url === undefined && checksum !== undefined) {
    const source = nameOf('imageSource');
    throw new UsageError(`${nameOf('imageChecksum')} requires ${source}`, {
      hint: `pass ${source} URL, too`,
    });
  }
  return { deployInterface, bootIso, image: url === undefined ? undefined : { url, checksum, format } };
}

/** Whether there are settings that deploy steps cannot contain. */
export function needsConfigDrive({
  ignition,
  appendKarg = [],
  copyNetwork,
  ignitionInArgs = false,
}: DeployOptions): boolean {
  return (ignition !== undefined && !ignitionInArgs) || appendKarg.length > 0 || copyNetwork !== undefined;
}

export function emptyConfigDrive(nameOf: NameOption): UsageError {
  return new UsageError('the config drive is empty', {
    hint: `pass ${nameOf('ignition')}, ${nameOf('appendKarg')} or ${nameOf('copyNetwork')}`,
  });
}

/**
 * Reads the config for the installed host, and reports the findings of Ignition's rules and the rules of
 * `install_coreos`. Returns undefined if no config is given.
 * @throws CliError for an invalid config
 */
export async function readInstalledConfig(
  { ignition: file, imageSource = '', filesDir }: DeployOptions,
  io: Io,
): Promise<PlainConfig | undefined> {
  if (file === undefined) return undefined;
  const [document] = await readConfigFiles([file], io, { filesDir, lint: 'auto', machine: 'installed' });
  if (document === undefined) return undefined;
  const issues = [...checkInstalledConfig(document.config), ...checkInlined(document)];
  reportFindings(issues, document, io);
  if (hasErrors(issues)) {
    throw new CliError('install_coreos does not support this config', {
      code: 'ERR_CONFIG_INVALID',
      hint: 'fix the errors above',
    });
  }
  refuseForImage(document.json, { build: buildOfImageUrl(imageSource) }, { io, options: {} });
  return plainConfig(document.config);
}

/** Finds inlined configs that run the agent. The issue is at the reference to the inlined config. */
function checkInlined({ config, version }: ValidConfig): readonly Finding[] {
  const effective = resolveConfig({ config, version });
  return checkInstalledConfig(effective.config).flatMap((issue) => {
    const { place } = effective.locate(issue.path);
    const [reference] = place;
    if (issue.rule !== configOfRamdisk.rule || reference === undefined) return [];
    return [
      { ...issue, path: reference.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step)) },
    ];
  });
}

/** The options that several `deploy` commands share: about hosts, inventories, the ramdisk and the installed host. */

import { type DeployHost, parseBmcAddress } from './documents/host.ts';
import { architectures } from '../core/architecture.ts';
import { parseMacAddress } from '../core/macAddress.ts';
import { readRootDevice, splitHint } from './documents/rootDeviceHints.ts';
import { CliError, UsageError } from '../core/errors.ts';
import type { Issue, Rule } from '../ignition/rule.ts';
import { parseChoice } from '../io/report/choices.ts';
import type { Ramdisk } from './documents/node.ts';
import {
  checkInstalledConfig,
  configOfRamdisk,
  type InstallImage,
  type InstallSettings,
  plainConfig,
  type PlainConfig,
} from './documents/installation.ts';
import type { Io } from '../io/io.ts';
import { resolveConfig } from '../ignition/effectiveConfig.ts';
import { type ConfigDocument, readConfigDocuments, reportFindings } from '../hosts/input/configDocuments.ts';

/** Under the names that they have on the command line. */
export interface HostOptions {
  /** Needed, unless an inventory says it. */
  readonly name?: string;
  readonly bootMac?: string;
  readonly arch?: string;
  readonly bmcAddress?: string;
  readonly bmcInsecure?: boolean;
  /** `NAME=EXPRESSION` each. */
  readonly rootDevice?: readonly string[];
}

const macAddress: Rule = {
  id: 'mac-address',
  severity: 'error',
  message: 'this is not the MAC address of an interface',
  hint: 'write it as 52:54:00:12:34:56',
};
const bmcAddress: Rule = {
  id: 'bmc-address',
  severity: 'error',
  message: 'this is not the address of a BMC',
  hint: 'write SCHEME://HOST[:PORT][/SYSTEM], e.g. redfish-virtualmedia://192.0.2.10/redfish/v1/Systems/1',
};

/**
 * The options with a name.
 * @throws UsageError where there is none
 */
export function requireName<O extends HostOptions>(options: O): O & { readonly name: string } {
  const { name } = options;
  if (name !== undefined) return { ...options, name };
  throw new UsageError('the host has no name', { hint: 'give --name, or --inventory with all hosts' });
}

export interface HostRead {
  /** Without the parts that cannot be read. */
  readonly host: DeployHost;
  readonly issues: readonly Issue[];
}

/** @throws UsageError where the architecture is unknown */
export function readHostOptions(options: HostOptions & { readonly name: string }): HostRead {
  const architecture = parseChoice('--arch', options.arch, architectures);
  const mac = options.bootMac === undefined ? undefined : parseMacAddress(options.bootMac);
  const address = options.bmcAddress === undefined ? undefined : parseBmcAddress(options.bmcAddress);
  const { rootDevice, issues } = readRootDevice((options.rootDevice ?? []).map(splitHint));
  const host: DeployHost = {
    name: options.name,
    rootDevice,
    ...(mac !== undefined && 'mac' in mac && { bootMac: mac.mac }),
    ...(architecture !== undefined && { architecture }),
    ...(address !== undefined &&
      'scheme' in address && { bmc: { address, insecure: options.bmcInsecure ?? false } }),
  };
  return {
    host,
    issues: [
      ...(mac !== undefined && 'problem' in mac ? [problemOf(macAddress, 'bootMac', mac)] : []),
      ...(address !== undefined && 'problem' in address ? [problemOf(bmcAddress, 'bmc', address)] : []),
      ...issues.map((issue) => ({ ...issue, path: ['rootDevice', ...issue.path] })),
    ],
  };
}

function problemOf(
  rule: Rule,
  setting: string,
  { problem, hint }: { readonly problem: string; readonly hint?: string },
): Issue {
  return {
    rule,
    path: [setting],
    message: `${rule.message}: ${problem}`,
    ...(hint !== undefined && { hint }),
  };
}

/** Under the names that they have on the command line. */
export interface InventoryFlags {
  /** A file with the hosts. */
  readonly inventory?: string;
  /** Names of the hosts that are wanted; all, where it is left out. */
  readonly host?: readonly string[];
  /** Ends at the first host that is wrong. */
  readonly failFast?: boolean;
}

/** @throws UsageError where hosts are chosen, but no inventory that they could be in */
export function refuseWithoutInventory({ inventory, host, failFast = false }: InventoryFlags): void {
  if (inventory !== undefined || (host === undefined && !failFast)) return;
  const flag = host === undefined ? '--fail-fast' : '--host';
  throw new UsageError(`${flag} is for the hosts of an inventory`, { hint: 'give --inventory FILE' });
}

/** Whether there is to be a file for each host. */
export function isFolder({ output }: { readonly output?: string | undefined }): boolean {
  return output !== undefined && output !== '-';
}

/** Under the names that they have on the command line. */
export interface RamdiskOptions {
  readonly deployIso?: string;
  readonly deployKernel?: string;
  readonly deployRamdisk?: string;
  readonly kernelAppendParams?: string;
}

/**
 * The ramdisk, without kernel arguments; undefined where none is given.
 * @throws UsageError where the options contradict each other or are not complete
 */
export function ramdiskOf({
  deployIso: iso,
  deployKernel,
  deployRamdisk,
}: RamdiskOptions): Ramdisk | undefined {
  const isPair = deployKernel !== undefined || deployRamdisk !== undefined;
  if (iso !== undefined && isPair) {
    throw new UsageError('--deploy-iso cannot be combined with --deploy-kernel and --deploy-ramdisk', {
      hint: 'Ironic boots either the ISO or the kernel with its ramdisk: give one of the two',
    });
  }
  if (iso !== undefined) return { kind: 'iso', iso };
  if (!isPair) return undefined;
  if (deployKernel === undefined || deployRamdisk === undefined) {
    throw new UsageError('--deploy-kernel and --deploy-ramdisk belong together', { hint: 'give both' });
  }
  return { kind: 'pair', kernel: deployKernel, ramdisk: deployRamdisk };
}

/** Under the names that they have on the command line. */
export interface InstallOptions {
  /** Ignition config of the installed host; `-` is standard input. */
  readonly ignition?: string;
  readonly appendKarg?: readonly string[];
  readonly copyNetwork?: boolean;
}

export function installSettings({ appendKarg = [], copyNetwork }: InstallOptions): InstallSettings {
  return { kernelArguments: appendKarg, ...(copyNetwork !== undefined && { copyNetwork }) };
}

export interface InstallImageOptions {
  readonly imageSource?: string;
  readonly imageChecksum?: string;
  readonly imageFormat?: string;
}

/** @throws UsageError where something is said about an image that is not given */
export function imageSource({
  imageSource: url,
  imageChecksum: checksum,
  imageFormat: format,
}: InstallImageOptions): InstallImage | undefined {
  if (url !== undefined) {
    return { url, ...(checksum !== undefined && { checksum }), ...(format !== undefined && { format }) };
  }
  if (checksum === undefined) return undefined;
  throw new UsageError('--image-checksum is given without an image', { hint: 'give --image-source URL too' });
}

/** `readInstalledConfig`, or what remembers its answers. */
export type ReadInstalledConfig = typeof readInstalledConfig;

/**
 * Reads and checks the config for the installed host, telling what Ignition and `install_coreos` have to say about it;
 * undefined where none is asked for.
 * @throws CliError where it is not valid
 */
export async function readInstalledConfig(
  file: string | undefined,
  io: Io,
): Promise<PlainConfig | undefined> {
  if (file === undefined) return undefined;
  const [document] = await readConfigDocuments([file], io);
  if (document === undefined) return undefined;
  const issues = [...checkInstalledConfig(document.config), ...checkInlined(document)];
  const findings = issues.map(({ rule: { id, severity, message, hint }, path }) => ({
    rule: id,
    severity,
    message,
    hint,
    path,
  }));
  reportFindings(findings, document, io);
  if (issues.some(({ rule }) => rule.severity === 'error')) {
    throw new CliError('the config does not fit an installation by install_coreos', {
      code: 'ERR_CONFIG_INVALID',
      hint: 'change what is reported above',
    });
  }
  return plainConfig(document.config);
}

/** Whether a config that is inlined in it runs the agent; told at the reference that leads there. */
function checkInlined({ config, version }: ConfigDocument): readonly Issue[] {
  const effective = resolveConfig({ config, version });
  return checkInstalledConfig(effective.config).flatMap((issue) => {
    const { place } = effective.locate(issue.path);
    const [reference] = place;
    if (issue.rule !== configOfRamdisk || reference === undefined) return [];
    return [
      { ...issue, path: reference.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step)) },
    ];
  });
}

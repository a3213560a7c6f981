/** The boot settings of a host, and its boot scripts. */

import { diagnosticAt, hasErrors } from '../../core/finding.ts';
import { quoteText } from '../../core/foreignText.ts';
import type { BootSettings } from '../../kargs/bootSettings.ts';
import type { Architecture } from '../../core/architecture.ts';
import { checkArgumentLine } from '../../kargs/argumentLine.ts';
import { argumentSecrets, bootArguments } from '../../kargs/kernelArguments.ts';
import { checkNetworkBoot, folderRules } from '../../kargs/checkFolder.ts';
import { bootServerOf } from '../../kargs/dhcpServers.ts';
import { type DhcpRange, type DnsmasqBoot, parseDhcpRange, renderDnsmasq } from '../../kargs/dnsmasq.ts';
import { type NetworkBoot, networkBootFiles } from '../../kargs/folder.ts';
import type { BootFile, IsoBoot, NetworkHost, RamdiskBoot } from '../../kargs/loaders/loader.ts';
import { urlArgumentRules } from '../../kargs/urlArgument.ts';
import { CliError, UsageError } from '../../core/errors.ts';
import { isIpv4 } from '../../formats/hostName.ts';
import { checkNetworkTwice } from '../../image/inspection/imageChecks.ts';
import { CONFIG_NAME } from '../../image/embeddedIgnition.ts';
import type { Io } from '../../io/io.ts';
import { requireContents } from '../input/imageContents.ts';
import { type ConfigArtifact, hostArtifacts } from '../../core/artifacts.ts';
import { startedArtifact, type Wanted } from './artifacts.ts';
import { report } from '../../io/report/report.ts';
import { bootInputsOf } from './bootInputs.ts';
import { readSettingsOnce } from './knownBoots.ts';
import { chooseProfile, type RenderSource, type SharedSettings } from '../settings/settings.ts';
import type { ImageSet } from './baseImages.ts';
import { allCoreosArguments } from '../../kargs/coreosArguments.ts';

/** The path of an artifact, relative to the base URL. */
type PathOf = (artifact: ConfigArtifact) => string;

export type Start = RamdiskBoot | IsoBoot;

/**
 * Reads the settings of boot scripts and ISOs.
 * @param pathOf not called for ISOs, whose paths may depend on these settings
 * @param io for warnings
 * @throws UsageError for invalid settings
 */
export async function readBootSettings(
  shared: SharedSettings,
  images: ImageSet | undefined,
  source: RenderSource,
  pathOf: PathOf,
  { baseUrl, configs }: Wanted,
  io: Io,
): Promise<BootSettings> {
  const folder = baseUrl ?? 'http://localhost';
  const { kernel, initramfs, rootfs } = images?.paths ?? {};
  const started = startedArtifact(configs) ?? 'ign';
  const { base, way } = hostArtifacts[started];
  const ramdisk = started === 'initramfs' ? pathOf('initramfs') : initramfs;
  // Of a template string, V8 keeps each part; of 10,000 hosts, these would take 7 MB more.
  const urlOf = (path: string): string => [folder, path].join('/');
  const { files = [], options } = source;
  const own = await readSettingsOnce(shared, io, (ownIo) => {
    const layers = { profile: chooseProfile(options), files };
    return bootInputsOf({}, layers, ownIo).settings;
  });
  // Without a served initramfs, no script starts the archive.
  const embedded = way === 'network' && ramdisk !== undefined;
  return {
    ...own,
    // ISOs use none of these URLs, but the other kernel arguments.
    kernelUrl: kernel === undefined ? own.kernelUrl : urlOf(kernel),
    initramfsUrl: ramdisk === undefined ? own.initramfsUrl : urlOf(ramdisk),
    rootfsUrl: rootfs === undefined ? own.rootfsUrl : urlOf(rootfs),
    ignitionUrl: embedded ? undefined : base === 'iso' ? folder : urlOf(pathOf(started)),
    embedded,
    ...(started === 'archive' && { appendedUrls: [urlOf(pathOf('archive'))] }),
  };
}

export function startOf(
  architecture: Architecture,
  settings: BootSettings,
  pathOf: PathOf,
  { baseUrl = '', configs }: Wanted,
): Start {
  const started = startedArtifact(configs);
  return started !== undefined && hostArtifacts[started].base === 'iso'
    ? { kind: 'iso', architecture, url: `${baseUrl}/${pathOf(started)}` }
    : { kind: 'ramdisk', architecture, settings };
}

/** Reports errors and warnings about a boot. Returns whether its scripts can be written. */
export function reportBoot(boot: NetworkBoot, { configs }: Wanted, io: Io): boolean {
  // Skipped rules: exposed secrets are reported once for all configs, and the other rule recommends a minimal ISO.
  const isMinimal = startedArtifact(configs) === 'minimal-iso';
  const skipped = new Set([
    urlArgumentRules['ignition-url-plaintext'].rule,
    ...(isMinimal ? [folderRules['boot-iso-san'].rule] : []),
  ]);
  let isValid = true;
  for (const { host, findings } of checkNetworkBoot(boot)) {
    for (const { severity, message, hint, rule } of findings) {
      if (skipped.has(rule)) continue;
      // Without the host name, the same message of several hosts is reported once.
      const ofAny =
        host === undefined
          ? message
          : message
              .replaceAll(`/hosts/${host}/`, '/hosts/NAME/')
              .replaceAll(/\/hosts\/NAME\/[0-9a-f]{12}\//g, '/hosts/NAME/ID/');
      // The usual hint names an option of other commands.
      const own = rule === 'rootfs-url-missing' ? 'pass the root filesystem with --rootfs FILE' : hint;
      const reported = report(io, { severity, message: ofAny, hint: own, rule });
      if (hasErrors(reported)) isValid = false;
    }
  }
  return isValid;
}

/** Kinds of secrets in the boot scripts, as nouns. */
export function scriptSecrets(start: Start): readonly string[] {
  return start.kind === 'iso' ? [] : argumentSecrets(start.settings);
}

/**
 * Reads `--dhcp-range`, the addresses for `dnsmasq.conf`.
 * @throws UsageError for an invalid range, and if there is no `dnsmasq.conf`
 */
export function readDhcpRange(text: string | undefined, { baseUrl, loaders }: Wanted): DhcpRange | undefined {
  if (text === undefined) return undefined;
  if (baseUrl === undefined || !loaders.includes('ipxe')) {
    throw new UsageError('--dhcp-range is for dnsmasq.conf, which requires boot scripts for iPXE', {
      hint: 'add ipxe to --artifacts, or remove --dhcp-range',
    });
  }
  const range = parseDhcpRange(text, baseUrl);
  if ('kind' in range) return range;
  throw new UsageError(`--dhcp-range ${quoteText(text)}: ${range.message}`, { hint: range.hint });
}

/**
 * Classes for the DHCP server of `--dhcp` start iPXE, which the firmware fetches from the address in the base URL.
 * @throws UsageError without iPXE or an IPv4 address
 */
export function requireDhcpBoot({ baseUrl = '', loaders }: Wanted): void {
  if (loaders.includes('ipxe') && isIpv4(bootServerOf(baseUrl))) return;
  throw new UsageError('--dhcp requires boot scripts for iPXE, and a base URL with an IPv4 address', {
    hint: 'use --base-url http://192.0.2.1/boot with the address of this machine, and add ipxe to --artifacts',
  });
}

/**
 * The scripts that all machines read, and the dnsmasq configuration for iPXE.
 * @throws CliError if they cannot be written, after reporting the errors
 */
export function sharedBootFiles(
  discovery: readonly RamdiskBoot[],
  hosts: readonly NetworkHost[],
  wanted: Wanted,
  dhcp: Pick<DnsmasqBoot, 'efiLoaders' | 'loaderUrl' | 'range'>,
  io: Io,
): BootFile[] {
  const { baseUrl: folderUrl, loaders } = wanted;
  if (loaders.length === 0) return [];
  const boot: NetworkBoot = { hosts: [], discovery, loaders };
  if (!reportBoot({ ...boot, folderUrl }, wanted, io)) {
    throw new CliError('The boot scripts for all machines cannot be written', {
      code: 'ERR_SETTING',
      hint: 'fix the errors above',
    });
  }
  const hasDnsmasq = folderUrl !== undefined && loaders.includes('ipxe');
  const dnsmasq = hasDnsmasq ? [{ path: DNSMASQ, text: renderDnsmasq({ ...dhcp, folderUrl, hosts }) }] : [];
  return [...networkBootFiles(boot), ...dnsmasq];
}

/** Configuration of dnsmasq as the boot server of the hosts. */
export const DNSMASQ = 'dnsmasq.conf';

/** Live ISOs set these arguments themselves. */
const ofIso: ReadonlySet<string> = new Set(
  allCoreosArguments.filter(({ isOfIso }) => isOfIso).map(({ name }) => name),
);

/** The kernel arguments for ISOs, in the order in which they are appended; none if no ISO is created. */
export function isoArguments(settings: BootSettings, { configs }: Wanted): readonly string[] {
  return configs.some((name) => hostArtifacts[name].base === 'iso') ? ownArguments(settings) : [];
}

function ownArguments(settings: BootSettings): readonly string[] {
  return bootArguments(settings).flatMap(({ name, text }) => (ofIso.has(name) ? [] : [text]));
}

/**
 * Checks that a machine with these kernel arguments and this config starts the agent. {@link reportArguments} checks the arguments by
 * themselves.
 * @throws CliError
 */
export async function requireBoot(
  kernelArguments: readonly string[],
  config: Uint8Array,
  images: ImageSet | undefined,
  { loaders }: Wanted,
  io: Io,
): Promise<void> {
  const kargs = kernelArguments.join(' ');
  requireContents(
    {
      kargs,
      checkedKargs: kargs,
      addedKargs: loaders.length > 0 ? 'BOOTIF=' : undefined,
      files: new Map([[CONFIG_NAME, config]]),
      build: await images?.base.build(),
    },
    { io, options: {} },
  );
}

/**
 * Reports findings of the kernel arguments of a host; boot scripts are checked with theirs.
 * @param hasKeyfiles whether the initramfs gets keyfiles
 * @returns whether its artifacts can be written
 */
export function reportArguments(
  settings: BootSettings,
  hasKeyfiles: boolean,
  { loaders }: Wanted,
  io: Io,
): boolean {
  const issues = [
    ...(loaders.length > 0 ? [] : checkArgumentLine('', ownArguments(settings).join(' '))),
    ...checkNetworkTwice(bootArguments(settings), hasKeyfiles),
  ];
  return !hasErrors(
    report(
      io,
      issues.map((issue) => diagnosticAt(issue)),
    ),
  );
}

/** What a host boots: the settings of its boot scripts, checked as they are written. */

import { type BootSettings, argumentName } from '../../boot/bootSettings.ts';
import type { Architecture } from '../../core/architecture.ts';
import { argumentSecrets, kernelArguments } from '../../boot/kernelArguments.ts';
import { networkBootFiles, renderDnsmasq } from '../../boot/network/bootFiles.ts';
import { bootIsoSan, checkNetworkBoot } from '../../boot/network/checkNetworkBoot.ts';
import type {
  BootFile,
  IsoBoot,
  NetworkBoot,
  NetworkHost,
  RamdiskBoot,
} from '../../boot/network/networkBoot.ts';
import { urlPlaintext } from '../../boot/urlArgument.ts';
import { CliError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import { type ConfigArtifact, startedArtifact, type Wanted } from '../artifacts/artifacts.ts';
import { report } from '../../io/report/report.ts';
import { bootInputsOf } from './bootInputs.ts';
import type { InventoryLayers } from '../settings/inventory.ts';
import type { ImageSet } from '../artifacts/baseImages.ts';

/** A machine, or all that are not known. */
export interface BootSubject {
  readonly architecture: Architecture;
  readonly images: ImageSet | undefined;
  readonly layers: InventoryLayers;
  readonly pathOf: (artifact: ConfigArtifact) => string;
}

export type Start = RamdiskBoot | IsoBoot;

/**
 * The settings count for ISOs, too. Throws UsageError for what cannot be read.
 * @param io takes what there is to say of them
 */
export function readBootSettings(
  { images, layers, pathOf }: BootSubject,
  { baseUrl, configs }: Pick<Wanted, 'baseUrl' | 'configs'>,
  io: Io,
): BootSettings {
  const urlOf = (path: string): string => `${baseUrl ?? 'http://localhost'}/${path}`;
  const { kernel, initramfs, rootfs } = images?.parts ?? {};
  const started = startedArtifact(configs) ?? 'ign';
  const isEmbedded = started === 'archive' || started === 'initramfs';
  const ramdisk = started === 'initramfs' ? pathOf('initramfs') : initramfs;
  const flags = {
    ...(kernel !== undefined && { kernelUrl: urlOf(kernel) }),
    ...(ramdisk !== undefined && { initramfsUrl: urlOf(ramdisk) }),
    ...(rootfs !== undefined && { rootfsUrl: urlOf(rootfs) }),
    // ISOs take none of these, but their other arguments are read in the same way.
    ...(isEmbedded && images !== undefined ? { embedded: true } : { ignitionUrl: urlOf(pathOf(started)) }),
  };
  const { settings } = bootInputsOf(flags, layers, io);
  return started === 'archive' ? { ...settings, appendedUrls: [urlOf(pathOf('archive'))] } : settings;
}

/** What scripts start with these settings. */
export function startOf(
  { architecture, pathOf }: BootSubject,
  settings: BootSettings,
  { baseUrl = '', configs }: Pick<Wanted, 'baseUrl' | 'configs'>,
): Start {
  const started = startedArtifact(configs);
  const isIso = started === 'iso' || started === 'minimal-iso';
  return isIso
    ? { kind: 'iso', architecture, url: `${baseUrl}/${pathOf(started)}` }
    : { kind: 'ramdisk', architecture, settings };
}

/** Whether scripts of this boot can be written; what there is to say of it is told. */
export function reportBoot(boot: NetworkBoot, { configs }: Pick<Wanted, 'configs'>, io: Io): boolean {
  // Which configs hold a secret is known here, and told once for all of them; a minimal ISO is what the other advises.
  const isMinimal = startedArtifact(configs) === 'minimal-iso';
  const settled = new Set([urlPlaintext.id, ...(isMinimal ? [bootIsoSan.id] : [])]);
  let isRight = true;
  for (const { host, findings } of checkNetworkBoot(boot)) {
    for (const { severity, message, hint, rule } of findings) {
      if (settled.has(rule)) continue;
      if (severity === 'error') isRight = false;
      report(io, { severity, message: anyHost(message, host), hint });
    }
  }
  return isRight;
}

/** The same words for all hosts of which the same is true. */
function anyHost(message: string, host: string | undefined): string {
  return host === undefined ? message : message.replaceAll(`/hosts/${host}/`, '/hosts/NAME/');
}

/** The boot of one host alone, as far as its own files go. */
export function bootOfHost(host: NetworkHost, { loaders, baseUrl }: Wanted): NetworkBoot {
  return { hosts: [host], discovery: [], loaders, ...(baseUrl !== undefined && { folderUrl: baseUrl }) };
}

/** What of the scripts others must not see, as nouns. */
export function scriptSecrets(start: Start): readonly string[] {
  return start.kind === 'iso' ? [] : argumentSecrets(start.settings);
}

/** What the scripts are about that all machines read. */
export interface SharedBoot {
  readonly discovery: readonly RamdiskBoot[];
  readonly hosts: readonly NetworkHost[];
  /** Where the scripts are, without a final slash; undefined where nobody knows. */
  readonly folderUrl: string | undefined;
}

/**
 * The scripts that all machines read, and what dnsmasq is told for iPXE.
 * @throws CliError where they cannot be written, after telling why
 */
export function sharedBootFiles(
  { discovery, folderUrl, hosts }: SharedBoot,
  wanted: Wanted,
  io: Io,
): BootFile[] {
  const { loaders } = wanted;
  if (loaders.length === 0) return [];
  const boot: NetworkBoot = { hosts: [], discovery, loaders };
  if (!reportBoot({ ...boot, ...(folderUrl !== undefined && { folderUrl }) }, wanted, io)) {
    throw new CliError('The scripts for all machines cannot be written', {
      code: 'ERR_SETTING',
      hint: 'mend what is reported above',
    });
  }
  const hasDnsmasq = folderUrl !== undefined && loaders.includes('ipxe');
  const dnsmasq = hasDnsmasq ? [{ path: DNSMASQ, text: renderDnsmasq(folderUrl, hosts) }] : [];
  return [...networkBootFiles(boot), ...dnsmasq];
}

/** The part of its configuration that leads machines to the scripts. */
export const DNSMASQ = 'dnsmasq.conf';

/** Live ISOs have these by themselves, in their own way. */
const ofIso: ReadonlySet<string> = new Set([
  'coreos.live.rootfs_url',
  'ignition.config.url',
  'ignition.firstboot',
  'ignition.platform.id',
  'coreos.liveiso',
]);

/** In the order in which they are appended. */
export function isoArguments(settings: BootSettings): readonly string[] {
  return kernelArguments(settings).filter((text) => !ofIso.has(argumentName(text)));
}

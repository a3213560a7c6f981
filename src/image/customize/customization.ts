/**
 * What `iso customize` and `pxe customize` make of their options: the files of an archive for the live system, and the change
 * of an ISO that embeds them. Places and order are those of coreos-installer, whose services on the live system read them.
 */

import { readAsset } from '../../assets.ts';
import { CliError, FormatError } from '../../core/errors.ts';
import type { ByteSource } from '../../formats/byteFeed.ts';
import { fillTemplate } from '../../formats/template.ts';
import type { Unit } from '../../ignition/config.ts';
import type { EmbedFiles } from '../embedArea.ts';
import { CONFIG_NAME, type Existing } from '../embeddedIgnition.ts';
import type { ImageChange } from '../imageChange.ts';
import { readInitrdFrom } from '../initrd.ts';
import { editKargs, type KargsEdits, type KargsRemark } from '../kargsEdit.ts';
import type { LiveFeatures } from '../liveFeatures.ts';
import type { LiveIso } from '../liveIso.ts';
import { isNetworkPath, NETWORK_FOLDER, requireNetworkFeature } from '../networkSettings.ts';
import { isMark, LIVE_STAMP, marksOf, readInitrdFeatures } from '../ramdiskSystem.ts';
import { formatInstallerConfig, type InstallerSettings } from './installerConfig.ts';
import {
  type ConfigParts,
  formatParentConfig,
  isEmptyConfig,
  type NamedFile,
  type PlacedFile,
} from './parentConfig.ts';

/** Everything has been read and checked on its own; lists are in the order of the options. */
export interface Customization {
  /** Ignition configs for the installed system, as documents. */
  readonly destIgnition: readonly Uint8Array[];
  readonly destDevice?: string | undefined;
  /** As `parseConsole` gives them. */
  readonly destConsoles: readonly string[];
  readonly destKargs: { readonly append: readonly string[]; readonly delete: readonly string[] };
  /** Connections of NetworkManager. */
  readonly keyfiles: readonly NamedFile[];
  /** Certificates as PEM. */
  readonly authorities: readonly Uint8Array[];
  readonly preInstall: readonly NamedFile[];
  readonly postInstall: readonly NamedFile[];
  readonly installerConfigs: readonly (NamedFile & { readonly setsDevice: boolean })[];
  /** Ignition configs for the live system, as documents. */
  readonly liveIgnition: readonly Uint8Array[];
}

/** What an image has to support for a customisation. */
export interface Needs {
  readonly console: boolean;
  readonly network: boolean;
  readonly installerConfig: boolean;
}

const INSTALLER_FOLDER = '/etc/coreos/installer.d';
const DEST_CONFIG = '/etc/coreos/dest.ign';
const SECRET = 0o600;

/** @throws CliError for the first need that the image does not meet */
export function refuseUnsupported(needs: Needs, features: LiveFeatures): void {
  const { installerConfig, installerDirectives } = features;
  if (needs.console && !installerDirectives.has('console')) throw unsupported('the destination console');
  if (needs.network) requireNetworkFeature(features);
  if (needs.installerConfig && !installerConfig) throw unsupported('installer configuration');
}

function unsupported(what: string): CliError {
  return new CliError(`This OS image does not support customizing ${what}.`, {
    code: 'ERR_IMAGE',
    hint: 'use a newer release of the image, or leave out the options for it',
  });
}

/**
 * The files of the archive by path. Where nothing is for Ignition there is no config: the live system logs nobody in
 * where it finds one, even an empty one.
 * @throws CliError where two files have one name
 */
export function renderCustomization(customization: Customization): Map<string, Uint8Array> {
  const files = networkFiles(customization.keyfiles);
  const live = liveConfig(customization);
  return isEmptyConfig(live) ? files : files.set(CONFIG_NAME, formatParentConfig(live));
}

/** What the installer will do on its own; undefined where it does not run. */
export function installNotice(customization: Customization): string | undefined {
  if (!runsInstaller(customization)) return undefined;
  const { destDevice } = customization;
  return destDevice === undefined
    ? 'Boot media will automatically run installer.'
    : `Boot media will automatically install to ${destDevice} without confirmation.`;
}

/** Whether the installer will run and end at once, since neither a setting nor a script can tell it the disk. */
export function lacksDevice(customization: Customization): boolean {
  const { destDevice, installerConfigs, liveIgnition, preInstall } = customization;
  if (!runsInstaller(customization) || destDevice !== undefined) return false;
  if (preInstall.length > 0 || liveIgnition.length > 0) return false;
  return !installerConfigs.some(({ setsDevice }) => setsDevice);
}

function networkFiles(keyfiles: readonly NamedFile[]): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (const { name, content } of keyfiles) {
    const path = `${NETWORK_FOLDER}/${name}`;
    if (files.has(path)) {
      throw new CliError(`config already specifies keyfile ${name}`, {
        code: 'ERR_SETTING',
        hint: 'give it once, or rename it',
      });
    }
    files.set(path, content);
  }
  return files;
}

function liveConfig(customization: Customization): ConfigParts {
  const hooks = [
    ...customization.preInstall.map((script) => renderHook('pre', script)),
    ...customization.postInstall.map((script) => renderHook('post', script)),
  ];
  return {
    authorities: customization.authorities,
    files: [...hooks.map(({ file }) => file), ...installerFiles(customization)],
    units: hooks.map(({ unit }) => unit),
    children: customization.liveIgnition,
  };
}

/** Our own settings have the last number, so that they win. */
function installerFiles(customization: Customization): PlacedFile[] {
  const { installerConfigs } = customization;
  const dest = destConfig(customization);
  const settings = runsInstaller(customization) ? installerSettings(customization) : {};
  const given = installerConfigs.map(({ name, content }, index) => installerFile(index, name, content));
  if (dest !== undefined) given.push({ path: DEST_CONFIG, mode: SECRET, content: dest });
  if (!hasSettings(settings)) return given;
  const content = Buffer.from(formatInstallerConfig(settings));
  return [...given, installerFile(installerConfigs.length, 'customize.yaml', content)];
}

function installerFile(index: number, name: string, content: Uint8Array): PlacedFile {
  return { path: `${INSTALLER_FOLDER}/${String(index).padStart(4, '0')}-${name}`, mode: SECRET, content };
}

/** A single config needs no parent, unless certificates come with it. */
function destConfig({ destIgnition, authorities }: Customization): Uint8Array | undefined {
  const [first, ...others] = destIgnition;
  if (first === undefined || (others.length === 0 && authorities.length === 0)) return first;
  return formatParentConfig({ authorities, files: [], units: [], children: destIgnition });
}

function runsInstaller(customization: Customization): boolean {
  const { destConsoles, destDevice, destIgnition, destKargs, installerConfigs } = customization;
  const lists = [destConsoles, destIgnition, destKargs.append, destKargs.delete, installerConfigs];
  return destDevice !== undefined || lists.some((list) => list.length > 0);
}

function installerSettings(customization: Customization): InstallerSettings {
  const { destConsoles, destDevice, destIgnition, destKargs, keyfiles } = customization;
  return {
    ...(destIgnition.length > 0 && { 'ignition-file': DEST_CONFIG }),
    ...(destConsoles.length > 0 && { console: destConsoles }),
    ...(destKargs.append.length > 0 && { 'append-karg': destKargs.append }),
    ...(destKargs.delete.length > 0 && { 'delete-karg': destKargs.delete }),
    ...(keyfiles.length > 0 && { 'copy-network': true }),
    ...(destDevice !== undefined && { 'dest-device': destDevice }),
  };
}

function hasSettings(settings: InstallerSettings): boolean {
  return Object.keys(settings).length > 0;
}

type HookKind = 'pre' | 'post';

/** Where a kind of scripts stands among the units of the installer. A unit that fails keeps `requiredBy` from starting. */
const places = {
  pre: {
    title: 'Pre',
    after: 'coreos-installer-pre.target',
    before: 'coreos-installer.service',
    requiredBy: 'coreos-installer.service',
  },
  post: {
    title: 'Post',
    after: 'coreos-installer.service',
    before: 'coreos-installer.target',
    requiredBy: 'coreos-installer.target',
  },
};

/** Anything else in a name would be no unit's name, an instance of a template, or something to expand in `ExecStart`. */
const UNSAFE = /[^A-Za-z0-9:_.-]/gu;

/** Scripts of one kind run in no particular order. */
function renderHook(kind: HookKind, script: NamedFile): { readonly file: PlacedFile; readonly unit: Unit } {
  const name = script.name.replaceAll(UNSAFE, '_');
  const path = `/usr/local/bin/${kind}-install-${name}`;
  const contents = fillTemplate(readAsset('templates/image/install-hook.service'), {
    ...places[kind],
    name,
    script: path,
  });
  return {
    file: { path, mode: 0o700, content: script.content },
    unit: { contents, enabled: true, name: `${kind}-install-${name}.service` },
  };
}

// A customisation of a live ISO. It takes the place of everything that was embedded, not only of an earlier one.

interface CustomizedIso {
  readonly change: ImageChange;
  readonly remarks: readonly KargsRemark[];
}

/** @throws CliError where an Ignition config, network settings or other kernel arguments are embedded */
export async function checkPristine(iso: LiveIso, existing: Existing): Promise<void> {
  if (existing === 'replace') return;
  const areas = await iso.kargsAreas();
  const hasKargs = areas !== undefined && areas.current !== areas.defaults.trim();
  if (!hasKargs && !isCustomized(await iso.embeddedFiles())) return;
  throw new CliError('This ISO image is already customized; use -f to force.', { code: 'ERR_IMAGE' });
}

/** Whether an archive has an Ignition config or network settings. */
function isCustomized(files: EmbedFiles): boolean {
  return [...files.keys()].some((path) => path === CONFIG_NAME || isNetworkPath(path));
}

/**
 * Kernel arguments are made from the image's defaults; without edits they stay.
 * @throws CliError where something does not fit, or the image reserves no place for kernel arguments
 */
export async function customizeIso(
  iso: LiveIso,
  files: EmbedFiles,
  edits: KargsEdits,
): Promise<CustomizedIso> {
  const hasEdits = [edits.append, edits.delete, edits.replace].some((list = []) => list.length > 0);
  if (!hasEdits) return { change: await iso.change({ files }), remarks: [] };
  const areas = await iso.kargsAreas();
  if (areas === undefined) {
    throw new CliError('This OS image does not support customizing live kernel arguments.', {
      code: 'ERR_IMAGE',
      hint: 'images before 2020-10 reserve no place for them: use a newer one',
    });
  }
  const { kargs, remarks } = editKargs(areas.defaults, edits);
  return { change: await iso.change({ files, kargs }), remarks };
}

/** Bytes of these files; real ones have some hundred. */
const MAX_KEPT = 16 * 1024 * 1024;

/**
 * What the live system can be told. All of the initramfs is read.
 * @throws FormatError for an initramfs of anything else, and for one that is customised; what the source throws
 */
export async function readLiveInitrd(initrd: ByteSource): Promise<LiveFeatures> {
  const marks = marksOf(await readInitrdFrom(initrd, { wants: isMark, maxKept: MAX_KEPT }));
  if (marks.stamp === undefined) {
    throw new FormatError('not a CoreOS live initramfs image', {
      hint: `it has no file ${LIVE_STAMP}: use the initramfs of a live PXE image of CoreOS`,
    });
  }
  if (marks.embedded.size > 0) {
    throw new FormatError('input is already customized', {
      hint: 'start from the initramfs as it was released',
    });
  }
  return readInitrdFeatures(marks);
}

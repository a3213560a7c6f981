/**
 * Creates the archive for the live system from the options of `iso customize` and `pxe customize`, and the change that embeds
 * it in an ISO. Paths and order are those of coreos-installer, because its services on the live system read the files.
 */

import { readAsset } from '../../core/assets.ts';
import type { Diagnostic } from '../../core/finding.ts';
import { CliError, FormatError } from '../../core/errors.ts';
import type { ByteSource } from '../../formats/byteReader.ts';
import type { Mapping } from '../../formats/mapping.ts';
import { fillTemplate } from '../../formats/template.ts';
import { formatYaml } from '../../formats/yamlText.ts';
import type { Unit } from '../../ignition/config.ts';
import type { AddedFile } from '../../ignition/dataFile.ts';
import type { EmbedFiles } from '../embedArea.ts';
import { CONFIG_NAME, type Existing } from '../embeddedIgnition.ts';
import type { ImageChange } from '../imageChange.ts';
import { editKargs, type KargsEdits, remarkGrub } from '../kargsEdit.ts';
import type { LiveFeatures } from '../liveFeatures.ts';
import type { LiveIso } from '../liveIso.ts';
import { type NetworkFile, networkMembers } from '../networkSettings.ts';
import { isEmbedded, LIVE_STAMP, readInitrdFeatures, readRamdiskSystem } from '../ramdiskSystem.ts';
import type { InstallerDevice } from './installerConfig.ts';
import { formatParentConfig, isEmptyConfig, refuseDuplicates } from './parentConfig.ts';

/** A file of the user, with the last part of its path. */
export type NamedFile = NetworkFile;

/** All files are read, and each is checked; lists are in the order of the options. */
export interface Customization {
  /** Ignition configs for the installed system, as documents. */
  readonly destIgnition: readonly Uint8Array[];
  readonly destDevice?: string | undefined;
  /** As returned by `parseConsole`. */
  readonly destConsoles: readonly string[];
  readonly destKargs: { readonly append: readonly string[]; readonly delete: readonly string[] };
  /** NetworkManager keyfiles. */
  readonly keyfiles: readonly NetworkFile[];
  /** Certificates as PEM. */
  readonly authorities: readonly Uint8Array[];
  readonly preInstall: readonly NamedFile[];
  readonly postInstall: readonly NamedFile[];
  readonly installerConfigs: readonly (NamedFile & { readonly sets: InstallerDevice | undefined })[];
  /** Ignition configs for the live system, as documents. */
  readonly liveIgnition: readonly Uint8Array[];
}

const INSTALLER_FOLDER = '/etc/coreos/installer.d';
const DEST_CONFIG = '/etc/coreos/dest.ign';
const SECRET = 0o600;

/**
 * Returns the files of the archive by path. Without contents for Ignition, no config is created, because the live system
 * disables automatic login if a config exists, even if it is empty.
 * @throws CliError if two files have the same name
 */
export function renderCustomization(customization: Customization): Map<string, Uint8Array> {
  const names = customization.keyfiles.map(({ name }) => name);
  refuseDuplicates('keyfile', names);
  const files = networkMembers(customization.keyfiles);
  const hooks = [
    ...customization.preInstall.map((script) => renderHook('pre', script)),
    ...customization.postInstall.map((script) => renderHook('post', script)),
  ];
  const live = {
    authorities: customization.authorities,
    files: [...hooks.map(({ file }) => file), ...installerFiles(customization)],
    units: hooks.map(({ unit }) => unit),
    children: customization.liveIgnition,
  };
  return isEmptyConfig(live) ? files : files.set(CONFIG_NAME, formatParentConfig(live));
}

/** Message about the automatic installation; undefined if the installer does not run. */
export function installNotice(customization: Customization): string | undefined {
  if (!runsInstaller(customization)) return undefined;
  const { destDevice } = customization;
  return destDevice === undefined
    ? 'Boot media will automatically run installer.'
    : `Boot media will automatically install to ${destDevice} without confirmation.`;
}

/** Whether the installer runs without a disk: neither a setting nor a script can set it. */
export function lacksDevice(customization: Customization): boolean {
  const { destDevice, installerConfigs, liveIgnition, preInstall } = customization;
  if (!runsInstaller(customization) || destDevice !== undefined) return false;
  if (preInstall.length > 0 || liveIgnition.length > 0) return false;
  return installerConfigs.every(({ sets }) => sets === undefined);
}

/** The settings of the options have the last number, so that they override the files. */
function installerFiles(customization: Customization): AddedFile[] {
  const { installerConfigs } = customization;
  // A single config needs a parent config only for CA certificates.
  const [first, ...others] = customization.destIgnition;
  const dest =
    first === undefined || (others.length === 0 && customization.authorities.length === 0)
      ? first
      : formatParentConfig({
          authorities: customization.authorities,
          files: [],
          units: [],
          children: customization.destIgnition,
        });
  const settings = runsInstaller(customization) ? installerSettings(customization) : {};
  const given = installerConfigs.map(({ name, data }, index) => installerFile(index, name, data));
  if (dest !== undefined) given.push({ path: DEST_CONFIG, mode: SECRET, content: dest });
  if (Object.keys(settings).length === 0) return given;
  const content = Buffer.from(formatYaml([settings]));
  return [...given, installerFile(installerConfigs.length, 'customize.yaml', content)];
}

function installerFile(index: number, name: string, content: Uint8Array): AddedFile {
  return { path: `${INSTALLER_FOLDER}/${String(index).padStart(4, '0')}-${name}`, mode: SECRET, content };
}

function runsInstaller(customization: Customization): boolean {
  const { destConsoles, destDevice, destIgnition, destKargs, installerConfigs } = customization;
  const lists = [destConsoles, destIgnition, destKargs.append, destKargs.delete, installerConfigs];
  return destDevice !== undefined || lists.some((list) => list.length > 0);
}

/** In the order of coreos-installer. */
function installerSettings(customization: Customization): Mapping {
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

type HookKind = 'pre' | 'post';

/** The order of the scripts among the units of the installer. If a script fails, the `before` unit does not start. */
const places = {
  pre: {
    title: 'Pre',
    after: 'coreos-installer-pre.target',
    before: 'coreos-installer.service',
  },
  post: {
    title: 'Post',
    after: 'coreos-installer.service',
    before: 'coreos-installer.target',
  },
};

/** Other characters are invalid in unit names, create template instances, or are expanded in `ExecStart`. */
const UNSAFE = /[^A-Za-z0-9:_.-]/gu;

/** Scripts of the same kind run in any order. */
function renderHook(kind: HookKind, script: NamedFile): { readonly file: AddedFile; readonly unit: Unit } {
  const name = script.name.replaceAll(UNSAFE, '_');
  const path = `/usr/local/bin/${kind}-install-${name}`;
  const contents = fillTemplate(readAsset('templates/image/install-hook.service'), {
    ...places[kind],
    name,
    script: path,
  });
  return {
    file: { path, mode: 0o700, content: script.data },
    unit: { contents, enabled: true, name: `${kind}-install-${name}.service` },
  };
}

/** @throws CliError if the image contains a config or network settings, or its kernel arguments are changed */
export async function checkPristine(iso: LiveIso, existing: Existing): Promise<void> {
  if (existing === 'replace') return;
  const areas = await iso.kargsAreas();
  const hasKargs = areas !== undefined && areas.current !== areas.defaults;
  if (!hasKargs && ![...(await iso.embeddedFiles()).keys()].some(isEmbedded)) return;
  throw new CliError('This ISO image is already customized; use -f to force.', { code: 'ERR_IMAGE' });
}

/**
 * Replaces all embedded files. Edits apply to the default kernel arguments; without edits, the arguments are kept.
 * @throws CliError if the contents do not fit, or the image reserves no area for kernel arguments
 */
export async function customizeIso(
  iso: LiveIso,
  files: EmbedFiles,
  edits: KargsEdits,
): Promise<{ readonly change: ImageChange; readonly remarks: readonly Diagnostic[] }> {
  const hasEdits = [edits.append, edits.delete, edits.replace].some((list = []) => list.length > 0);
  const areas = await iso.kargsAreas();
  if (!hasEdits) return { change: await iso.change({ files }), remarks: [] };
  if (areas === undefined) {
    throw new CliError('This OS image does not support customizing live kernel arguments.', {
      code: 'ERR_IMAGE',
      hint: 'use an image of 2020-10 or later; older images reserve no area for kernel arguments',
    });
  }
  const { kargs, remarks } = editKargs(areas.defaults, edits);
  const change = await iso.change({ files, kargs });
  return { change, remarks: [...remarks, ...remarkGrub(areas, kargs)] };
}

/**
 * Reads the whole initramfs: the version of its build, and its features.
 * @throws FormatError if the initramfs is not of CoreOS, or is already customized; errors of the source
 */
export async function readLiveInitrd(
  initrd: ByteSource,
): Promise<{ readonly build: string; readonly features: LiveFeatures }> {
  const system = await readRamdiskSystem(initrd);
  const { build, embedded } = system;
  if (build === undefined) {
    throw new FormatError('not a CoreOS live initramfs image', {
      hint: `use the initramfs of a live PXE image of CoreOS, which contains ${LIVE_STAMP}`,
    });
  }
  if (embedded.size > 0)
    throw new FormatError('input is already customized', { hint: 'use the released initramfs' });
  return { build, features: readInitrdFeatures(system) };
}

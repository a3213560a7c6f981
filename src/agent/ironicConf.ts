/**
 * Checks what an ironic.conf, the configuration of Ironic's conductor, says of the ramdisk: its kernel arguments, and its images.
 * Ironic itself reports mistakes in its other options when it starts. Values of arguments are not shown: they may be secret.
 */

import { basename } from 'node:path/posix';
import { DEFAULT_FOLDERS, refuseFile } from '../core/conductorFiles.ts';
import type { Finding } from '../core/finding.ts';
import { found, lintError, lintNote, lintWarning } from '../core/rule.ts';
import type { OsloDocument, OsloOption } from '../formats/osloConfig.ts';
import { parseArgument, splitArguments } from '../kargs/argument.ts';
import { type NamedBootFile, checkBootFiles } from '../kargs/bootFileNames.ts';
import { bootRules, checkBoot } from '../kargs/checkBoot.ts';
import { coreosArguments, liveArguments } from '../kargs/coreosArguments.ts';
import { ironicConf } from '../kargs/loaders/ironic.ts';

const FIRST_BOOT = liveArguments({})
  .map(({ text }) => text)
  .join(' ');

export const conductorRules = {
  firstBoot: lintError(
    'conductor-first-boot',
    'the kernel arguments are for CoreOS, but Ignition does not run without ignition.firstboot and ignition.platform.id',
    `add ${FIRST_BOOT}`,
  ),
  otherSection: lintWarning(
    'conductor-other-section',
    'only one of the sections [pxe] and [redfish] has the kernel arguments of CoreOS',
    'set kernel_append_params in both sections',
  ),
  otherSystem: lintNote(
    'conductor-other-system',
    'no kernel argument in this file is for CoreOS',
    `for CoreOS, add ${coreosArguments.rootfsUrl.name}=URL ${FIRST_BOOT}; other ramdisks do not need them`,
  ),
  imageMissing: lintError(
    'conductor-image-missing',
    'Ironic boots the ramdisk only if both its kernel and its initramfs are set',
    'set deploy_kernel and deploy_ramdisk in [conductor]',
  ),
  filePath: lintError(
    'conductor-file-path',
    'Ironic refuses files outside of file_url_allowed_paths',
    'allow the folder of the file',
  ),
};

/** Kernel arguments in `[pxe]`, `[redfish]` and the sections of other drivers; older releases have the other names. */
const ARGUMENTS = /^(?:kernel_append_params|pxe_append_params|extra_kernel_params)$/;

/** Options and sections that the agent does not have. */
const OPTION = /^(?:enabled_\w+_interfaces|enabled_hardware_types|default_\w+_interface)$/;
const SECTION = /^(?:auto_discovery|conductor|deploy|dhcp|inspector|ipmi|json_rpc|pxe|redfish)$/;

export function isIronicConf(file: string, { entries }: OsloDocument): boolean {
  return (
    basename(file) === 'ironic.conf' ||
    entries.some((entry) => {
      if (entry.kind === 'remark') return false;
      if (entry.kind === 'section') return SECTION.test(entry.name);
      return ARGUMENTS.test(entry.name) || OPTION.test(entry.name);
    })
  );
}

export function checkConductor({ entries }: OsloDocument): readonly Finding[] {
  // oslo.config uses the last line of each option.
  const options = new Map<string, OsloOption>();
  for (const entry of entries) {
    if (entry.kind === 'option') options.set(`${entry.section}.${entry.name}`, entry);
  }
  return [
    ...[...options.values()].filter(({ name }) => ARGUMENTS.test(name)).flatMap(checkLine),
    ...checkSections(options),
    ...['deploy', 'rescue'].flatMap((mode) => checkImages(mode, options)),
  ];
}

type Options = ReadonlyMap<string, OsloOption>;

function at(
  problem: Pick<Finding, 'hint' | 'message' | 'rule' | 'severity'>,
  { name, position, section, valuePosition }: OsloOption,
): Finding {
  return { ...problem, path: [section, name], position: valuePosition ?? position };
}

/** The arguments, without those with `$name`, which is the value of another option. */
function argumentsOf({ value }: OsloOption): readonly string[] {
  return splitArguments(value)
    .filter((text) => !text.replaceAll('$$', '').includes('$'))
    .map((text) => text.replaceAll('$$', '$'));
}

function isForCoreos(option: OsloOption): boolean {
  return argumentsOf(option).some((text) => /^(?:coreos|ignition)\./.test(text));
}

function checkLine(option: OsloOption): Finding[] {
  const texts = argumentsOf(option);
  const names = new Set(texts.map((text) => parseArgument(text).name));
  const settings = {
    system: isForCoreos(option) ? 'coreos' : 'other',
    // The config may be in the initramfs, whose URL is a setting of each node.
    embedded: !names.has(coreosArguments.configUrl.name),
    ip: [],
    consoles: [],
    ipaParameters: [],
    extraArguments: texts,
  } as const;
  const missing = liveArguments({}).flatMap(({ name, text }) => (names.has(name) ? [] : text));
  const { firstBoot } = conductorRules;
  return [
    ...found(
      settings.system === 'coreos' &&
        missing.length > 0 &&
        at({ ...firstBoot, hint: `add ${missing.join(' ')} to ${option.name}` }, option),
    ),
    ...checkBoot(settings, ironicConf).map((finding) => {
      const [, index = -1] = finding.path;
      const text = texts[Number(index)];
      const message =
        text === undefined ? finding.message : `${parseArgument(text).name}: ${finding.message}`;
      // The hint for the settings of a command names its option.
      const hint =
        finding.rule === bootRules['rootfs-url-missing'].rule
          ? `add ${coreosArguments.rootfsUrl.name}=URL`
          : finding.hint;
      return at({ ...finding, message, hint }, option);
    }),
  ];
}

/** Network boots have the arguments of [pxe], and virtual media those of [redfish]. An ISO that a node names has its own. */
function checkSections(options: Options): readonly Finding[] {
  const network = options.get('pxe.kernel_append_params') ?? options.get('pxe.pxe_append_params');
  const media = options.get('redfish.kernel_append_params');
  const enabled = options.get('DEFAULT.enabled_boot_interfaces')?.value ?? '';
  const boots = [
    { section: 'pxe', option: network, isUsed: network !== undefined || /pxe/.test(enabled) },
    { section: 'redfish', option: media, isUsed: media !== undefined || /virtual-media/.test(enabled) },
  ] as const;
  const coreos = boots.find(({ option }) => option !== undefined && isForCoreos(option))?.option;
  const other = boots.find(({ isUsed, option }) => isUsed && (option === undefined || !isForCoreos(option)));
  const first = network ?? media;
  if (coreos === undefined) return first === undefined ? [] : [at(conductorRules.otherSystem, first)];
  if (other === undefined) return [];
  const what = other.section === 'pxe' ? 'over the network' : 'from virtual media';
  return [
    at(
      {
        ...conductorRules.otherSection,
        message: `the kernel arguments of CoreOS are only in [${coreos.section}]: ramdisks that nodes boot ${what} do not start CoreOS`,
        hint: `set kernel_append_params in [${other.section}] to the value of [${coreos.section}], unless these nodes boot an ISO or another ramdisk`,
      },
      other.option ?? coreos,
    ),
  ];
}

/** @param mode the prefix of the options: `deploy` or `rescue` */
function checkImages(mode: string, options: Options): readonly Finding[] {
  const uses = [
    { use: 'kernel', name: `${mode}_kernel` },
    { use: 'initramfs', name: `${mode}_ramdisk` },
  ] as const;
  const folders = options.get('conductor.file_url_allowed_paths')?.value.split(',');
  const allowed = folders?.map((folder) => folder.trim()) ?? DEFAULT_FOLDERS;
  return ['', '_by_arch'].flatMap((ending) => {
    const images = uses.map(({ name, use }) => {
      const option = options.get(`conductor.${name}${ending}`);
      const urls = ending === '' ? [['', option?.value.trim() ?? ''] as const] : readByArch(option?.value);
      return { use, name: `${name}${ending}`, option, urls: new Map(urls.filter(([, url]) => url !== '')) };
    });
    const machines = new Set(images.flatMap(({ urls }) => [...urls.keys()]));
    return [...machines].flatMap((machine) => {
      const given = images.flatMap(({ option, urls, use }) => {
        const url = urls.get(machine);
        return url === undefined || option === undefined ? [] : [{ use, url, option }];
      });
      const [first] = given;
      const missing = images.find(({ urls }) => !urls.has(machine));
      if (first === undefined) return [];
      const files: NamedBootFile[] = given.map(({ url, use }, index) => ({ use, url, path: [index] }));
      return [
        ...found(
          missing !== undefined &&
            at(
              {
                ...conductorRules.imageMissing,
                message: `${first.option.name} is set${machine && ` for ${machine}`}, but not ${missing.name}: Ironic boots the ramdisk only with both`,
                hint: `add to [conductor]: ${missing.name} = ${machine && `${machine}:`}URL of the ${missing.use}`,
              },
              first.option,
            ),
          given.map(({ option, url }) => checkFile(url, allowed, option)),
        ),
        ...checkBootFiles(files).map((finding) =>
          at(finding, given[Number(finding.path[0])]?.option ?? first.option),
        ),
      ];
    });
  });
}

/** `x86_64:http://192.0.2.1/a,aarch64:http://192.0.2.1/b`, as oslo.config reads a dictionary. */
function readByArch(value = ''): (readonly [machine: string, url: string])[] {
  return value.split(',').map((item) => {
    const colon = item.indexOf(':');
    return [item.slice(0, Math.max(0, colon)).trim(), item.slice(colon + 1).trim()] as const;
  });
}

function checkFile(url: string, allowed: readonly string[], option: OsloOption): Finding | undefined {
  const refused = refuseFile(url, allowed);
  if (refused === undefined) return undefined;
  const { hint, message } = refused;
  return at({ ...conductorRules.filePath, message: `${option.name}: ${message}`, hint }, option);
}

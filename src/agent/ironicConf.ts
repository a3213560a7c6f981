/**
 * Checks what an ironic.conf, the configuration of Ironic's conductor, says of the ramdisk: its kernel arguments, and its images.
 * Ironic itself reports mistakes in its other options when it starts. Values of arguments are not shown: they may be secret.
 */

import { basename } from 'node:path/posix';
import { refuseFile } from '../core/conductorFiles.ts';
import type { Finding, Path } from '../core/finding.ts';
import { groupBy } from '../core/lists.ts';
import { issue, lintError, lintNote, lintWarning } from '../core/rule.ts';
import { cutText } from '../formats/goText.ts';
import type { OsloDocument, OsloOption } from '../formats/osloConfig.ts';
import { parseArgument, splitArguments } from '../kargs/argument.ts';
import { checkBootFiles } from '../kargs/bootFileNames.ts';
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
  const isKnown = entries.some((entry) => {
    if (entry.kind === 'section') return SECTION.test(entry.name);
    return entry.kind === 'option' && (ARGUMENTS.test(entry.name) || OPTION.test(entry.name));
  });
  return isKnown || basename(file) === 'ironic.conf';
}

export function checkConductor({ entries }: OsloDocument): readonly Finding[] {
  // oslo.config uses the last line of each option.
  const options = new Map<string, OsloOption>();
  for (const entry of entries) {
    if (entry.kind === 'option') options.set(`${entry.section}.${entry.name}`, entry);
  }
  const findings = [
    ...[...options.values()].filter(({ name }) => ARGUMENTS.test(name)).flatMap(checkLine),
    ...checkSections(options),
    ...(['deploy', 'rescue'] as const).flatMap((start) =>
      (['', '_by_arch'] as const).flatMap((end) => checkImages(start, end, options)),
    ),
  ];
  return findings.map((finding) => {
    const { position, valuePosition = position } = options.get(finding.path.join('.')) ?? {};
    return { ...finding, position: valuePosition };
  });
}

type Options = ReadonlyMap<string, OsloOption>;

function pathOf({ name, section }: OsloOption): Path {
  return [section, name];
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
  const hint = `add ${missing.join(' ')} to ${option.name}`;
  return [
    ...(settings.system === 'coreos' && missing.length > 0
      ? [issue(conductorRules.firstBoot, pathOf(option), hint)]
      : []),
    ...checkBoot(settings, ironicConf).map((finding) => {
      const text = texts[Number(finding.path[1] ?? -1)];
      const subject = text === undefined ? '' : `${parseArgument(text).name}: `;
      // The hint for the settings of a command names its option.
      const isRootfs = finding.rule === bootRules['rootfs-url-missing'].rule;
      return {
        ...finding,
        path: pathOf(option),
        message: `${subject}${finding.message}`,
        ...(isRootfs && { hint: `add ${coreosArguments.rootfsUrl.name}=URL` }),
      };
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
  if (coreos === undefined)
    return first === undefined ? [] : [issue(conductorRules.otherSystem, pathOf(first))];
  if (other === undefined) return [];
  const hint = `set kernel_append_params in [${other.section}] to the value of [${coreos.section}], unless its nodes boot an ISO or another ramdisk`;
  return [issue(conductorRules.otherSection, pathOf(other.option ?? coreos), hint)];
}

const imageOptions = [
  { use: 'kernel', name: 'kernel' },
  { use: 'initramfs', name: 'ramdisk' },
] as const;

/** @param end of the names of the options, which have one URL, or one for each architecture */
function checkImages(start: 'deploy' | 'rescue', end: '' | '_by_arch', options: Options): readonly Finding[] {
  const folders = options.get('conductor.file_url_allowed_paths')?.value.split(',');
  const allowed = folders?.map((folder) => folder.trim());
  const images = imageOptions.flatMap(({ name, use }) => {
    const option = options.get(`conductor.${start}_${name}${end}`);
    if (option === undefined) return [];
    // `x86_64:http://192.0.2.1/a,aarch64:http://192.0.2.1/b`, as oslo.config reads a dictionary.
    const items = end === '' ? [`:${option.value}`] : option.value.split(',');
    return items.flatMap((item) => {
      const [machine = '', url = ''] = cutText(item, ':').map((text) => text.trim());
      return url === '' ? [] : [{ machine, url, option, use, path: pathOf(option) }];
    });
  });
  return [...groupBy(images, ({ machine }) => machine)].flatMap(([machine, files]) => {
    const missing = imageOptions.find(({ use }) => !files.some((file) => file.use === use));
    const name = `${start}_${missing?.name}${end}`;
    const incomplete = files.slice(0, missing === undefined ? 0 : 1).map(({ option, path }) => ({
      ...conductorRules.imageMissing,
      path,
      message: `${option.name} is set${machine && ` for ${machine}`}, but not ${name}: Ironic boots the ramdisk only with both`,
      hint: `add to [conductor]: ${name} = ${machine && `${machine}:`}URL of the ${missing?.use}`,
    }));
    const refused = files.flatMap(({ option, path, url }) => {
      const { hint, message } = refuseFile(url, allowed) ?? {};
      return message === undefined
        ? []
        : [{ ...conductorRules.filePath, path, message: `${option.name}: ${message}`, hint }];
    });
    return [...incomplete, ...refused, ...checkBootFiles(files)];
  });
}

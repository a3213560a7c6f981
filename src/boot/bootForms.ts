/** The forms in which kernel arguments are written, by name, and the checks of settings for them. */

import { readAsset } from '../assets.ts';
import type { Architecture } from '../core/architecture.ts';
import type { Finding } from '../core/finding.ts';
import { quoteOsloValue } from '../formats/osloConfig.ts';
import { fillTemplate } from '../formats/template.ts';
import { errorRule, findingOf, type Issue, warningRule } from '../ignition/rule.ts';
import { checkConsole, checkIp } from './argumentValues.ts';
import { type BootForm, checkReserved, checkTexts } from './bootForm.ts';
import { grub, ipxe, ipxeExpansion, pxelinux } from './bootScripts.ts';
import { argumentName, argumentValue, type BootSettings, type KernelArgument } from './bootSettings.ts';
import { checkIpaArgument } from './ipaParameter.ts';
import { checkProxyArguments, checkSetenv, kernelArguments, placedArguments } from './kernelArguments.ts';
import { checkUrl, isPlainText, urlPlaintext } from './urlArgument.ts';

/**
 * The options of ironic.conf that give kernel arguments to the ramdisk. Ironic writes them unquoted into its iPXE, GRUB
 * and PXELINUX files, so what any of these would change is named here already.
 */
const ironicName = errorRule(
  'ironic-argument-name',
  'Ironic accepts only letters, digits, dots, dashes and underscores in the name of an argument',
  'leave this argument out of ironic.conf',
);
const ironicGrub = warningRule(
  'ironic-grub',
  'Ironic writes this argument unquoted into grub.cfg, where its special characters cut or change it',
  'percent-encode them in a URL, or boot these machines by iPXE',
);

const ironic: BootForm = {
  check: (_settings, placed) => [
    ...checkReserved(placed, ['initrd', 'BOOTIF']),
    ...checkTexts(ironicName, placed, (text) => !/^[A-Za-z0-9_.-]+$/.test(argumentName(text))),
    ...checkTexts(ipxeExpansion, placed, (text) => text.includes('${')),
    ...checkTexts(ironicGrub, placed, (text) => !text.includes('${') && /[$'\\;&|<>{}]/.test(text)),
  ],
  // What Ironic's templates and Ironic itself add, of usual length; the URL of the API is not known here.
  added: () => [
    'selinux=0 troubleshoot=0 text BOOTIF=00:00:00:00:00:00 initrd=deploy_ramdisk ipa-debug=1',
    `ipa-global-request-id=req-${'0'.repeat(36)}`,
  ],
  render: (settings) =>
    fillTemplate(readAsset('templates/boot/ironic.conf'), {
      arguments: quoteOsloValue(kernelArguments(settings).join(' ')),
    }),
};

/**
 * The arguments on one line, and the same as JSON: for pasting into, or being read by, whatever boots the machine.
 */
const plain: BootForm = {
  check: (_settings, placed) => checkReserved(placed, ['initrd']),
  added: () => [],
  render: (settings) => `${kernelArguments(settings).join(' ')}\n`,
};

/** `arguments` as a list, `commandLine` as one string, and the URLs of kernel and initramfs where they are known. */
const json: BootForm = {
  ...plain,
  render: (settings) => {
    const list = kernelArguments(settings);
    const { kernelUrl, initramfsUrl } = settings;
    return `${JSON.stringify({ kernelUrl, initramfsUrl, arguments: list, commandLine: list.join(' ') }, null, 2)}\n`;
  },
};

export const bootForms = { plain, ironic, ipxe, grub, pxelinux, json } satisfies Record<string, BootForm>;

export type BootFormName = keyof typeof bootForms;

export const bootFormNames = [
  'plain',
  'ironic',
  'ipxe',
  'grub',
  'pxelinux',
  'json',
] as const satisfies BootFormName[];

/** Everything that is wrong or doubtful about `settings` written as `form`. Paths lead into the settings. */
export function checkBoot(settings: BootSettings, form: BootForm): readonly Finding[] {
  return checkForms(settings, [form], 'x86_64').map(findingOf);
}

// The check of kernel arguments by themselves, for the loaders that they are written for, and for the kernel.

const commandLineLength = errorRule(
  'command-line-length',
  'the kernel command line is too long',
  'shorten the URLs, or move ipa parameters into the configuration file of the agent',
);

/**
 * COMMAND_LINE_SIZE of each kernel, less the final NUL. The kernel drops the rest without a word. On s390x newer
 * kernels take more, but the boot loaders of CoreOS reserve no more than that.
 */
const longestCommandLine: Readonly<Record<Architecture, number>> = {
  x86_64: 2047,
  aarch64: 2047,
  ppc64le: 2047,
  s390x: 895,
};

/**
 * Everything that is wrong or doubtful about `settings` written in each of `forms`. Paths lead into the settings. Of
 * the forms, the one with the longest command line counts for its limit.
 */
export function checkForms(
  settings: BootSettings,
  forms: readonly Pick<BootForm, 'check' | 'added'>[],
  architecture: Architecture,
): readonly Issue[] {
  const placed = placedArguments(settings);
  const wellFormed = placed.filter(({ text }) => isWellFormed(text));
  const lengths = forms.map((form) => lengthOf(placed, form.added(settings)));
  return [
    ...checkArguments(settings, placed),
    ...forms.flatMap((form) => form.check(settings, wellFormed)),
    ...checkLength(Math.max(0, ...lengths), longestCommandLine[architecture]),
  ];
}

function lengthOf(placed: readonly KernelArgument[], added: readonly string[]): number {
  return Buffer.byteLength([...placed.map(({ text }) => text), ...added].join(' '));
}

function checkLength(length: number, longest: number): readonly Issue[] {
  if (length <= longest) return [];
  const message = `the kernel command line is too long: ${length} > ${longest} bytes`;
  return [{ rule: commandLineLength, path: [], message }];
}

const argumentCharacters = errorRule(
  'argument-characters',
  'the kernel splits or changes an argument with white space, double quotes or other than printable ASCII',
  'give each argument by itself, and percent-encode other characters of a URL',
);
const argumentEmpty = errorRule('argument-empty', 'the argument has no name', 'write NAME or NAME=VALUE');
const argumentConflict = errorRule(
  'argument-conflict',
  'the argument is there already with another value, and only the last one counts',
  'keep one of the two',
);
const argumentRepeated = warningRule(
  'argument-repeated',
  'the argument is there more than once, with different values; of most arguments only the last one counts',
  'keep one of them, unless this argument may repeat',
);
const argumentLiveIso = errorRule(
  'argument-liveiso',
  'coreos.liveiso= makes the machine look for the live ISO instead of the root filesystem from the network',
  'leave it out: it belongs into live ISOs only',
);
const argumentInstalls = warningRule(
  'argument-installs',
  'coreos.inst arguments make the ramdisk install CoreOS by itself, beside the agent',
  'leave them out: Ironic decides what is written to the disk',
);
const ignitionTwice = errorRule(
  'ignition-twice',
  'the initramfs carries the Ignition config, and ignition.config.url names another one',
  'use one of the two',
);
const ignitionMissing = warningRule(
  'ignition-missing',
  'no Ignition config is named: the agent starts only if the initramfs carries one',
  'give --ignition-url, or confirm with --embedded',
);
const rootfsMissing = warningRule(
  'rootfs-missing',
  'no root filesystem is named: the boot fails unless it is appended to the initramfs',
  'give --rootfs-url',
);

/** The programs that fetch these files: coreos-livepxe-rootfs.sh (curl) and Ignition. */
const rootfsSchemes = ['http', 'https', 'tftp'];
const ignitionSchemes = ['http', 'https', 'tftp', 's3', 'gs'];

/**
 * What is wrong with a set of kernel arguments, whatever loader passes them on. An argument is judged by its name, so
 * that one that is added by hand meets the same rules as one that is made from an option. Not checked: the hundreds of
 * arguments of the kernel and its drivers; they are passed on as they are.
 * Issues are in the order of the arguments; their paths lead into `settings`.
 */
function checkArguments(settings: BootSettings, placed: readonly KernelArgument[]): readonly Issue[] {
  return [
    ...placed.flatMap((argument) => at(argument, checkArgument(argument.text))),
    ...checkRepetitions(placed),
    ...checkPresence(settings, placed),
    ...checkProxyArguments(settings),
  ];
}

function at(argument: KernelArgument, issues: readonly Issue[]): readonly Issue[] {
  return issues.map((issue) => ({ ...issue, path: argument.path }));
}

function checkArgument(text: string): readonly Issue[] {
  if (!isPlainText(text)) return [{ rule: argumentCharacters, path: [] }];
  const name = argumentName(text);
  const value = argumentValue(text) ?? '';
  if (name === '') return [{ rule: argumentEmpty, path: [] }];
  if (name.startsWith('ipa-')) return checkIpaArgument(text);
  if (name.startsWith('coreos.inst.')) return [{ rule: argumentInstalls, path: [] }];
  switch (name) {
    case 'coreos.live.rootfs_url':
      return checkUrl(value, rootfsSchemes);
    case 'ignition.config.url':
      return [...checkUrl(value, ignitionSchemes), ...checkPrivacy(value)];
    case 'coreos.liveiso':
      return [{ rule: argumentLiveIso, path: [] }];
    case 'console':
      return checkConsole(value);
    case 'ip':
      return checkIp(value);
    case 'systemd.setenv':
      return checkSetenv(value);
    default:
      return [];
  }
}

/** Whether an argument can be one at all; if not, nothing else is said about it. */
function isWellFormed(text: string): boolean {
  return isPlainText(text) && argumentName(text) !== '';
}

function checkPrivacy(url: string): readonly Issue[] {
  return /^(?:http|tftp):/.test(url) ? [{ rule: urlPlaintext, path: [] }] : [];
}

function checkRepetitions(placed: readonly KernelArgument[]): readonly Issue[] {
  const first = new Map<string, string>();
  const issues: Issue[] = [];
  for (const { text, path } of placed) {
    const name = repeatedName(text);
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, text);
    else if (earlier !== text && !mayRepeat(name)) issues.push({ ...repetition(name), path });
  }
  return issues;
}

/** What may be there once: a variable of the environment goes by its own name. */
function repeatedName(text: string): string {
  const name = argumentName(text);
  return name === 'systemd.setenv' ? `${name}=${argumentName(argumentValue(text) ?? '')}` : name;
}

function repetition(name: string): Omit<Issue, 'path'> {
  const rule = isSingle(name) ? argumentConflict : argumentRepeated;
  return { rule, message: `${name}: ${rule.message}` };
}

/** Arguments of which dracut, Ignition, CoreOS and the agent take one: a second one is a contradiction. */
function isSingle(name: string): boolean {
  return /^(?:ipa-.*|ignition\..*|coreos\.live\..*|BOOTIF|boot_method|root|fips|selinux|enforcing|rd\.neednet|rd\.bootif)$/.test(
    name,
  );
}

/** Arguments that add up. */
function mayRepeat(name: string): boolean {
  return /^(?:console|earlycon|ip|nameserver|ifname|bond|bridge|team|vlan|rd\.route|rd\.znet|rd\.driver\..*|systemd\.(?:wants|mask)|module_blacklist|modprobe\.blacklist|pci|memmap|initcall_blacklist)$/.test(
    name,
  );
}

function checkPresence(settings: BootSettings, placed: readonly KernelArgument[]): readonly Issue[] {
  const names = new Set(placed.map(({ text }) => argumentName(text)));
  const fetched = names.has('ignition.config.url');
  const issues: Issue[] = [];
  if (fetched && settings.embedded) issues.push({ rule: ignitionTwice, path: ['embedded'] });
  if (!fetched && !settings.embedded) issues.push({ rule: ignitionMissing, path: [] });
  if (!names.has('coreos.live.rootfs_url')) issues.push({ rule: rootfsMissing, path: [] });
  return issues;
}

/** The output formats for kernel arguments by name, and the checks of settings for them. */

import { largest } from '../core/lists.ts';
import { readAsset } from '../core/assets.ts';
import type { Architecture } from '../core/architecture.ts';
import type { Finding } from '../core/finding.ts';
import { quoteOsloValue } from '../formats/osloConfig.ts';
import { fillTemplate } from '../formats/template.ts';
import { errorRule, findingOf, type Issue, warningRule } from '../ignition/rule.ts';
import { checkArgument } from './argumentChecks.ts';
import { isOneArgument } from './argumentText.ts';
import {
  type BootForm,
  checkLoaderSettings,
  checkReserved,
  checkTexts,
  hasUnknownSetting,
} from './bootForm.ts';
import { grub, ipxe, ipxeExpansion, pxelinux } from './bootScripts.ts';
import { argumentName, argumentValue, type BootSettings, type KernelArgument } from './bootSettings.ts';
import { checkArgumentNetwork } from './networkArguments.ts';
import { checkProxyArguments, kernelArguments, placedArguments } from './kernelArguments.ts';
import { coreosArguments } from './coreosArguments.ts';

const ironicName = errorRule(
  'ironic-argument-name',
  'Ironic accepts only letters, digits, dots, dashes and underscores in the name of an argument',
  'remove the argument, which ironic.conf does not support',
);
const ironicGrub = warningRule(
  'ironic-grub',
  'Ironic writes this argument unquoted to grub.cfg, where special characters truncate or change it',
  'percent-encode the characters in a URL, or use iPXE to boot these machines',
);

/**
 * The options of ironic.conf for kernel arguments of the ramdisk. Ironic writes them unquoted to its files for iPXE, GRUB and
 * PXELINUX. Therefore characters that are special to one of these boot loaders are reported.
 */
const ironic: BootForm = {
  check: (_settings, placed) => [
    ...checkReserved(placed, ['initrd', 'BOOTIF']),
    ...checkTexts(ironicName, placed, (text) => !/^[A-Za-z0-9_.-]+$/.test(argumentName(text))),
    ...checkTexts(ipxeExpansion, placed, hasUnknownSetting),
    ...checkTexts(ironicGrub, placed, (text) => !hasUnknownSetting(text) && /[$'\\;&|<>{}]/.test(text)),
  ],
  // Arguments that Ironic and its templates add, with usual lengths; the URL of the API is unknown here.
  added: () => [
    'selinux=0 troubleshoot=0 text BOOTIF=00:00:00:00:00:00 initrd=deploy_ramdisk ipa-debug=1',
    `ipa-global-request-id=req-${'0'.repeat(36)}`,
  ],
  render: (settings) =>
    fillTemplate(readAsset('templates/boot/ironic.conf'), {
      arguments: quoteOsloValue(kernelArguments(settings).join(' ')),
    }),
};

/** The arguments as one line. */
const plain: BootForm = {
  check: (_settings, placed) => [...checkReserved(placed, ['initrd']), ...checkLoaderSettings(placed)],
  added: () => [],
  render: (settings) => `${kernelArguments(settings).join(' ')}\n`,
};

/** JSON: `arguments` as a list, `commandLine` as one string, and the URLs of the kernel and the initramfs if they are set. */
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

/** Returns the findings for `settings` in the format `form`. Paths refer to the settings. */
export function checkBoot(settings: BootSettings, form: BootForm): readonly Finding[] {
  return checkForms(settings, [form], 'x86_64').map(findingOf);
}

const commandLineLength = errorRule(
  'command-line-length',
  'the kernel command line is too long',
  'shorten the URLs, or move ipa- parameters to the configuration file of the agent',
);

/**
 * COMMAND_LINE_SIZE of each kernel, minus the final NUL. The kernel silently truncates longer command lines. Newer kernels for
 * s390x support more, but the boot loaders of CoreOS do not reserve more.
 */
const longestCommandLine: Readonly<Record<Architecture, number>> = {
  x86_64: 2047,
  aarch64: 2047,
  ppc64le: 2047,
  s390x: 895,
};

/**
 * Returns the issues of `settings` in all of the formats. Paths refer to the settings. The length limit applies to the format
 * with the longest command line.
 */
export function checkForms(
  settings: BootSettings,
  forms: readonly Pick<BootForm, 'check' | 'added'>[],
  architecture: Architecture,
): readonly Issue[] {
  const placed = placedArguments(settings);
  // Other issues are reported only for well-formed arguments.
  const wellFormed = placed.filter(({ text }) => isOneArgument(text) && argumentName(text) !== '');
  const texts = placed.map(({ text }) => text);
  const lengths = forms.map((form) => Buffer.byteLength([...texts, ...form.added(settings)].join(' ')));
  return [
    ...checkArguments(settings, placed),
    ...checkArgumentNetwork(
      wellFormed,
      forms.flatMap((form) => form.added(settings)),
    ),
    ...forms.flatMap((form) => form.check(settings, wellFormed)),
    ...checkLength(largest(lengths, 0), longestCommandLine[architecture]),
  ];
}

function checkLength(length: number, longest: number): readonly Issue[] {
  if (length <= longest) return [];
  const message = `the kernel command line is too long: ${length} > ${longest} bytes`;
  return [{ rule: commandLineLength, path: [], message }];
}

const argumentConflict = errorRule(
  'argument-conflict',
  'the argument is set twice with different values, and only the last value applies',
  'pass the argument once, with the value that applies',
);
const argumentRepeated = warningRule(
  'argument-repeated',
  'the argument is repeated with different values; for most arguments only the last value applies',
  'pass the argument once, unless the program that reads it accepts several',
);
const argumentLiveIso = errorRule(
  'argument-liveiso',
  `${coreosArguments.liveIso.name}= makes the machine search for the live ISO instead of the root filesystem from the network`,
  'remove the argument; it is valid only on live ISOs',
);
const argumentInstalls = errorRule(
  'argument-installs',
  `${coreosArguments.installDevice.name} makes the ramdisk install CoreOS instead of running the agent`,
  'remove the argument; Ironic decides what is written to the disk',
);
const ignitionTwice = errorRule(
  'ignition-twice',
  'the initramfs contains the Ignition config, and ignition.config.url refers to a second config',
  'use only one of --embedded and --ignition-url',
);
const ignitionMissing = warningRule(
  'ignition-missing',
  'no Ignition config is set: the agent starts only if the initramfs contains a config',
  'use --ignition-url, or confirm with --embedded',
);
export const rootfsMissing = warningRule(
  'rootfs-url-missing',
  'no root filesystem is set: the boot fails unless it is appended to the initramfs',
  'use --rootfs-url',
);

const argumentCoreos = warningRule(
  'argument-coreos',
  'only CoreOS supports this argument, and the ramdisk is not CoreOS',
  'remove the argument, or remove --no-coreos',
);

/**
 * Returns the issues of kernel arguments that do not depend on the boot loader, in the order of the arguments. Arguments are
 * checked by name, so the same rules apply to `--karg` and to other options. The hundreds of arguments of the kernel and its
 * drivers are not checked. Paths refer to `settings`.
 */
function checkArguments(settings: BootSettings, placed: readonly KernelArgument[]): readonly Issue[] {
  return [
    ...placed.flatMap(({ path, text }) =>
      [...checkArgument(text), ...checkForRamdisk(text)].map((issue) => ({ ...issue, path })),
    ),
    ...checkRepetitions(placed),
    ...checkPresence(settings, placed),
    ...checkProxyArguments(settings),
  ];
}

/** Arguments that have their place on ISOs. */
function checkForRamdisk(text: string): readonly Issue[] {
  const name = argumentName(text);
  if (name === coreosArguments.installDevice.name) return [{ rule: argumentInstalls, path: [] }];
  return name === coreosArguments.liveIso.name ? [{ rule: argumentLiveIso, path: [] }] : [];
}

function checkRepetitions(placed: readonly KernelArgument[]): readonly Issue[] {
  const first = new Map<string, string>();
  const issues: Issue[] = [];
  for (const { text, path } of placed) {
    const name = repeatedName(text);
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, text);
    else if (earlier !== text && !REPEATABLE.test(name)) {
      const rule = SINGLE.test(name) ? argumentConflict : argumentRepeated;
      const hint =
        rule === argumentConflict ? `pass ${name}= once` : `pass ${name}= once, unless it is repeatable`;
      issues.push({ rule, message: `${name}: ${rule.message}`, path, hint });
    }
  }
  return issues;
}

/** The name to compare for repetitions; for an environment variable it includes the name of the variable. */
function repeatedName(text: string): string {
  const name = argumentName(text);
  return name === 'systemd.setenv' ? `${name}=${argumentName(argumentValue(text) ?? '')}` : name;
}

/** Arguments of which dracut, Ignition, CoreOS or the agent use only one value. */
const SINGLE =
  /^(?:ipa-.*|ignition\..*|coreos\.live\..*|BOOTIF|boot_method|root|fips|selinux|enforcing|rd\.neednet|rd\.bootif)$/;

const REPEATABLE =
  /^(?:console|earlycon|ip|nameserver|ifname|bond|bridge|team|vlan|rd\.route|rd\.znet|rd\.driver\..*|systemd\.(?:wants|mask)|module_blacklist|modprobe\.blacklist|pci|memmap|initcall_blacklist)$/;

function checkPresence(settings: BootSettings, placed: readonly KernelArgument[]): readonly Issue[] {
  if (settings.system === 'other') {
    return placed
      .filter(({ text }) => /^(?:coreos|ignition)\./.test(text))
      .map(({ path }) => ({ rule: argumentCoreos, path }));
  }
  const names = new Set(placed.map(({ text }) => argumentName(text)));
  const fetched = names.has(coreosArguments.configUrl.name);
  const issues: Issue[] = [];
  if (fetched && settings.embedded) issues.push({ rule: ignitionTwice, path: ['embedded'] });
  if (!fetched && !settings.embedded) issues.push({ rule: ignitionMissing, path: [] });
  if (!names.has(coreosArguments.rootfsUrl.name)) issues.push({ rule: rootfsMissing, path: [] });
  return issues;
}

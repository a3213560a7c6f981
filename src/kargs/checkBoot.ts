/** Checks the settings for network boot, for one or more output formats. */

import type { Architecture } from '../core/architecture.ts';
import type { Finding } from '../core/finding.ts';
import { largest } from '../core/lists.ts';
import { errorRules, found, issue, lintError, warningRules } from '../core/rule.ts';
import { type NamedBootFile, checkBootFiles, rootfsOf } from './bootFileNames.ts';
import { isOneArgument, type KernelArgument, parseArgument, parseArguments } from './argument.ts';
import { checkArgument } from './argumentChecks.ts';
import type { BootSettings } from './bootSettings.ts';
import { coreosArguments } from './coreosArguments.ts';
import { bootArguments, checkProxyArguments } from './kernelArguments.ts';
import type { BootForm, BootText } from './loaders/form.ts';
import { checkArgumentNetwork } from './networkChecks.ts';
import { checkUrl, isPlainText } from './urlArgument.ts';

/** Returns the findings for `settings` in the format `form`. Paths refer to the settings. */
export function checkBoot(settings: BootSettings, form: BootForm): readonly Finding[] {
  return checkForms(settings, [form], 'x86_64');
}

export const bootRules = {
  ...errorRules({
    'command-line-length': [
      'the kernel command line is too long',
      'shorten the URLs, or move ipa- parameters to the configuration file of the agent',
    ],
    'image-url-characters': [
      'the URL contains whitespace, double quotes, or characters other than printable ASCII',
      'percent-encode these characters, for example a space as %20',
    ],
    'argument-of-loader': [
      'the boot loader sets this argument itself',
      'remove the argument; the boot loader adds it with the value of the machine',
    ],
    'argument-conflict': [
      'the argument is set twice with different values, and only the last value applies',
      'pass the argument once, with the value that applies',
    ],
    'argument-liveiso': [
      `${coreosArguments.liveIso.name}= makes the machine search for the live ISO instead of the root filesystem from the network`,
      'remove the argument; it is valid only on live ISOs',
    ],
    'ignition-twice': [
      'the initramfs contains the Ignition config, and ignition.config.url refers to a second config',
      'remove --embedded or the argument ignition.config.url',
    ],
  }),
  ...warningRules({
    'argument-repeated': [
      'the argument is repeated with different values; for most arguments only the last value applies',
      'pass the argument once, unless the program that reads it accepts several',
    ],
    'ignition-missing': [
      'no Ignition config is set: the agent starts only if the initramfs contains a config',
      'use --ignition-url, or confirm with --embedded',
    ],
    'rootfs-url-missing': [
      'no root filesystem is set: the boot fails unless it is appended to the initramfs',
      'use --rootfs-url',
    ],
  }),
};

export const installerRule = lintError(
  'agent-installer',
  'with coreos.inst.install_dev in the kernel arguments, the installer runs instead of the agent and overwrites the disk',
  'remove coreos.inst.install_dev: Ironic installs CoreOS with the deploy step install_coreos',
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
  forms: readonly BootForm[],
  architecture: Architecture,
): readonly Finding[] {
  const list = bootArguments(settings);
  const images = imageUrls(settings);
  // Other issues are reported only for well-formed arguments.
  const wellFormed = list.filter(({ name, text }) => isOneArgument(text) && name !== '');
  const added = forms.map((form) => form.added(settings));
  const texts = list.map(({ text }) => text);
  const length = largest(
    added.map((more) => Buffer.byteLength([...texts, ...more].join(' '))),
    0,
  );
  const longest = longestCommandLine[architecture];
  const message = `the kernel command line is too long: ${length} > ${longest} bytes`;
  return [
    ...list.flatMap(checkArgument),
    ...findInstallation(list),
    ...list
      .filter(({ name }) => name === coreosArguments.liveIso.name)
      .map(({ path }) => issue(bootRules['argument-liveiso'], path)),
    ...checkRepetitions(list),
    ...checkPresence(settings, list),
    ...checkBootFiles(bootFiles(settings, list)),
    ...checkProxyArguments(settings),
    ...checkArgumentNetwork(wellFormed, added.flat().flatMap(parseArguments)),
    ...forms.flatMap((form) => [
      ...(form.schemes === undefined ? [] : images).flatMap(({ path, text }) =>
        isPlainText(text)
          ? checkUrl(text, form.schemes ?? []).map((finding) => ({ ...finding, path }))
          : [{ ...bootRules['image-url-characters'], path }],
      ),
      ...checkReserved(wellFormed, form.reserved),
      ...form.check(wellFormed, images),
    ]),
    ...(length > longest ? [{ ...bootRules['command-line-length'], path: [], message }] : []),
  ];
}

/** The last value counts. Without "=", the generator of the installer takes the name itself as the value. */
export function findInstallation(list: readonly KernelArgument[]): readonly Finding[] {
  const device = list.findLast(({ name }) => name === coreosArguments.installDevice.name);
  return device === undefined || device.value === '' ? [] : [issue(installerRule, device.path)];
}

export function imageUrls({ appendedUrls = [], initramfsUrl, kernelUrl }: BootSettings): readonly BootText[] {
  return [
    ...(kernelUrl === undefined ? [] : [{ text: kernelUrl, path: ['kernelUrl'] }]),
    ...(initramfsUrl === undefined ? [] : [{ text: initramfsUrl, path: ['initramfsUrl'] }]),
    ...appendedUrls.map((text, index) => ({ text, path: ['appendedUrls', index] })),
  ];
}

function bootFiles(
  { initramfsUrl = '', kernelUrl = '' }: BootSettings,
  list: readonly KernelArgument[],
): readonly NamedBootFile[] {
  return [
    { use: 'kernel', url: kernelUrl, path: ['kernelUrl'] },
    { use: 'initramfs', url: initramfsUrl, path: ['initramfsUrl'] },
    ...rootfsOf(list),
  ];
}

function checkReserved(list: readonly KernelArgument[], names: readonly string[]): readonly Finding[] {
  return list
    .filter(({ name }) => names.includes(name))
    .map(({ name, path }) => ({
      ...bootRules['argument-of-loader'],
      path,
      message: `the boot loader sets ${name}= itself`,
      hint: `remove ${name}=`,
    }));
}

function checkRepetitions(list: readonly KernelArgument[]): readonly Finding[] {
  const first = new Map<string, string>();
  const issues: Finding[] = [];
  for (const argument of list) {
    const { path, text, value = '' } = argument;
    const variable = argument.name === 'systemd.setenv' ? `=${parseArgument(value).name}` : '';
    const name = argument.name + variable;
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, text);
    else if (earlier !== text && !REPEATABLE.test(name)) {
      const isSingle = SINGLE.test(name);
      const rule = bootRules[isSingle ? 'argument-conflict' : 'argument-repeated'];
      const hint = `pass ${name}= once${isSingle ? '' : ', unless it is repeatable'}`;
      issues.push({ ...rule, message: `${name}: ${rule.message}`, path, hint });
    }
  }
  return issues;
}

/** Arguments of which dracut, Ignition, CoreOS or the agent use only one value. */
const SINGLE =
  /^(?:ipa-.*|ignition\..*|coreos\.live\..*|BOOTIF|boot_method|root|fips|selinux|enforcing|rd\.neednet|rd\.bootif)$/;

const REPEATABLE =
  /^(?:console|earlycon|ip|nameserver|ifname|bond|bridge|team|vlan|rd\.(?:route|dasd|zfcp|znet|driver\..*)|systemd\.(?:wants|mask)|module_blacklist|modprobe\.blacklist|pci|memmap|initcall_blacklist|hugepages|hugepagesz|crashkernel)$/;

function checkPresence(settings: BootSettings, list: readonly KernelArgument[]): readonly Finding[] {
  if (settings.system === 'other') return [];
  const names = new Set(list.map(({ name }) => name));
  const fetched = names.has(coreosArguments.configUrl.name);
  return found(
    fetched && settings.embedded && issue(bootRules['ignition-twice'], ['embedded']),
    !fetched && !settings.embedded && issue(bootRules['ignition-missing'], []),
    !names.has(coreosArguments.rootfsUrl.name) && issue(bootRules['rootfs-url-missing'], []),
  );
}

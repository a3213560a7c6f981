/** An output format: how it writes kernel arguments, and which values its boot loader would change. */

import { UsageError } from '../core/errors.ts';
import { errorRule, type Issue, lintError, type Rule } from '../ignition/rule.ts';
import { argumentName, type BootSettings, type KernelArgument } from './bootSettings.ts';
import { checkUrl, isPlainText } from './urlArgument.ts';

export interface BootForm {
  /** Issues that are specific to this format. Paths refer to the settings. */
  check(settings: BootSettings, placed: readonly KernelArgument[]): readonly Issue[];
  /** Arguments that the boot loader adds, with values of maximum length; for the length limit. */
  added(settings: BootSettings): readonly string[];
  /** Returns the whole text, with a final line feed. The settings must be checked. */
  render(settings: BootSettings): string;
}

const argumentOfLoader = errorRule(
  'argument-of-loader',
  'the boot loader sets this argument itself',
  'remove the argument; the boot loader adds it with the value of the machine',
);

export interface BootImages {
  readonly kernelUrl: string;
  /** In the order in which the kernel unpacks them. */
  readonly initramfsUrls: readonly string[];
}

/** The URLs that a boot script loads. Throws a `UsageError` if one is missing. */
export function bootImages(settings: BootSettings): BootImages {
  const { kernelUrl, initramfsUrl, appendedUrls = [] } = settings;
  if (kernelUrl === undefined || initramfsUrl === undefined) {
    throw new UsageError('a boot script requires the URLs of the kernel and the initramfs', {
      hint: 'add --kernel-url and --initramfs-url, or --base-url for both and the root filesystem',
    });
  }
  return { kernelUrl, initramfsUrls: [initramfsUrl, ...appendedUrls] };
}

/** Checks the URLs of the kernel and the initramfs, which must have one of the schemes. */
export function checkImages(settings: BootSettings, schemes: readonly string[]): readonly Issue[] {
  return placedImages(settings).flatMap(({ text, path }) =>
    checkImage(text, schemes).map((issue) => ({ ...issue, path })),
  );
}

function checkImage(url: string, schemes: readonly string[]): readonly Issue[] {
  return isPlainText(url) ? checkUrl(url, schemes) : [{ rule: imageCharacters, path: [] }];
}

const imageCharacters = errorRule(
  'image-url-characters',
  'the URL contains whitespace, double quotes, or characters other than printable ASCII',
  'percent-encode these characters, for example a space as %20',
);

/** Issues for arguments that the boot loader sets itself. */
export function checkReserved(placed: readonly KernelArgument[], names: readonly string[]): readonly Issue[] {
  return placed
    .filter(({ text }) => names.includes(argumentName(text)))
    .map(({ text, path }) => ({
      rule: argumentOfLoader,
      path,
      message: `the boot loader sets ${argumentName(text)}= itself`,
      hint: `remove ${argumentName(text)}=`,
    }));
}

export const loaderSetting = lintError(
  'kernel-argument-loader-setting',
  'only iPXE replaces ${…}; GRUB, ISOLINUX and PXELINUX do not know its settings',
  'use the value of one host; `prepare` writes boot scripts by MAC address for many hosts',
);

/** Settings of iPXE that differ from machine to machine (https://ipxe.org/cfg). */
const MACHINE_SETTING =
  /\$\{(?:net\d{1,2}\/)?(?:mac|ip|uuid|serial|asset|hostname|manufacturer|product|buildarch)(?::\w+)?\}/g;

/** Whether iPXE would change a text in a way that its user does not mean. */
export function hasUnknownSetting(text: string): boolean {
  return text.replaceAll(MACHINE_SETTING, '').includes('${');
}

/** Issues for settings of iPXE, such as `${mac:hexhyp}`, for other boot loaders. In a URL, any `${` is meant as one. */
export function checkLoaderSettings(texts: readonly KernelArgument[]): readonly Issue[] {
  return checkTexts(loaderSetting, texts, (text) =>
    text.includes('://') ? text.includes('${') : text.search(MACHINE_SETTING) >= 0,
  );
}

/** Issues of one rule for all arguments and image URLs that the boot loader would change. */
export function checkTexts(
  rule: Rule,
  texts: readonly KernelArgument[],
  isBroken: (text: string) => boolean,
): readonly Issue[] {
  return texts.filter(({ text }) => isBroken(text)).map(({ path }) => ({ rule, path }));
}

/** The image URLs with their settings, to check them like arguments. */
export function placedImages(settings: BootSettings): readonly KernelArgument[] {
  const { kernelUrl } = settings;
  const kernel = kernelUrl === undefined ? [] : [{ text: kernelUrl, path: ['kernelUrl'] }];
  return [...kernel, ...placedArchives(settings)];
}

/** The URLs of the initramfs and of the appended archives, with their settings. */
export function placedArchives({ initramfsUrl, appendedUrls = [] }: BootSettings): readonly KernelArgument[] {
  const initramfs = initramfsUrl === undefined ? [] : [{ text: initramfsUrl, path: ['initramfsUrl'] }];
  return [...initramfs, ...appendedUrls.map((text, index) => ({ text, path: ['appendedUrls', index] }))];
}

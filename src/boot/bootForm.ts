/** What a form of output is: how it writes kernel arguments down, and what its loader would not pass on unchanged. */

import { UsageError } from '../core/errors.ts';
import { errorRule, type Issue, type Rule } from '../ignition/rule.ts';
import { argumentName, type BootSettings, type KernelArgument } from './bootSettings.ts';
import { checkUrl, isPlainText } from './urlArgument.ts';

export interface BootForm {
  /** What this form cannot carry, beyond what is wrong everywhere. Paths lead into the settings. */
  check(settings: BootSettings, placed: readonly KernelArgument[]): readonly Issue[];
  /** What the loader itself puts on the command line, with values as long as they get: for the length limit. */
  added(settings: BootSettings): readonly string[];
  /** The whole text, with a final line break. The settings have passed the checks. */
  render(settings: BootSettings): string;
}

const argumentOfLoader = errorRule(
  'argument-of-loader',
  'the boot loader writes this argument itself',
  'leave it out',
);

export interface BootImages {
  readonly kernelUrl: string;
  /** In the order in which the kernel unpacks them. */
  readonly initramfsUrls: readonly string[];
}

/** The URLs that a boot script loads. Throws a `UsageError` where one is not given. */
export function bootImages(settings: BootSettings): BootImages {
  const { kernelUrl, initramfsUrl, appendedUrls = [] } = settings;
  if (kernelUrl === undefined || initramfsUrl === undefined) {
    throw new UsageError('a boot script needs the URLs of the kernel and of the initramfs', {
      hint: 'give --kernel-url and --initramfs-url, or --base-url for both and the root filesystem',
    });
  }
  return { kernelUrl, initramfsUrls: [initramfsUrl, ...appendedUrls] };
}

/** Checks the URLs of kernel and initramfs against what a loader can fetch. */
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
  'the URL holds white space, double quotes or other than printable ASCII',
  'percent-encode these characters: a space is %20',
);

/** The issues of arguments that the loader writes itself. */
export function checkReserved(placed: readonly KernelArgument[], names: readonly string[]): readonly Issue[] {
  return placed
    .filter(({ text }) => names.includes(argumentName(text)))
    .map(({ text, path }) => ({
      rule: argumentOfLoader,
      path,
      message: `the boot loader writes ${argumentName(text)}= itself`,
    }));
}

/** One rule for all arguments and image URLs of which `isBroken` says that the loader would change them. */
export function checkTexts(
  rule: Rule,
  texts: readonly KernelArgument[],
  isBroken: (text: string) => boolean,
): readonly Issue[] {
  return texts.filter(({ text }) => isBroken(text)).map(({ path }) => ({ rule, path }));
}

/** The image URLs as texts with their settings, to be checked like arguments. */
export function placedImages(settings: BootSettings): readonly KernelArgument[] {
  const { kernelUrl } = settings;
  const kernel = kernelUrl === undefined ? [] : [{ text: kernelUrl, path: ['kernelUrl'] }];
  return [...kernel, ...placedArchives(settings)];
}

/** The same of the initramfs and what is loaded behind it. */
export function placedArchives({ initramfsUrl, appendedUrls = [] }: BootSettings): readonly KernelArgument[] {
  const initramfs = initramfsUrl === undefined ? [] : [{ text: initramfsUrl, path: ['initramfsUrl'] }];
  return [...initramfs, ...appendedUrls.map((text, index) => ({ text, path: ['appendedUrls', index] }))];
}

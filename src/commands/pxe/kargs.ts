/** `pxe kargs`: writes the kernel arguments, or a boot script with them, for booting the ramdisk from the network. */

import { resolve } from 'node:path';
import { bootFormNames, bootForms, checkBoot, type BootFormName } from '../../boot/bootForms.ts';
import { bootImages } from '../../boot/bootForm.ts';
import { argumentName, type BootSettings } from '../../boot/bootSettings.ts';
import { CliError, UsageError } from '../../errors.ts';
import { writeFileAtomically } from '../../io/outputFile.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';
import type { Finding, Path } from '../../report.ts';
import { formatRemark } from '../../reporters/remark.ts';

/** The options of the command line, under the names that they have there. */
export interface KargsOptions {
  readonly baseUrl?: string;
  readonly kernelUrl?: string;
  readonly initramfsUrl?: string;
  readonly rootfsUrl?: string;
  readonly ignitionUrl?: string;
  readonly embedded?: boolean;
  readonly ip?: readonly string[];
  readonly console?: readonly string[];
  readonly ipa?: readonly string[];
  readonly append?: readonly string[];
  /** `plain` when it is left out. */
  readonly format?: string;
  /** A file instead of standard output; `-` is standard output. */
  readonly output?: string;
}

/** The names under which ironic-image serves the ramdisk. */
const fileNames = {
  kernelUrl: 'ironic-python-agent.kernel',
  initramfsUrl: 'ironic-python-agent.initramfs',
  rootfsUrl: 'ironic-python-agent.rootfs',
};

const scriptForms: ReadonlySet<BootFormName> = new Set(['ipxe', 'grub', 'pxelinux']);

/** The options that a finding may be about, by the setting that they fill. */
const flags = new Map([
  ['kernelUrl', '--kernel-url'],
  ['initramfsUrl', '--initramfs-url'],
  ['rootfsUrl', '--rootfs-url'],
  ['ignitionUrl', '--ignition-url'],
  ['embedded', '--embedded'],
  ['ip', '--ip'],
  ['consoles', '--console'],
  ['ipaParameters', '--ipa'],
  ['extraArguments', '--append'],
]);

/**
 * Shows everything that is wrong with the options at once, and then ends with 1; warnings alone do not stop it. Throws a
 * `UsageError` for an unknown format or where URLs are missing.
 */
export async function kargs(options: KargsOptions, io: Io): Promise<ExitCode> {
  const format = parseFormat(options.format ?? 'plain');
  const settings = bootSettings(options);
  if (scriptForms.has(format)) bootImages(settings);
  const form = bootForms[format];
  const findings = checkBoot(settings, form);
  io.stderr.write(formatFindings(findings, settings, options));
  if (findings.some(({ severity }) => severity === 'error')) return 1;
  await writeText(form.render(settings), options.output, io);
  return 0;
}

function parseFormat(name: string): BootFormName {
  const format = bootFormNames.find((known) => known === name);
  if (format !== undefined) return format;
  throw new UsageError(`unknown format: ${shown(name)}`, { hint: `use one of ${bootFormNames.join(', ')}` });
}

function bootSettings(options: KargsOptions): BootSettings {
  const { baseUrl, kernelUrl, initramfsUrl, rootfsUrl, ignitionUrl } = options;
  if ([baseUrl, kernelUrl, initramfsUrl, rootfsUrl, ignitionUrl].every((url) => url === undefined)) {
    throw new UsageError('no URL is given', {
      hint: 'give --rootfs-url URL and --ignition-url URL, or --base-url URL of the folder with the ramdisk files',
    });
  }
  return {
    ...(baseUrl === undefined ? {} : filesBelow(baseUrl)),
    ...(kernelUrl !== undefined && { kernelUrl }),
    ...(initramfsUrl !== undefined && { initramfsUrl }),
    ...(rootfsUrl !== undefined && { rootfsUrl }),
    ...(ignitionUrl !== undefined && { ignitionUrl }),
    embedded: options.embedded ?? false,
    ip: options.ip ?? [],
    consoles: options.console ?? [],
    ipaParameters: options.ipa ?? [],
    extraArguments: options.append ?? [],
  };
}

function filesBelow(baseUrl: string): Record<keyof typeof fileNames, string> {
  if (/[?#]/.test(baseUrl)) {
    throw new CliError('--base-url: file names cannot be added to a URL with a query or a fragment', {
      hint: 'give --kernel-url, --initramfs-url and --rootfs-url',
    });
  }
  const folder = baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`;
  return {
    kernelUrl: folder + fileNames.kernelUrl,
    initramfsUrl: folder + fileNames.initramfsUrl,
    rootfsUrl: folder + fileNames.rootfsUrl,
  };
}

/** One mistake in `--base-url` breaks three URLs: equal lines are shown once. */
function formatFindings(findings: readonly Finding[], settings: BootSettings, options: KargsOptions): string {
  const texts = findings.map(({ severity, path, message, hint }) => {
    const subject = subjectOf(path, settings, options);
    return formatRemark({ severity, message: `${subject}${message}`, hint });
  });
  return [...new Set(texts)].join('');
}

/** The option that a finding is about, with its value. Arguments may hold secrets: only their names are shown. */
function subjectOf([setting = '', index = 0]: Path, settings: BootSettings, options: KargsOptions): string {
  const flag = flags.get(String(setting));
  if (flag === undefined) return '';
  const place = Number(index);
  switch (setting) {
    case 'kernelUrl':
    case 'initramfsUrl':
    case 'rootfsUrl':
      return `${options[setting] === undefined ? '--base-url' : flag}: `;
    case 'ip':
    case 'consoles':
      return `${flag} ${shown(settings[setting][place] ?? '')}: `;
    case 'ipaParameters':
    case 'extraArguments':
      return `${flag} ${shown(argumentName(settings[setting][place] ?? ''))}: `;
    default:
      return `${flag}: `;
  }
}

/** A value of the user in a message: quoted unless it is a plain word, so that it stays on its line. */
function shown(value: string): string {
  return /^[A-Za-z0-9_.,:=/+-]+$/.test(value) ? value : JSON.stringify(value);
}

async function writeText(text: string, output: string | undefined, io: Io): Promise<void> {
  if (output === undefined || output === '-') await writeStdout(io, [Buffer.from(text)]);
  else await writeFileAtomically(resolve(io.cwd, output), text);
}

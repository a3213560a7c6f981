/** `pxe kargs`: writes the kernel arguments, or a boot script with them, for booting the ramdisk from the network. */

import { resolve } from 'node:path';
import { type BootFormName, bootFormNames, bootForms, checkBoot } from '../boot/bootForms.ts';
import { bootImages } from '../boot/bootForm.ts';
import { argumentName, type BootSettings } from '../boot/bootSettings.ts';
import { argumentSecrets } from '../boot/kernelArguments.ts';
import { modeForSecrets } from '../io/images/imageOutput.ts';
import { writeFileAtomically } from '../io/files/newFile.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { writeStdout } from '../io/stdout.ts';
import type { Finding, Path } from '../core/finding.ts';
import { parseFormat } from '../io/report/choices.ts';
import { report, withoutRepeats } from '../io/report/report.ts';
import type { Diagnostic } from '../core/diagnostic.ts';
import { type BootInputs, type BootOptions, readBootInputs } from '../hosts/plan/bootInputs.ts';

/** The options of the command line, under the names that they have there. */
export type KargsOptions = BootOptions & OwnOptions;

interface OwnOptions {
  /** A file of settings and hosts. */
  readonly inventory?: string;
  /** The name of one of its hosts; without it, what all have in common counts. */
  readonly host?: string;
  /** `plain` when it is left out. */
  readonly format?: string;
  /** A file instead of standard output; `-` is standard output. */
  readonly output?: string;
}

const scriptForms: ReadonlySet<BootFormName> = new Set(['ipxe', 'grub', 'pxelinux']);

/**
 * Shows everything that is wrong with the options at once, and then ends with 1; warnings alone do not stop it. Throws a
 * `UsageError` for an unknown format or where URLs are missing.
 */
export async function kargs(options: KargsOptions, io: Io): Promise<ExitCode> {
  const format = parseFormat(options.format, bootFormNames);
  const inputs = await readBootInputs(options, io);
  const { settings } = inputs;
  if (scriptForms.has(format)) bootImages(settings);
  const form = bootForms[format];
  const findings = checkBoot(settings, form);
  report(io, ...withoutRepeats(findings.map((finding) => describe(finding, inputs))));
  if (findings.some(({ severity }) => severity === 'error')) return 1;
  await writeText(form.render(settings), { settings, output: options.output }, io);
  return 0;
}

/** One mistake in `--base-url` breaks three URLs in the same words. */
function describe({ severity, path, message, hint }: Finding, inputs: BootInputs): Diagnostic {
  return { severity, message: `${subjectOf(path, inputs)}${message}`, hint };
}

/** What a finding is about, with its value. Arguments and URLs may hold secrets: of them, at most the names are shown. */
function subjectOf(path: Path, { placeOf, settings }: BootInputs): string {
  const place = placeOf(path);
  if (place === undefined) return '';
  const [setting = '', index = 0] = path;
  switch (setting) {
    case 'ip':
    case 'consoles':
      return `${place} ${shown(settings[setting][Number(index)] ?? '')}: `;
    case 'ipaParameters':
    case 'extraArguments':
      return `${place} ${shown(argumentName(settings[setting][Number(index)] ?? ''))}: `;
    default:
      return `${place}: `;
  }
}

/** A value of the user in a message: quoted unless it is a plain word, so that it stays on its line. */
function shown(value: string): string {
  return /^[A-Za-z0-9_.,:=/+-]+$/.test(value) ? value : JSON.stringify(value);
}

async function writeText(
  text: string,
  { output, settings }: { readonly output: string | undefined; readonly settings: BootSettings },
  io: Io,
): Promise<void> {
  if (output === undefined || output === '-') return writeStdout(io, [Buffer.from(text)]);
  const mode = modeForSecrets(argumentSecrets(settings), io);
  await writeFileAtomically(resolve(io.cwd, output), text, {
    shownPath: output,
    ...(mode !== undefined && { mode }),
  });
}

/** `pxe customize`: writes a copy of a live initramfs with an archive behind it that holds the customisation. */

import { resolve } from 'node:path';
import { CliError, FormatError } from '../../errors.ts';
import { refuseUnsupported, renderCustomization } from '../../image/customize/customization.ts';
import { readLiveInitrd } from '../../image/customize/liveInitrd.ts';
import { CONFIG_NAME } from '../../image/embeddedIgnition.ts';
import { writeInitrd } from '../../image/initrd.ts';
import type { LiveFeatures } from '../../image/liveFeatures.ts';
import { bytesAccess, chunksOf } from '../../image/overlay.ts';
import { readUserFile } from '../../io/files.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { checkNewFile, createFile, type NewFile } from '../../io/newFile.ts';
import { refuseTerminal, writeStdout } from '../../io/stdout.ts';
import { readCustomization, tellInstallation, tellMissingDevice } from '../customize/customization.ts';
import { type CustomizeOptions, needsOf, parseConsoles } from '../customize/options.ts';

export interface PxeCustomizeOptions extends CustomizeOptions {
  /** The initramfs; a pipe is read once, too. */
  readonly initrd: string;
  /** A new file, or `-` for standard output. */
  readonly output: string;
  /** Permission bits of a new file; without, what the umask gives. */
  readonly mode?: number | undefined;
}

/** Real ones have 100 MB. */
const INITRAMFS = { what: 'Initramfs', maxBytes: 1024 ** 3 };

const KARGS_NOTICE =
  'PXE configuration must include kernel arguments:\n\tignition.firstboot ignition.platform.id=metal\n';

/** @throws CliError in the user's terms; nothing has been written then */
export async function customize(options: PxeCustomizeOptions, io: Io): Promise<ExitCode> {
  parseConsoles(options); // wrong usage is said before anything is opened
  const file = newFile(options, io);
  if (file === undefined) refuseTerminal(io);
  else await checkNewFile(file);
  const initrd = await readUserFile(options.initrd, io, INITRAMFS);
  refuseUnsupported(needsOf(options), await readFeatures(initrd, options.initrd));
  const customization = await readCustomization(options, io);
  const files = renderCustomization(customization);
  tellInstallation(customization, io);
  tellMissingDevice(customization, io);
  if (files.has(CONFIG_NAME)) io.stderr.write(KARGS_NOTICE);
  await deliver([initrd, writeInitrd(files)], file, io);
  return 0;
}

/** Undefined for standard output. */
function newFile({ output, mode }: PxeCustomizeOptions, { cwd }: Io): NewFile | undefined {
  if (output === '-') return undefined;
  return { path: resolve(cwd, output), shownPath: output, existing: 'refuse', mode };
}

async function readFeatures(initrd: Uint8Array, path: string): Promise<LiveFeatures> {
  try {
    return await readLiveInitrd(initrd);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const cause = error instanceof FormatError ? error : error.cause;
    throw new CliError(`${path}: ${error.message}`, {
      cause,
      ...(error.hint !== undefined && { hint: error.hint }),
    });
  }
}

/** The kernel reads archives one after the other, with or without zeros between them; there are none. */
async function deliver(parts: readonly Uint8Array[], file: NewFile | undefined, io: Io): Promise<void> {
  if (file === undefined) return writeStdout(io, chunksOfAll(parts));
  await createFile(file, async ({ handle }) => {
    for await (const chunk of chunksOfAll(parts)) await handle.writeFile(chunk);
  });
}

async function* chunksOfAll(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void> {
  for (const part of parts) yield* chunksOf(bytesAccess(part), { offset: 0, length: part.length });
}

/**
 * The boot loaders in the EFI system partition of a live ISO, which firmware with Secure Boot runs: shim, and GRUB, which shim loads. The
 * builder of CoreOS (osbuild, stages/org.osbuild.coreos.live-artifacts.mono) puts both into EFI/BOOT, where shim has the name that
 * firmware looks for; other builders have a folder of their own with shim under its name.
 */

import { FormatError, ifWellFormed } from '../core/errors.ts';
import { readSigners } from '../formats/authenticode.ts';
import { type FatFile, listFatFiles } from '../formats/fat.ts';
import { DOWNLOAD_AGAIN } from './imageHints.ts';
import type { IsoTree } from './isoTree.ts';
import { livePaths } from './livePaths.ts';

export interface SignedLoader {
  /** As in distributions: shim finds GRUB by its name. */
  readonly name: string;
  readonly architecture: EfiArchitecture;
  readonly bytes: Buffer;
  /** Who signed it; empty for a loader that is not signed. Not verified. */
  readonly signers: readonly string[];
}

/** What firmware calls an architecture in names of files. */
const suffixes = { x86_64: 'x64', aarch64: 'aa64' } as const;

/** An architecture with UEFI, for which there is a signed GRUB. */
type EfiArchitecture = keyof typeof suffixes;

/** Bytes; the partitions of live ISOs have about 10 MiB. */
const MAX_PARTITION = 64 * 1024 * 1024;

/**
 * shim and GRUB of one folder of the partition.
 * @throws FormatError if the ISO has no such loaders, or they are damaged
 */
export async function readEfiLoaders(tree: IsoTree): Promise<readonly SignedLoader[]> {
  const entry = await tree.find(livePaths.efi);
  if (entry?.kind !== 'file') throw missing(`no ${livePaths.efi}`);
  const partition = Buffer.from(await tree.readFile(entry, { maxBytes: MAX_PARTITION }));
  const files = ifWellFormed(() => listFatFiles(partition));
  if (files === undefined) {
    const hint = DOWNLOAD_AGAIN;
    throw new FormatError(`${livePaths.efi} in the ISO is damaged, or not a FAT image`, { hint });
  }
  const byPath = new Map(files.map((file) => [file.path.toLowerCase(), file]));
  for (const architecture of ['x86_64', 'aarch64'] as const) {
    const suffix = suffixes[architecture];
    const isShim = new RegExp(String.raw`/(?:shim|boot)${suffix}\.efi$`, 'i');
    for (const shim of files.filter(({ path }) => isShim.test(path))) {
      const grub = byPath.get(shim.path.toLowerCase().replace(/[^/]*$/, `grub${suffix}.efi`));
      if (grub === undefined) continue;
      return Promise.all([
        readLoader(shim, `shim${suffix}.efi`, architecture),
        readLoader(grub, `grub${suffix}.efi`, architecture),
      ]);
    }
  }
  throw missing(`no shim and GRUB in one folder of ${livePaths.efi}`);
}

async function readLoader(file: FatFile, name: string, architecture: EfiArchitecture): Promise<SignedLoader> {
  const bytes = file.read();
  return { name, architecture, bytes, signers: await readSigners(bytes) };
}

function missing(what: string): FormatError {
  return new FormatError(`the ISO has no boot loaders for UEFI: ${what}`, {
    hint: 'use a live ISO of CoreOS for x86_64 or aarch64, or the loaders of a distribution',
  });
}

/** A full live ISO and the minimal one of the same build, which have most files at different places. Neither boots. */

import { createHash } from 'node:crypto';
import { liveIsoWith } from './liveIso.ts';

export interface IsoPair {
  /** With a rootfs of 3 MB and an empty `coreos/miniso.dat`. */
  readonly full: Uint8Array;
  readonly minimal: Uint8Array;
}

export const rootfs = createHash('shake256', { outputLength: 3_000_001 }).update('rootfs').digest();

/** Always the same, but for what `edit` does to the files of both. */
export function isoPair(edit: (files: Map<string, Uint8Array>) => void = () => undefined): IsoPair {
  const full = liveIsoWith((files) => {
    files.set('images/pxeboot/rootfs.img', rootfs); // keeps its place before the embed area
    files.set('coreos/miniso.dat', new Uint8Array(16_384));
    edit(files);
  });
  const minimal = liveIsoWith((files) => {
    files.delete('images/pxeboot/rootfs.img');
    edit(files);
  });
  return { full, minimal };
}

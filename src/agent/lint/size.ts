/** Whether a document fits into the area that live ISOs of CoreOS reserve for it. */

import type { Issue } from '../../ignition/rule.ts';
import { writeInitrd } from '../../image/initrd.ts';
import { CONFIG_NAME, EMBED_AREA_SIZE } from '../../image/embeddedIgnition.ts';
import { broken, warning } from './lintRule.ts';

export const sizeRules = {
  tooLarge: warning(
    'agent-size',
    'the config is too large for a live ISO',
    'embed it with --grow, serve the large files by URL with their hashes, or boot over the network',
  ),
};

export function checkSize(document: Uint8Array | undefined): Issue[] {
  if (document === undefined || document.length <= EMBED_AREA_SIZE || fits(document)) return [];
  const message = `${sizeRules.tooLarge.message}: compressed, it takes more than the ${EMBED_AREA_SIZE} bytes that are reserved`;
  return [broken(sizeRules.tooLarge, [], { message })];
}

/** What a beginning may take more than the whole does: the end of a stream, and the luck of the encoder. */
const tolerance = 4096;

/** Compressing takes seconds for megabytes, so beginnings are tried first: one that is too large is enough. */
function fits(document: Uint8Array): boolean {
  for (let length = 2 * EMBED_AREA_SIZE; length < document.length; length *= 4) {
    if (archiveLength(document.subarray(0, length)) > EMBED_AREA_SIZE + tolerance) return false;
  }
  return archiveLength(document) <= EMBED_AREA_SIZE;
}

function archiveLength(document: Uint8Array): number {
  return writeInitrd(new Map([[CONFIG_NAME, document]])).length;
}

/** The Ignition config in the embed area of a live ISO. Other files of the area stay as they are. */

import { CliError } from '../errors.ts';
import { type ImageChange, unchanged } from './imageChange.ts';
import type { LiveIso } from './liveIso.ts';

/** Member of the embed area's archive that Ignition reads. */
export const CONFIG_NAME = 'config.ign';

/** What to do with something of the kind that the image already has. */
export type Existing = 'refuse' | 'replace';

/** The config as it was embedded, or undefined. */
export async function readIgnition(iso: LiveIso): Promise<Uint8Array | undefined> {
  return (await iso.embeddedFiles()).get(CONFIG_NAME);
}

/** @throws CliError where there is a config that may not be replaced, or where this one does not fit */
export async function embedIgnition(
  iso: LiveIso,
  config: Uint8Array,
  existing: Existing,
): Promise<ImageChange> {
  const before = await iso.embeddedFiles();
  if (before.has(CONFIG_NAME) && existing === 'refuse') {
    throw new CliError('This ISO image already has an embedded Ignition config; use -f to force.');
  }
  return iso.change({ files: new Map(before).set(CONFIG_NAME, config) });
}

/** Nothing changes where there is no config. */
export async function removeIgnition(iso: LiveIso): Promise<ImageChange> {
  const after = new Map(await iso.embeddedFiles());
  return after.delete(CONFIG_NAME) ? iso.change({ files: after }) : unchanged;
}

/**
 * Folders for what other programs or other parts of this one read from files, in the folder for temporary files. Their names
 * say which process has made them: those of processes that were killed are removed by the next one that makes one.
 */

import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stateOf, thisProcess } from '../processOwner.ts';

const PREFIX = 'ironic-coreos.';
const MADE = /^ironic-coreos\.(\d+-\d+-[0-9a-f]{8})\.[^.]{6}$/;

/**
 * Makes a folder that only its owner can enter; whoever asks for it removes it.
 * @throws system errors
 */
export async function makeTempFolder(): Promise<string> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const owner = MADE.exec(name)?.[1];
    if (owner !== undefined && stateOf(owner) === 'ended') await removeOwn(join(tmpdir(), name));
  }
  return mkdtemp(join(tmpdir(), `${PREFIX}${thisProcess()}.`));
}

/** Everybody can write to the folder for temporary files: what another user has put there is left alone. */
async function removeOwn(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isDirectory() !== true || stats.uid !== (process.getuid?.() ?? stats.uid)) return;
  await rm(path, { recursive: true, force: true }).catch(() => undefined);
}

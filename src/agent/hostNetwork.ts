/** The network of a host, as its Ignition config has it: the keyfiles of NetworkManager. */

import { posix } from 'node:path';
import type { Config } from '../ignition/config.ts';
import { resolveConfig } from '../ignition/effectiveConfig.ts';
import { readConfig } from '../ignition/validate.ts';
import type { NetworkFile } from '../image/networkSettings.ts';
import type { Connection } from '../network/connection.ts';
import { initramfsNameProblem, isSkippedFile } from '../network/keyfile/names.ts';
import { readConnections } from '../network/keyfile/readKeyfile.ts';
import { KEYFILE_FOLDER } from './files.ts';
import { readContents } from './lint/subject.ts';

/** The connections of a config; keyfiles that cannot be parsed are left out. */
export function connectionsOf(config: Config): readonly Connection[] {
  return readConnections(keyfilesOf(config));
}

/**
 * The keyfiles of a valid config and of those that it inlines, for the initramfs: there, NetworkManager requires the suffix. The
 * result is not remembered as that of `readEffectiveConfig`, because a server has the configs of thousands of hosts.
 */
export function readKeyfiles(document: Uint8Array): NetworkFile[] {
  const read = readConfig(Buffer.from(document));
  const keyfiles = read.status === 'read' ? keyfilesOf(resolveConfig(read).config) : [];
  return keyfiles.map(({ data, name }) => ({
    name: initramfsNameProblem(name) === undefined ? name : `${name}.nmconnection`,
    data,
  }));
}

/** Whether NetworkManager loads a file of `/etc` as a keyfile. */
export function isKeyfilePath(path: string): boolean {
  return posix.dirname(path) === KEYFILE_FOLDER && !isSkippedFile(posix.basename(path));
}

/** The keyfiles whose contents are in the config itself. */
export function keyfilesOf({ storage = {} }: Config): NetworkFile[] {
  const files: NetworkFile[] = [];
  for (const { contents, path = '' } of storage.files ?? []) {
    const data = isKeyfilePath(path) ? readContents(contents) : undefined;
    if (data !== undefined) files.push({ name: posix.basename(path), data });
  }
  return files;
}

/** The network of a host, as its Ignition config has it: the keyfiles of NetworkManager. */

import { posix } from 'node:path';
import type { Config } from '../ignition/config.ts';
import type { NetworkFile } from '../image/networkSettings.ts';
import type { Connection } from '../network/connection.ts';
import { initramfsNameProblem, isSkippedFile } from '../network/keyfile/names.ts';
import { readConnections } from '../network/keyfile/readKeyfile.ts';
import { KEYFILE_FOLDER } from './files.ts';
import { readContents } from './lint/subject.ts';

/** Whether a config may contain keyfiles; faster than to parse it. */
export function hasKeyfiles(config: Uint8Array): boolean {
  return Buffer.from(config.buffer, config.byteOffset, config.byteLength).includes(`"${KEYFILE_FOLDER}/`);
}

/** The connections of a config; keyfiles that cannot be parsed are left out. */
export function connectionsOf(config: Config): readonly Connection[] {
  return readConnections(keyfilesOf(config));
}

/** The keyfiles of a valid config, for the initramfs: there, NetworkManager requires the suffix. */
export function readKeyfiles(config: Uint8Array): NetworkFile[] {
  const keyfiles = keyfilesOf(JSON.parse(Buffer.from(config).toString('utf8')));
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

/** The network of a host, as its Ignition config has it: the keyfiles of NetworkManager. */

import type { Config } from '../ignition/config.ts';
import type { NetworkFile } from '../image/networkSettings.ts';
import { type Connection, parseConnections } from '../network/connection.ts';
import { keyfileFolder } from './files.ts';
import { readContents } from './lint/subject.ts';

/** Whether a config may contain keyfiles; faster than to parse it. */
export function hasKeyfiles(config: Uint8Array): boolean {
  return Buffer.from(config.buffer, config.byteOffset, config.byteLength).includes(`"${keyfileFolder}/`);
}

/** The connections of a config, which are parsed once; keyfiles that cannot be parsed are left out. */
export function connectionsOf(config: Config): readonly Connection[] {
  const connections = parsed.get(config) ?? parseConnections(keyfilesOf(config));
  parsed.set(config, connections);
  return connections;
}

const parsed = new WeakMap<Config, readonly Connection[]>();

/** The keyfiles of a valid config. */
export function readKeyfiles(config: Uint8Array): NetworkFile[] {
  return keyfilesOf(JSON.parse(Buffer.from(config).toString('utf8')));
}

/**
 * The keyfiles whose contents are in the config itself. NetworkManager reads only names with this suffix, and no folders
 * below its own.
 */
export function keyfilesOf({ storage = {} }: Config): NetworkFile[] {
  const files: NetworkFile[] = [];
  for (const { contents, path = '' } of storage.files ?? []) {
    const [, name] = KEYFILE_PATH.exec(path) ?? [];
    const data = name === undefined ? undefined : readContents(contents);
    if (name !== undefined && data !== undefined) files.push({ name, data });
  }
  return files;
}

const KEYFILE_PATH = new RegExp(`^${keyfileFolder}/([^/]+\\.nmconnection)$`);

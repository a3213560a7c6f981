/** Who can log in, by settings for the user `core`, and as they stand for all others. */

import { createHash } from 'node:crypto';
import { checkSshPublicKey, splitAuthorizedKeys } from '../../formats/sshKey.ts';
import type { Config, PasswdUser } from '../../ignition/config.ts';
import { compareText, type Entry, fingerprint, say, sayPlain } from './entry.ts';
import { readItem } from './members.ts';
import type { ReadContents } from './resource.ts';

export function readPasswdEntries(
  { users = [], groups = [] }: NonNullable<Config['passwd']>,
  read: ReadContents,
): Entry[] {
  return [
    ...users.flatMap((user) => readUser(user, read)),
    ...groups.flatMap((group) => readItem(`group ${group.name ?? ''}`, { ...group }, read)),
  ];
}

function readUser(user: PasswdUser, read: ReadContents): Entry[] {
  const { name = '', passwordHash, sshAuthorizedKeys = [], ...others } = user;
  const isCore = name === 'core';
  const setting = `user ${name}`;
  const keys = [...new Set(sshAuthorizedKeys.flatMap(splitAuthorizedKeys))];
  const entries = [
    ...keys
      .map((key) => sayKey(isCore ? 'host.sshKeys' : setting, key))
      .toSorted((a, b) => compareText(a.text, b.text)),
    ...(passwordHash === undefined ? [] : [sayHash(isCore ? 'host.passwordHash' : setting, passwordHash)]),
  ];
  const isNamedAlone = Object.values(others).every((value) => value === undefined);
  // Without anything else, Ignition would still make the user.
  return isNamedAlone && entries.length > 0 ? entries : [...entries, ...readItem(setting, others, read)];
}

/** Type, fingerprint as `ssh-keygen -l` prints it, and comment. */
function sayKey(setting: string, line: string): Entry {
  const check = checkSshPublicKey(line);
  if (!check.ok) return say(setting, `no SSH key that can be read, ${fingerprint(line)}`, line);
  const { comment, options, type } = check.key;
  const [, body = ''] = line.slice(line.indexOf(type, options?.length ?? 0)).split(/[ \t]+/);
  const digest = createHash('sha256').update(Buffer.from(body, 'base64')).digest('base64').replace(/=+$/, '');
  const words = [type, `SHA256:${digest}`, comment, ...(options === undefined ? [] : [`(${options})`])];
  return sayPlain(setting, words.filter((word) => word !== '').join(' '), line);
}

/** The method and the start of a digest of the hash. */
function sayHash(setting: string, hash: string): Entry {
  if (hash === '') return say(setting, 'no password', hash);
  const method = /^\$([A-Za-z0-9]{1,10})\$/.exec(hash)?.[1];
  const how = method === undefined ? 'hash' : `hash $${method}$`;
  return say(setting, `${how}, ${fingerprint(hash)}`, hash);
}

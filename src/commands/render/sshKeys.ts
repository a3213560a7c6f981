/**
 * Who may log in, from `--ssh-key`, or as build.py looks it up in the home directory. Keys that cannot be read are
 * written all the same, with a warning: sshd of the host may know more types than this program.
 */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from '../../errors.ts';
import { checkSshPublicKey, splitAuthorizedKeys } from '../../formats/sshKey.ts';
import type { Io } from '../../io/io.ts';
import { readText } from './textFile.ts';
import type { RenderOptions, Warn } from './options.ts';

const what = 'SSH public key (--ssh-key)';
const noKeyHint = 'give --ssh-key FILE, or --no-ssh-key for nobody to log in';

/** One line of `authorized_keys` each, as written. Throws CliError where a key is asked for and there is none. */
export async function readSshKeys(options: RenderOptions, io: Io, warn: Warn): Promise<string[]> {
  if (options.noSshKey === true) return [];
  if (options.sshKey !== undefined) {
    const keys: string[] = [];
    for (const value of options.sshKey) keys.push(...(await readGivenKeys(value, io, warn)));
    return [...new Set(keys)];
  }
  if (options.host !== undefined) return readHomeKeys(io, warn);
  warn('nobody will be able to log in: no --ssh-key is given', noKeyHint);
  return [];
}

async function readGivenKeys(value: string, io: Io, warn: Warn): Promise<string[]> {
  if (isKeyText(value)) return checkKeys(value, '--ssh-key', warn);
  const text = await readText(value, io, what);
  if (text.trim() !== '' && !isKeyText(text.trim())) {
    throw new CliError(`--ssh-key: ${value} holds nothing like an SSH public key`, {
      hint: 'each line is a key, such as "ssh-ed25519 AAAA… comment"',
    });
  }
  return checkKeys(text, `--ssh-key: ${value}`, warn);
}

/** Whether a value is meant as a key and not as a path; a private key must not end up in `not found: …`. */
function isKeyText(value: string): boolean {
  return /PRIVATE KEY|(?:^|\s)(?:ssh|ecdsa|sk|rsa)-[a-z0-9@.-]+\s/.test(value);
}

function checkKeys(text: string, place: string, warn: Warn): string[] {
  if (text.includes('PRIVATE KEY')) {
    throw new CliError(`${place} is a private key, which nobody else may see`, {
      hint: 'give the public key, in the file whose name ends in .pub',
    });
  }
  const keys = splitAuthorizedKeys(text);
  if (keys.length === 0)
    throw new CliError(`No SSH public keys found: ${place} holds none`, { hint: noKeyHint });
  for (const [index, key] of keys.entries()) {
    const check = checkSshPublicKey(key);
    const problem = check.ok ? check.key.weakness : check.reason;
    if (problem !== undefined) warn(`${place}: the SSH key in line ${index + 1} may not work: ${problem}`);
  }
  return keys;
}

/** build.py takes the key that the file system lists first; by name is the same on every machine. */
async function readHomeKeys(io: Io, warn: Warn): Promise<string[]> {
  const { HOME: home } = io.env;
  const folder = home === undefined || home === '' ? undefined : join(home, '.ssh');
  const names = folder === undefined ? [] : await listKeyFiles(folder);
  const [first, ...others] = names;
  if (folder === undefined || first === undefined) {
    throw new CliError('No SSH public keys found', { hint: `looked for ~/.ssh/id_*.pub; ${noKeyHint}` });
  }
  if (others.length > 0) {
    warn(
      `of several SSH keys ~/.ssh/${first} is taken, not ${others.join(', ')}`,
      'choose with --ssh-key FILE',
    );
  }
  const path = join(folder, first);
  return checkKeys(await readText(path, io, what), path, warn);
}

async function listKeyFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []); // no folder is no keys
  return names.filter((name) => /^id_.*\.pub$/s.test(name)).toSorted();
}

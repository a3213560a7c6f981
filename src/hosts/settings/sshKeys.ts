/**
 * Who may log in, from flag or environment, or as build.py looks it up in the home directory. Keys that cannot be read
 * are written all the same, with a warning: sshd of the host may know more types than this program.
 */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { InputValue } from '../../agent/settingInputs.ts';
import { CliError } from '../../core/errors.ts';
import { checkSshPublicKey } from '../../formats/sshKey.ts';
import { homeFolder } from '../../io/files/platformPaths.ts';
import type { Warn } from './options.ts';
import { inPlace, isSwitchedOn, pathIn, type Reading, valueOf, valuesOf } from './reading.ts';
import { readText } from './textFile.ts';

const what = 'SSH public key (--ssh-key)';
const noKeyHint = 'give --ssh-key FILE or host.sshKeys, or --no-ssh-key for nobody to log in';

/** One line of `authorized_keys` each, as written. Throws CliError where a key is asked for and there is none. */
export async function readSshKeys(reading: Reading): Promise<readonly string[]> {
  const { options, profile, warn } = reading;
  if (options.noSshKey === true) return [];
  const values = valuesOf(reading, 'host.sshKeys');
  if (values.length > 0) {
    const keys: string[] = [];
    for (const value of values) keys.push(...(await readGivenKeys(value, reading)));
    return [...new Set(keys)];
  }
  if (profile === 'buildpy') return readHomeKeys(reading);
  const mayLogIn =
    valueOf(reading, 'host.passwordHash') !== undefined || isSwitchedOn(reading, 'host.autologin');
  if (profile === 'default' && !mayLogIn) {
    warn('nobody will be able to log in: no SSH key is given', noKeyHint);
  }
  return [];
}

async function readGivenKeys(value: InputValue, reading: Reading): Promise<string[]> {
  const { isContent, place, text } = value;
  if (isKeyText(text)) return checkKeys(text, place, reading);
  if (isContent) {
    // Other generators write whatever the variable holds.
    if (reading.profile === 'default') refuseOtherText(text, place);
    return checkKeys(text, place, reading);
  }
  const content = await readText(pathIn(value, text), reading.io, what);
  refuseOtherText(content, `${place}: ${text}`);
  return checkKeys(content, `${place}: ${text}`, reading);
}

/** Throws CliError for a text without any key, which is not shown. */
function refuseOtherText(text: string, place: string): void {
  if (text.trim() === '' || isKeyText(text.trim())) return;
  throw new CliError(`${place} contains no SSH public key`, {
    hint: 'use lines of a .pub file, such as "ssh-ed25519 AAAA… comment"',
  });
}

/** Whether a value is meant as a key and not as a path; a private key must not end up in `not found: …`. */
function isKeyText(value: string): boolean {
  return /PRIVATE KEY|(?:^|\s)(?:ssh|ecdsa|sk|rsa)-[a-z0-9@.-]+\s/.test(value);
}

function checkKeys(text: string, place: string, { parse, warn }: Reading): string[] {
  if (text.includes('PRIVATE KEY')) {
    throw new CliError(`${place} is a private key, which nobody else may see`, {
      hint: 'give the public key, in the file whose name ends in .pub',
    });
  }
  const keys = inPlace(place, () => parse.sshKeys(text));
  if (keys.length === 0)
    throw new CliError(`No SSH public keys found: ${place} holds none`, { hint: noKeyHint });
  warnOfKeys(keys, place, warn);
  return keys;
}

function warnOfKeys(keys: readonly string[], place: string, warn: Warn): void {
  for (const [index, key] of keys.entries()) {
    const check = checkSshPublicKey(key);
    const problem = check.ok ? check.key.weakness : check.reason;
    if (problem !== undefined) warn(`${place}: the SSH key in line ${index + 1} may not work: ${problem}`);
  }
}

/** build.py takes the key that the file system lists first; by name is the same on every machine. */
async function readHomeKeys(reading: Reading): Promise<string[]> {
  const home = homeFolder(reading.io.env);
  const folder = home === undefined ? undefined : join(home, '.ssh');
  const names = folder === undefined ? [] : await listKeyFiles(folder);
  const [first, ...others] = names;
  if (folder === undefined || first === undefined) {
    throw new CliError('No SSH public keys found', { hint: `looked for ~/.ssh/id_*.pub; ${noKeyHint}` });
  }
  if (others.length > 0) {
    reading.warn(
      `of several SSH keys ~/.ssh/${first} is taken, not ${others.join(', ')}`,
      'choose with --ssh-key FILE',
    );
  }
  const path = join(folder, first);
  return checkKeys(await readText(path, reading.io, what), path, reading);
}

async function listKeyFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []); // no folder is no keys
  return names.filter((name) => /^id_.*\.pub$/s.test(name)).toSorted();
}

/** The SSH keys of user core. */

import { join } from 'node:path';
import type { InputValue } from '../../agent/settingInputs.ts';
import { NEW_KEY_HINT } from '../../agent/settingParsers.ts';
import { CliError } from '../../core/errors.ts';
import { checkSshPublicKey } from '../../formats/sshKey.ts';
import { namesIn } from '../../io/files/fileStates.ts';
import { homeFolder } from '../../io/files/platform.ts';
import { report } from '../../io/report/report.ts';
import { inputOf, inputsOf, read, readFileValue, type Reading } from './reading.ts';

/**
 * SSH public keys from flag, environment or inventory, or like build.py from the home directory; each is one line of
 * `authorized_keys`.
 * @throws CliError if a key is required and none is found
 */
export async function readSshKeys(reading: Reading): Promise<readonly string[]> {
  const { io, options, profile } = reading;
  const [first] = inputsOf(reading, 'host.sshKeys');
  // An empty list in an inventory is as deliberate as the flag.
  if (options.noSshKey === true || (first === undefined && reading.inputs.get('host.sshKeys') !== undefined))
    return [];
  if (first === undefined && profile === 'buildpy') return readHomeKeys(reading);
  const keys = await readFileValue(reading, 'host.sshKeys');
  if (profile !== 'default') return [...new Set(keys)];
  if (first !== undefined && !keys.some((key) => checkSshPublicKey(key).ok)) {
    throw new CliError(`${first.name}: no SSH key is valid, so no login is possible with one`, {
      code: 'ERR_SETTING',
      hint: NEW_KEY_HINT,
      at: first.at,
    });
  }
  const mayLogIn = inputOf(reading, 'host.passwordHash') !== undefined || read(reading, 'host.autologin');
  if (first === undefined && !mayLogIn) {
    report(io, {
      severity: 'warning',
      message: 'no SSH key is set: login to the host is not possible',
      hint: noKeyHint(reading),
    });
  }
  return [...new Set(keys)];
}

function noKeyHint({ settingsPlace }: Reading): string {
  return settingsPlace === undefined
    ? 'pass --ssh-key FILE or set host.sshKeys, or pass --no-ssh-key to disable SSH login'
    : `set host.sshKeys ${settingsPlace}; an empty list, [], disables SSH login`;
}

/** build.py uses the key that the file system lists first. Sorting by name gives the same result on every machine. */
async function readHomeKeys(reading: Reading): Promise<readonly string[]> {
  const home = homeFolder(reading.io.env);
  const folder = join(home ?? '', '.ssh');
  const names = home === undefined ? [] : await namesIn(folder);
  const [first, ...others] = names.filter((name) => /^id_.*\.pub$/s.test(name)).toSorted();
  if (first === undefined) {
    throw new CliError('No SSH public keys found', {
      code: 'ERR_FILE_MISSING',
      hint: `create ~/.ssh/id_*.pub, or ${noKeyHint(reading)}`,
    });
  }
  if (others.length > 0) {
    report(reading.io, {
      severity: 'warning',
      message: `several SSH keys found: using ~/.ssh/${first}, ignoring ${others.join(', ')}`,
      hint: 'choose a key with --ssh-key FILE',
    });
  }
  const key: InputValue = { text: join(folder, first), name: '~/.ssh', origin: 'flag' };
  return readFileValue({ ...reading, inputs: new Map([['host.sshKeys', [key]]]) }, 'host.sshKeys');
}

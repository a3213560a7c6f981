/** Reads the settings of the host around the agent: login, host name, proxies, time servers, additional files and units. */

import { append } from '../../core/lists.ts';
import { namesIn } from '../../io/files/fileStates.ts';
import { quoteText } from '../../core/foreignText.ts';
import { basename, join } from 'node:path';
import { parsePasswordHash, parseSerialConsole } from '../../agent/login.ts';
import { PUBLIC_MODE } from '../../ignition/dataFile.ts';
import type { AddedUnit, AgentSettings, ProxySettings } from '../../agent/settings.ts';
import type { InputValue } from '../../agent/settingInputs.ts';
import { UNIT_NAME } from '../../agent/unit.ts';
import { CliError, type InputSource, locateError, only, UsageError } from '../../core/errors.ts';
import { machineNameProblem } from '../../formats/hostName.ts';
import { readUserFile } from '../../io/files/files.ts';
import { explainOther } from '../input/contentKind.ts';
import type { Io } from '../../io/io.ts';
import {
  inFile,
  inPlace,
  isSwitchedOn,
  parsed,
  parsedAll,
  pathIn,
  type Reading,
  readNamedFile,
  readText,
  throwAt,
  valueOf,
  valuesOf,
} from './reading.ts';
import { checkSshPublicKey } from '../../formats/sshKey.ts';
import { homeFolder } from '../../io/files/platform.ts';

export async function readHost(reading: Reading) {
  const { parse } = reading;
  const passwordHash = valueOf(reading, 'host.passwordHash');
  return {
    sshKeys: await readSshKeys(reading),
    passwordHash: passwordHash && (await readPasswordHash(passwordHash, reading.io)),
    autologin: isSwitchedOn(reading, 'host.autologin'),
    serialConsoles: [
      ...new Set(parsedAll(reading, 'host.consoles', parseSerialConsole).filter((it) => it !== undefined)),
    ],
    ntpServers: parsedAll(reading, 'host.ntpServers', parse.ntpServers).flat(),
    proxy: readProxy(reading),
    installIpOptions: parsed(reading, 'host.installIpOptions', parse.installIpOptions),
    files: await readFiles(valuesOf(reading, 'ignition.files'), reading.io),
    units: await readUnits(valuesOf(reading, 'ignition.units'), reading.io),
  } satisfies Partial<AgentSettings>;
}

async function readPasswordHash(value: InputValue, io: Io): Promise<string> {
  if (value.text.startsWith('$')) {
    // The error about a missing file would print the hash.
    throw new UsageError(`${value.name} requires the path of a file, not the hash`, {
      hint: 'write the hash to a file with mode 0600, or use /dev/stdin',
      at: value.at,
    });
  }
  const text = await readNamedFile(value, io, 'Password hash');
  return inFile(value, () => parsePasswordHash(text));
}

/** Read apart from {@link readHost}, whose result is cached: the name differs for each host. */
export function readHostname(reading: Reading): string | undefined {
  const value = valueOf(reading, 'host.hostname');
  if (value === undefined) return undefined;
  const hostname = inPlace(value, reading.parse.hostname);
  const problem = hostname === undefined ? undefined : machineNameProblem(hostname);
  if (problem !== undefined) {
    const message = `${value.name} is not a valid host name: ${problem}`;
    reading.warn({ at: value.at, message, hint: 'use a name such as worker-0.example.com' });
  }
  return hostname;
}

/** @throws UsageError that names the flag, the variable or the line */
export function readProxy(reading: Reading): ProxySettings {
  const { parse, warn } = reading;
  const http = parsed(reading, 'proxy.http', parse.proxyUrl);
  const https = parsed(reading, 'proxy.https', parse.proxyUrl);
  const none = valueOf(reading, 'proxy.none');
  if (none !== undefined && http === undefined && https === undefined) {
    warn({ at: none.at, message: `${none.name} has no effect without --http-proxy or --https-proxy` });
  }
  const noProxy = parsed(reading, 'proxy.none', parse.noProxy) ?? [];
  return { http, https, noProxy };
}

const MAX_FILE_BYTES = 64 * 1024 * 1024;

async function readFiles(values: readonly InputValue[], io: Io): Promise<AgentSettings['files']> {
  const files: AgentSettings['files'][number][] = [];
  for (const value of values) {
    const { at, name, text } = value;
    const [, path = '', source = '', mode] = /^([^=]*)=(.*?)(?:,mode=([^,/]*))?$/s.exec(text) ?? [];
    if (!path.startsWith('/') || source === '') {
      throw new UsageError(`${name} ${quoteText(text)} is not PATH=FILE`, {
        hint: 'use PATH=FILE or PATH=FILE,mode=0600, for example /etc/issue.d/note.issue=note.txt',
        at,
      });
    }
    if (mode !== undefined && !/^[0-7]{3,4}$/.test(mode)) {
      throw new UsageError(`${name}: invalid mode ${quoteText(mode)}`, {
        hint: 'use three or four octal digits, for example ,mode=0755',
        at,
      });
    }
    const expected = { what: `File (${name})`, maxBytes: MAX_FILE_BYTES };
    const from = pathIn(value, source);
    const content = await readUserFile(from, io, expected).catch(throwAt(value));
    files.push({ path, mode: mode === undefined ? PUBLIC_MODE : Number.parseInt(mode, 8), content, from });
  }
  return files;
}

const UNIT_NAME_PATTERN =
  /^[A-Za-z0-9:_.\\@-]{1,240}\.(?:service|socket|mount|automount|swap|target|path|timer|slice)$/;

async function readUnits(values: readonly InputValue[], io: Io): Promise<AddedUnit[]> {
  const units: AddedUnit[] = [];
  for (const value of values) {
    const name = basename(value.text);
    if (!UNIT_NAME_PATTERN.test(name)) {
      const content = await readNamedFile(value, io, 'Unit');
      const other = await explainOther('a systemd unit', pathIn(value, value.text), Buffer.from(content));
      if (other !== undefined) throw locateError(other, value.at);
      throw new CliError(`${value.name}: the file name of ${value.text} is not a valid unit name`, {
        code: 'ERR_SETTING',
        hint: 'rename the file to the name of the unit, for example burn-in.service',
        at: value.at,
      });
    }
    if (name === UNIT_NAME) {
      throw new CliError(`${value.name}: ${name} is the unit of the agent`, {
        code: 'ERR_SETTING',
        hint: 'use a drop-in to change it, in an Ignition config for --merge',
        at: value.at,
      });
    }
    units.push({ name, text: await readNamedFile(value, io, 'Unit'), from: pathIn(value, value.text) });
  }
  return units;
}

function noKeyHint({ settingsPlace }: Reading): string {
  return settingsPlace === undefined
    ? 'pass --ssh-key FILE or set host.sshKeys, or pass --no-ssh-key to disable SSH login'
    : `set host.sshKeys ${settingsPlace}`;
}

/**
 * SSH public keys from flag, environment or inventory, or like build.py from the home directory; each is one line of
 * `authorized_keys`. Keys of unknown types are written with a warning: sshd on the host may support them.
 * @throws CliError if a key is required and none is found
 */
async function readSshKeys(reading: Reading): Promise<readonly string[]> {
  const { options, profile, warn } = reading;
  if (options.noSshKey === true) return [];
  const values = valuesOf(reading, 'host.sshKeys');
  if (values.length > 0) {
    const keys: string[] = [];
    for (const value of values) append(keys, await readGivenKeys(value, reading));
    // Other generators write any key.
    if (profile === 'default' && !keys.some((key) => checkSshPublicKey(key).ok)) {
      const [{ at, name } = { name: '' }] = values;
      const message = `${name}: no SSH key is valid, so no login is possible with one`;
      throw new CliError(message, { code: 'ERR_SETTING', hint: NEW_KEY_HINT, at });
    }
    return [...new Set(keys)];
  }
  if (profile === 'buildpy') return readHomeKeys(reading);
  const mayLogIn =
    valueOf(reading, 'host.passwordHash') !== undefined || isSwitchedOn(reading, 'host.autologin');
  if (profile === 'default' && !mayLogIn) {
    warn({ message: 'no SSH key is set: login to the host is not possible', hint: noKeyHint(reading) });
  }
  return [];
}

async function readGivenKeys(value: InputValue, reading: Reading): Promise<string[]> {
  const { at, isContent, name, text } = value;
  if (isKeyText(text)) return checkKeys(text, value, reading);
  if (isContent) {
    // Other generators write the variable as it is.
    if (reading.profile === 'default') requireKey(text, value);
    return checkKeys(text, value, reading);
  }
  const content = await readNamedFile(value, reading.io, 'SSH public key').catch(
    only(CliError, (error) => {
      if (!isMissingKey(error, text)) throw error;
      throw new CliError(error.sentence, {
        code: error.code,
        at: error.at,
        hint: NEW_KEY_HINT,
        cause: error,
      });
    }),
  );
  const file = { at, name: `${name}: ${text}` };
  if (!isKeyText(content.trim())) {
    const other = await explainOther('an SSH public key', pathIn(value, text), Buffer.from(content));
    if (other !== undefined) throw locateError(other, at);
  }
  requireKey(content, file);
  return checkKeys(content, file, reading);
}

const NEW_KEY_HINT = 'create a key with "ssh-keygen -t ed25519", or pass the file of another public key';

/** Whether there is no key with a usual name, and none with a similar name that the hint could propose. */
function isMissingKey({ code, hint = '' }: CliError, path: string): boolean {
  return code === 'ERR_FILE_MISSING' && /^id_\w+\.pub$/.test(basename(path)) && !hint.endsWith('.pub');
}

/** @throws CliError for a text without any key; the message does not quote the text */
function requireKey(text: string, { at, name }: InputSource): void {
  if (text.trim() === '' || isKeyText(text.trim())) return;
  throw new CliError(`${name} contains no SSH public key`, {
    code: 'ERR_SETTING',
    hint: 'use lines of a .pub file, such as "ssh-ed25519 AAAA… comment"',
    at,
  });
}

/**
 * Whether a value is a key and not a path, such as `my ssh-keys here/id.pub`: each key starts with the length of its type, which
 * is AAAA in base64. Includes private keys: the message `not found: …` must not quote them.
 */
function isKeyText(value: string): boolean {
  return /PRIVATE KEY|(?:^|\s)(?:ssh|ecdsa|sk|rsa)-[a-z0-9@.-]+\s+AAAA/.test(value);
}

function checkKeys(text: string, { at, name }: InputSource, reading: Reading): string[] {
  const { parse, warn } = reading;
  if (text.includes('PRIVATE KEY')) {
    throw new CliError(`${name} is a private key`, {
      code: 'ERR_SETTING',
      hint: 'pass the public key, in the file that ends in .pub',
      at,
    });
  }
  const keys = inPlace({ at, name, text }, parse.sshKeys);
  if (keys.length === 0)
    throw new CliError(`No SSH public keys found in ${name}`, {
      code: 'ERR_FILE_MISSING',
      hint: noKeyHint(reading),
      at,
    });
  for (const [index, key] of keys.entries()) {
    const check = checkSshPublicKey(key);
    const problem = check.ok ? check.key.weakness : check.reason;
    if (problem === undefined) continue;
    warn({ at, message: `${name}: the SSH key in line ${index + 1} may not work: ${problem}` });
  }
  return keys;
}

/** build.py uses the key that the file system lists first. Sorting by name gives the same result on every machine. */
async function readHomeKeys(reading: Reading): Promise<string[]> {
  const home = homeFolder(reading.io.env);
  const folder = home === undefined ? undefined : join(home, '.ssh');
  const names = folder === undefined ? [] : await listKeyFiles(folder);
  const [first, ...others] = names;
  if (folder === undefined || first === undefined) {
    throw new CliError('No SSH public keys found', {
      code: 'ERR_FILE_MISSING',
      hint: `create ~/.ssh/id_*.pub, or ${noKeyHint(reading)}`,
    });
  }
  if (others.length > 0) {
    reading.warn({
      message: `several SSH keys found: using ~/.ssh/${first}, ignoring ${others.join(', ')}`,
      hint: 'choose a key with --ssh-key FILE',
    });
  }
  const path = join(folder, first);
  return checkKeys(await readText(path, reading.io, 'SSH public key'), { name: path }, reading);
}

async function listKeyFiles(folder: string): Promise<string[]> {
  const names = await namesIn(folder);
  return names.filter((name) => /^id_.*\.pub$/s.test(name)).toSorted();
}

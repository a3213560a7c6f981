/** Reads the network of one host: nmstate (converted by nmstatectl if installed) and keyfiles (unchanged). */

import { basename, resolve } from 'node:path';
import type { Keyfile } from '../../network/convertNmstate.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import type { InputValue } from '../../agent/settingInputs.ts';
import { CliError, FormatError } from '../../core/errors.ts';
import { parseKeyfile } from '../../formats/keyfile.ts';
import type { Io } from '../../io/io.ts';
import { findNmstatectl, runNmstatectl } from '../../io/nmstatectl.ts';
import { isSwitchedOn, readNamedFile, type Reading, valueOf, valuesOf } from './reading.ts';

export interface NetworkReading {
  readonly settings: Pick<AgentSettings, 'keyfiles' | 'copyNetwork'>;
  /** Whether a network is configured for the host, by these settings or by assisted-service. */
  readonly hasNetwork: boolean;
}

/** @throws CliError if a file is missing or invalid, or nmstatectl fails */
export async function readNetwork(reading: Reading): Promise<NetworkReading> {
  const nmstate = valueOf(reading, 'host.nmstate');
  const given = valuesOf(reading, 'host.keyfiles');
  const state = nmstate === undefined ? '' : await readState(nmstate, reading.io);
  if (reading.profile === 'assisted') {
    // The service writes the network itself; only whether there is one matters here.
    const hasNetwork = state !== '' || given.length > 0 || (await discoveryHasNetwork(reading));
    return { settings: { keyfiles: [] }, hasNetwork };
  }
  const converted = nmstate === undefined || state === '' ? [] : await convert(nmstate, state, reading);
  const keyfiles = [...converted, ...(await readKeyfiles(given, reading))];
  rejectDuplicates(keyfiles);
  const hasNetwork = keyfiles.length > 0;
  return { settings: { keyfiles, ...copyNetwork(reading, hasNetwork) }, hasNetwork };
}

async function readState(nmstate: InputValue, io: Io): Promise<string> {
  return nmstate.isContent ? nmstate.text : readNamedFile(nmstate, io, 'Network state');
}

function copyNetwork(reading: Reading, hasNetwork: boolean): { readonly copyNetwork?: boolean } {
  const { options, profile } = reading;
  if (profile === 'icc') return { copyNetwork: hasNetwork };
  if (options.noCopyNetwork === true) return { copyNetwork: false };
  const given = valueOf(reading, 'host.copyNetwork');
  if (given !== undefined) return { copyNetwork: isSwitchedOn(reading, 'host.copyNetwork') };
  return hasNetwork ? { copyNetwork: true } : {};
}

/** The service writes its network into this folder of the discovery config; a script then configures the matching interfaces. */
async function discoveryHasNetwork(reading: Reading): Promise<boolean> {
  const discovery = valueOf(reading, 'ignition.discovery');
  if (discovery === undefined) return false;
  return (await readNamedFile(discovery, reading.io, 'Discovery config')).includes('"/etc/assisted/network/');
}

async function convert(nmstate: InputValue, state: string, reading: Reading): Promise<readonly Keyfile[]> {
  const { io, options, profile, warn } = reading;
  const program =
    options.nmstatectl === undefined ? await findCached(io.env) : resolve(io.cwd, options.nmstatectl);
  io.note?.(
    `${nameOf(nmstate)}: converting with ${program ?? 'the built-in converter; nmstatectl not found on PATH'}`,
  );
  const keyfiles =
    program === undefined
      ? await convertHere(nmstate, state, reading)
      : await runNmstatectl(state, { program, env: io.env });
  if (keyfiles.length > 0) return keyfiles;
  if (profile === 'icc') {
    throw new CliError(`${nameOf(nmstate)} contains no connections`, {
      code: 'ERR_SETTING',
      hint: 'remove the file: ICC would disable VLANs and announce a network that does not exist',
    });
  }
  warn(`${nameOf(nmstate)} contains no connections`, 'remove it');
  return [];
}

/** The source of the network state, for messages. */
function nameOf({ isContent, place, text }: InputValue): string {
  return isContent ? place : `${place}: ${text}`;
}

/** Cached: searching PATH takes longer than converting the network of a host. */
function findCached(env: Io['env']): Promise<string | undefined> {
  const found = nmstatectls.get(env) ?? findNmstatectl(env);
  nmstatectls.set(env, found);
  return found;
}

const nmstatectls = new WeakMap<Io['env'], Promise<string | undefined>>();

async function convertHere(
  nmstate: InputValue,
  state: string,
  { warn }: Reading,
): Promise<readonly Keyfile[]> {
  const { convertNmstate } = await import('../../network/convertNmstate.ts');
  const { parseYaml } = await import('../../formats/yaml.ts');
  const yaml = nmstate.document ?? parseFile(nmstate, () => parseYaml(state));
  const file = nmstate.document?.name ?? nmstate.text;
  const { keyfiles, findings } = convertNmstate(yaml.value);
  const place = ({ path }: (typeof findings)[number]): string => {
    const position = yaml.locate(path);
    return position === undefined ? file : `${file}:${position.line}:${position.column}`;
  };
  const source = nmstate.document === undefined ? `${nmstate.place}: ` : '';
  for (const finding of findings) {
    if (finding.severity !== 'error') warn(`${source}${place(finding)}: ${finding.message}`, finding.hint);
  }
  const error = findings.find(({ severity }) => severity === 'error');
  if (error === undefined) return keyfiles;
  throw new CliError(`${source}${place(error)}: ${error.message}`, { code: 'ERR_SETTING', hint: error.hint });
}

async function readKeyfiles(given: readonly InputValue[], { io }: Reading): Promise<Keyfile[]> {
  const keyfiles: Keyfile[] = [];
  for (const value of given) {
    const { fileName: name = basename(value.text) } = value;
    const text = value.isContent ? value.text : await readNamedFile(value, io, 'NetworkManager keyfile');
    requireFileName(value, name);
    const sections = parseFile(value, () => parseKeyfile(text));
    if (!sections.some((section) => section.name === 'connection')) {
      throw new CliError(`${nameOf(value)} has no section [connection]`, {
        code: 'ERR_SETTING',
        hint: 'pass a file like those in /etc/NetworkManager/system-connections',
      });
    }
    keyfiles.push({ name, text });
  }
  return keyfiles;
}

/** A name from the inventory becomes part of a path on the host. */
function requireFileName({ fileName, place }: InputValue, name: string): void {
  if (fileName === undefined || /^[^/\0]{1,240}\.nmconnection$/.test(name)) return;
  throw new CliError(`${place}: ${JSON.stringify(name)} is not a valid keyfile name`, {
    code: 'ERR_SETTING',
    hint: 'use a name such as eth0.nmconnection',
  });
}

/** For parsers with messages that are complete without the name of the input. */
function parseFile<T>(value: InputValue, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const { hint = 'fix the file', message } = error;
    throw new CliError(`${nameOf(value)}: ${message}`, { code: 'ERR_SETTING', hint, cause: error });
  }
}

function rejectDuplicates(keyfiles: readonly Keyfile[]): void {
  const names = new Set<string>();
  for (const { name } of keyfiles) {
    if (names.has(name)) {
      throw new CliError(`two connections have the same file name ${name}`, {
        code: 'ERR_SETTING',
        hint: 'rename one of them',
      });
    }
    names.add(name);
  }
}

/** The network of a host: nmstate, OpenStack network data and keyfiles. */

import { basename, resolve } from 'node:path';
import type { InputValue } from '../../agent/settingInputs.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import { CliError, type FilePlace, located, placeIn } from '../../core/errors.ts';
import { quoteText } from '../../core/foreignText.ts';
import type { Keyfile } from '../../network/convertedKeyfile.ts';
import { acceptedName, isSkippedFile } from '../../network/keyfile/names.ts';
import { convertNetwork } from '../input/networkDescription.ts';
import { report } from '../../io/report/report.ts';
import { runNmstatectl } from '../input/nmstatectl.ts';
import { refuseOtherKeyfile } from '../input/contentKind.ts';
import { inputOf, inputsOf, pathIn, read, readNamedFile, type Reading } from './reading.ts';

/**
 * Returns the settings, and whether they or assisted-service configure a network for the host.
 * @throws CliError if a file is missing or invalid, or nmstatectl fails
 */
export async function readNetwork(reading: Reading) {
  const nmstate = inputOf(reading, 'host.nmstate');
  const described = nmstate ?? inputOf(reading, 'host.networkData');
  const given = inputsOf(reading, 'host.keyfiles');
  const what = nmstate === undefined ? 'Network data' : 'Network state';
  const text = described === undefined ? '' : await readText(described, reading, what);
  if (reading.profile === 'assisted') {
    // The service writes the network itself; only whether there is one matters here.
    const hasNetwork = text !== '' || given.length > 0 || (await discoveryHasNetwork(reading));
    return { settings: { keyfiles: [] }, hasNetwork };
  }
  // ICC starts a host with an empty file without a network of its own.
  const isLeftOut = described === undefined || (text === '' && reading.profile === 'icc');
  const format = nmstate === undefined ? 'networkData' : 'nmstate';
  const keyfiles = isLeftOut ? [] : await convert(format, described, text, reading);
  for (const value of given) keyfiles.push(await readKeyfile(value, reading));
  const names = keyfiles.map(({ name }) => name);
  const shared = names.find((name, index) => names.indexOf(name) < index);
  if (shared !== undefined) {
    throw new CliError(`two connections have the same file name ${shared}`, {
      code: 'ERR_SETTING',
      hint: `rename one of the connections ${shared}`,
    });
  }
  const hasNetwork = keyfiles.length > 0;
  const settings = { keyfiles, copyNetwork: copyNetwork(reading, hasNetwork) };
  return { settings: settings satisfies Partial<AgentSettings>, hasNetwork };
}

async function readText(value: InputValue, { io }: Reading, what: string): Promise<string> {
  return value.isContent ? value.text : readNamedFile(value, io, what);
}

function copyNetwork(reading: Reading, hasNetwork: boolean): boolean | undefined {
  const { options, profile } = reading;
  if (profile === 'icc') return hasNetwork;
  if (options.noCopyNetwork === true) return false;
  if (inputOf(reading, 'host.copyNetwork') !== undefined) return read(reading, 'host.copyNetwork');
  return hasNetwork ? true : undefined;
}

/** The service writes its network into this folder of the discovery config; a script then configures the matching interfaces. */
async function discoveryHasNetwork(reading: Reading): Promise<boolean> {
  const discovery = inputOf(reading, 'ignition.discovery');
  if (discovery === undefined) return false;
  return (await readNamedFile(discovery, reading.io, 'Discovery config')).includes('"/etc/assisted/network/');
}

async function convert(
  format: 'nmstate' | 'networkData',
  value: InputValue,
  text: string,
  { io, options: { nmstatectl }, profile }: Reading,
): Promise<Keyfile[]> {
  const { at, document } = value;
  const name = value.isContent ? value.name : `${value.name}: ${value.text}`;
  const run = (state: string) => runNmstatectl(state, resolve(io.cwd, nmstatectl ?? ''), io.env);
  const isOther = format === 'nmstate' && nmstatectl !== undefined;
  const described = { format, text, name, at, document, file: fileOf(value) };
  const keyfiles = await convertNetwork(
    described,
    (problem) => void report(io, problem),
    isOther ? run : undefined,
  );
  if (keyfiles.length > 0 || profile !== 'icc') return [...keyfiles];
  throw new CliError(`${name} contains no connections`, {
    code: 'ERR_SETTING',
    hint: 'remove the file: ICC would disable VLANs and announce a network that does not exist',
    at,
  });
}

function fileOf(value: InputValue): string {
  return value.isContent ? (value.document?.name ?? value.name) : pathIn(value, value.text);
}

/** The lint of the rendered config reports what NetworkManager ignores in the keyfile. */
async function readKeyfile(value: InputValue, reading: Reading): Promise<Keyfile> {
  const { at, fileName: name = basename(value.text), isContent, locateLine } = value;
  const text = await readText(value, reading, 'NetworkManager keyfile');
  requireFileName(value, name);
  const file = fileOf(value);
  if (!isContent) await located({ at }, () => refuseOtherKeyfile(file, Buffer.from(text)));
  const locate = (line: number | undefined): FilePlace => {
    if (!isContent) return placeIn(file, line);
    return (line === undefined ? undefined : locateLine?.(line)) ?? at ?? { file };
  };
  return { name, text, locate };
}

/** A name from the inventory becomes part of a path on the host. */
function requireFileName({ at, fileName, name: source }: InputValue, name: string): void {
  const isOther = fileName !== undefined && !/^[^/\0]{1,240}\.nmconnection$/.test(name);
  if (!isOther && !isSkippedFile(name)) return;
  const [message, example] = isOther
    ? [`${quoteText(name)} is not a valid keyfile name`, 'eth0.nmconnection']
    : [`NetworkManager skips a keyfile with the name ${quoteText(name)}`, acceptedName(name)];
  throw new CliError(`${source}: ${message}`, {
    code: 'ERR_SETTING',
    hint: `use a name such as ${example}`,
    at,
  });
}

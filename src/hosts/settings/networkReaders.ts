/**
 * Reads the network of one host: nmstate, OpenStack network data and keyfiles
 * (unchanged).
 */

import { quoteText } from '../../core/foreignText.ts';
import { basename, resolve } from 'node:path';
import { type Keyfile, locateLines } from '../../network/convertedKeyfile.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import type { InputValue } from '../../agent/settingInputs.ts';
import { CliError, type FilePlace, FormatError, locateError } from '../../core/errors.ts';
import type { Finding, Path } from '../../core/finding.ts';
import { parseKeyfile } from '../../formats/keyfile.ts';
import type { Io } from '../../io/io.ts';
import { runNmstatectl } from '../input/nmstatectl.ts';
import { explainOtherKeyfile, type NetworkDocument, readNetworkDocument } from '../input/pastedPart.ts';
import { acceptedName, isSkippedFile } from '../../network/keyfile/names.ts';
import { pathIn, read, readNamedFile, type Reading, inputOf, inputsOf } from './reading.ts';

/**
 * Returns the settings, and whether they or assisted-service configure a network for the host.
 * @throws CliError if a file is missing or invalid, or nmstatectl fails
 */
export async function readNetwork(reading: Reading) {
  const described = chooseDescription(reading);
  const given = inputsOf(reading, 'host.keyfiles');
  const text = described === undefined ? '' : await readDescription(described, reading.io);
  if (reading.profile === 'assisted') {
    // The service writes the network itself; only whether there is one matters here.
    const hasNetwork = text !== '' || given.length > 0 || (await discoveryHasNetwork(reading));
    return { settings: { keyfiles: [] }, hasNetwork };
  }
  // ICC starts a host with an empty file without a network of its own.
  const isLeftOut = described === undefined || (text === '' && reading.profile === 'icc');
  const converted = isLeftOut ? [] : await convert(described, text, reading);
  const keyfiles = [...converted, ...(await readKeyfiles(given, reading))];
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

/** The network of a host as a document in one of the formats that become keyfiles. */
interface Description {
  readonly format: 'nmstate' | 'networkData';
  readonly value: InputValue;
}

function chooseDescription(reading: Reading): Description | undefined {
  const nmstate = inputOf(reading, 'host.nmstate');
  if (nmstate !== undefined) return { format: 'nmstate', value: nmstate };
  const networkData = inputOf(reading, 'host.networkData');
  return networkData && { format: 'networkData', value: networkData };
}

async function readDescription({ format, value }: Description, io: Io): Promise<string> {
  if (value.isContent) return value.text;
  return readNamedFile(value, io, format === 'nmstate' ? 'Network state' : 'Network data');
}

function copyNetwork(reading: Reading, hasNetwork: boolean): boolean | undefined {
  const { options, profile } = reading;
  if (profile === 'icc') return hasNetwork;
  if (options.noCopyNetwork === true) return false;
  const given = inputOf(reading, 'host.copyNetwork');
  if (given !== undefined) return read(reading, 'host.copyNetwork');
  return hasNetwork ? true : undefined;
}

/** The service writes its network into this folder of the discovery config; a script then configures the matching interfaces. */
async function discoveryHasNetwork(reading: Reading): Promise<boolean> {
  const discovery = inputOf(reading, 'ignition.discovery');
  if (discovery === undefined) return false;
  return (await readNamedFile(discovery, reading.io, 'Discovery config')).includes('"/etc/assisted/network/');
}

async function convert(described: Description, text: string, reading: Reading): Promise<readonly Keyfile[]> {
  const { profile, warn } = reading;
  const { format, value } = described;
  const document = await parseFile(value, () => readNetworkDocument(format, text, fileOf(value)));
  for (const warning of document.warnings) warn(warning);
  const { nmstatectl } = reading.options;
  const keyfiles =
    format === 'nmstate' && nmstatectl !== undefined
      ? await runConverter(nmstatectl, described, document, reading)
      : await convertHere(described, document, reading);
  if (keyfiles.length > 0) return keyfiles;
  const message = `${sourceName(value)} contains no connections`;
  if (profile === 'icc') {
    throw new CliError(message, {
      code: 'ERR_SETTING',
      hint: 'remove the file: ICC would disable VLANs and announce a network that does not exist',
      at: value.at,
    });
  }
  warn({ at: value.at, message, hint: `remove ${value.name}` });
  return [];
}

/** Converts an nmstate document with the nmstatectl that the user names. */
async function runConverter(
  program: string,
  described: Description,
  document: NetworkDocument,
  { io }: Reading,
): Promise<readonly Keyfile[]> {
  const keyfiles = await runNmstatectl(document.text, { program: resolve(io.cwd, program), env: io.env });
  const file = fileOf(described.value);
  const yaml = await parseDescription(described, document);
  const own = (await converters.nmstate())(yaml.value).keyfiles;
  return keyfiles.map((keyfile) => {
    const same = own.find(({ name, text }) => name === keyfile.name && text === keyfile.text);
    return {
      ...keyfile,
      locate: same === undefined ? () => ({ file }) : locateLines(same, file, yaml.locate),
    };
  });
}

/** The file that contains the description. */
function fileOf(value: InputValue): string {
  if (value.isContent) return value.document?.name ?? value.name;
  return pathIn(value, value.text);
}

/** The source of the description, for messages. */
function sourceName({ isContent, name, text }: InputValue): string {
  return isContent || name === text ? name : `${name}: ${text}`;
}

/** The converters by the kind of the document; they are large, so each is loaded when it is needed. */
export const converters = {
  nmstate: async () => (await import('../../network/convertNmstate.ts')).convertNmstate,
  networkData: async () =>
    (await import('../../network/networkData/convertNetworkData.ts')).convertNetworkData,
} as const;

async function convertHere(
  described: Description,
  document: NetworkDocument,
  { warn }: Reading,
): Promise<readonly Keyfile[]> {
  const { format, value } = described;
  const toKeyfiles = await converters[format]();
  const yaml = await parseDescription(described, document);
  const file = fileOf(value);
  const { keyfiles, findings } = toKeyfiles(yaml.value);
  const locate = ({ path }: Finding): FilePlace => ({ file, ...yaml.locate(path) });
  const error = findings.findLast(({ severity }) => severity === 'error');
  for (const finding of findings) {
    const { hint, message, severity } = finding;
    if (finding !== error) warn({ severity, at: locate(finding), message, hint });
  }
  if (error !== undefined)
    throw new CliError(error.message, { code: 'ERR_SETTING', hint: error.hint, at: locate(error) });
  return keyfiles.map((keyfile) => ({ ...keyfile, locate: locateLines(keyfile, file, yaml.locate) }));
}

/** The value of a description, with positions in the file that contains it. */
async function parseDescription({ value }: Description, document: NetworkDocument) {
  const { parse, path: inObject = [] } = document;
  const outer = value.document;
  if (outer === undefined) return parseFile(value, parse);
  return {
    value: document.path === undefined ? outer.value : (await parse()).value,
    locate: (steps: Path) => outer.locate([...inObject, ...steps]),
  };
}

async function readKeyfiles(given: readonly InputValue[], { io }: Reading): Promise<Keyfile[]> {
  const keyfiles: Keyfile[] = [];
  for (const value of given) {
    const { fileName: name = basename(value.text) } = value;
    const text = value.isContent ? value.text : await readNamedFile(value, io, 'NetworkManager keyfile');
    requireFileName(value, name);
    const other = value.isContent
      ? undefined
      : await explainOtherKeyfile(pathIn(value, value.text), Buffer.from(text));
    if (other !== undefined) throw locateError(other, value.at);
    const sections = await parseFile(value, () => parseKeyfile(text));
    if (!sections.some((section) => section.name === 'connection')) {
      throw new CliError(`${sourceName(value)} has no section [connection]`, {
        code: 'ERR_SETTING',
        hint: 'pass a file like those in /etc/NetworkManager/system-connections',
        at: value.at,
      });
    }
    const locate = (line: number | undefined): FilePlace => {
      const inDocument = line === undefined ? undefined : value.locateLine?.(line);
      if (value.isContent) return inDocument ?? value.at ?? { file: value.name };
      return { file: pathIn(value, value.text), ...(line !== undefined && { line }) };
    };
    keyfiles.push({ name, text, locate });
  }
  return keyfiles;
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

/** For parsers with messages that are complete without the name of the input. */
async function parseFile<T>(value: InputValue, parse: () => T | Promise<T>): Promise<T> {
  try {
    return await parse();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const { hint = `fix ${fileOf(value)}`, message } = error;
    const details = { code: 'ERR_SETTING', hint, at: value.at, cause: error } as const;
    throw new CliError(`${sourceName(value)}: ${message}`, details);
  }
}

/** The network of one host: nmstate's description, converted by nmstate where it is installed, and keyfiles as they are. */

import { basename, resolve } from 'node:path';
import { convertNmstate, type Keyfile } from '../../agent/network/convertNmstate.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import type { InputValue } from '../../agent/settingInputs.ts';
import { CliError, FormatError } from '../../errors.ts';
import { parseKeyfile } from '../../formats/keyfile.ts';
import { parseYaml } from '../../formats/yaml.ts';
import { findNmstatectl, runNmstatectl } from '../../io/nmstatectl.ts';
import { readNamedFile, type Reading, valueOf, valuesOf } from './reading.ts';

export interface NetworkReading {
  readonly settings: Pick<AgentSettings, 'keyfiles' | 'copyNetwork'>;
  /** The host has a network of its own, even one that assisted-service sets up. */
  readonly hasNetwork: boolean;
}

/** Throws CliError for files that are missing or wrong, and what nmstatectl says. */
export async function readNetwork(reading: Reading): Promise<NetworkReading> {
  const nmstate = valueOf(reading, 'host.nmstate');
  const given = valuesOf(reading, 'host.keyfiles');
  const state = nmstate === undefined ? '' : await readNamedFile(nmstate, reading.io, 'Network state');
  if (reading.profile === 'assisted') {
    // The service writes the network itself; the agent only has to know that there is one.
    const hasNetwork = state !== '' || given.length > 0 || (await discoveryHasNetwork(reading));
    return { settings: { keyfiles: [] }, hasNetwork };
  }
  const converted = nmstate === undefined || state === '' ? [] : await convert(nmstate, state, reading);
  const keyfiles = [...converted, ...(await readKeyfiles(given, reading))];
  refuseTwins(keyfiles);
  const hasNetwork = keyfiles.length > 0;
  return { settings: { keyfiles, ...copyNetwork(reading, hasNetwork) }, hasNetwork };
}

function copyNetwork({ options, profile }: Reading, hasNetwork: boolean): { readonly copyNetwork?: boolean } {
  if (profile === 'icc') return { copyNetwork: hasNetwork };
  if (options.noCopyNetwork === true) return { copyNetwork: false };
  return options.copyNetwork === true || hasNetwork ? { copyNetwork: true } : {};
}

/** The service puts its network there, for a script that waits for the right interfaces. */
async function discoveryHasNetwork(reading: Reading): Promise<boolean> {
  const discovery = valueOf(reading, 'ignition.discovery');
  if (discovery === undefined) return false;
  return (await readNamedFile(discovery, reading.io, 'Discovery config')).includes('"/etc/assisted/network/');
}

async function convert(nmstate: InputValue, state: string, reading: Reading): Promise<readonly Keyfile[]> {
  const { io, options, profile, warn } = reading;
  const program =
    options.nmstatectl === undefined ? await findNmstatectl(io.env) : resolve(io.cwd, options.nmstatectl);
  const keyfiles =
    program === undefined
      ? convertHere(nmstate, state, reading)
      : await runNmstatectl(state, { program, env: io.env });
  if (keyfiles.length > 0) return keyfiles;
  if (profile === 'icc') {
    throw new CliError(`${nmstate.place}: ${nmstate.text} describes no connection`, {
      hint: 'ICC would switch VLANs off and announce a network that is not there; leave the file out',
    });
  }
  warn(`${nmstate.place}: ${nmstate.text} describes no connection`, 'leave it out');
  return [];
}

function convertHere(nmstate: InputValue, state: string, { warn }: Reading): readonly Keyfile[] {
  const yaml = parseFile(nmstate, () => parseYaml(state));
  const { keyfiles, findings } = convertNmstate(yaml.value);
  const place = ({ path }: (typeof findings)[number]): string => {
    const position = yaml.locate(path);
    return position === undefined ? nmstate.text : `${nmstate.text}:${position.line}:${position.column}`;
  };
  for (const finding of findings) {
    if (finding.severity !== 'error')
      warn(`${nmstate.place}: ${place(finding)}: ${finding.message}`, finding.hint);
  }
  const error = findings.find(({ severity }) => severity === 'error');
  if (error === undefined) return keyfiles;
  throw new CliError(
    `${nmstate.place}: ${place(error)}: ${error.message}`,
    error.hint === undefined ? {} : { hint: error.hint },
  );
}

async function readKeyfiles(given: readonly InputValue[], { io }: Reading): Promise<Keyfile[]> {
  const keyfiles: Keyfile[] = [];
  for (const value of given) {
    const text = await readNamedFile(value, io, 'Connection of NetworkManager');
    const name = basename(value.text);
    const sections = parseFile(value, () => parseKeyfile(text));
    if (!sections.some((section) => section.name === 'connection')) {
      throw new CliError(`${value.place}: ${value.text} has no section [connection]`, {
        hint: 'a connection is a file like those in /etc/NetworkManager/system-connections',
      });
    }
    keyfiles.push({ name, text });
  }
  return keyfiles;
}

/** The messages of these parsers are whole sentences. */
function parseFile<T>({ place, text }: InputValue, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new CliError(`${place}: ${text}: ${error.message}`, { hint: error.hint ?? 'correct the file' });
  }
}

function refuseTwins(keyfiles: readonly Keyfile[]): void {
  const names = keyfiles.map(({ name }) => name);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin === undefined) return;
  throw new CliError(`two connections would be the file ${twin} on the host`, { hint: 'rename one of them' });
}

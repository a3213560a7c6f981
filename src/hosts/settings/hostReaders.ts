/** The host around the agent: who can log in, its name, proxies, time, further files and units. */

import { basename } from 'node:path';
import { parseConsole } from '../../agent/consoles.ts';
import { type HostFile, publicMode } from '../../ignition/dataFile.ts';
import { parsePasswordHash } from '../../agent/passwordHash.ts';
import type { AgentSettings, HostUnit, ProxySettings } from '../../agent/settings.ts';
import type { InputValue } from '../../agent/settingInputs.ts';
import { unitName } from '../../agent/unit.ts';
import { CliError, UsageError } from '../../core/errors.ts';
import { machineNameProblem } from '../../formats/hostName.ts';
import { readUserFile } from '../../io/files/files.ts';
import type { Io } from '../../io/io.ts';
import {
  inFile,
  isSwitchedOn,
  parsed,
  parsedAll,
  pathIn,
  readNamedFile,
  type Reading,
  valueOf,
  valuesOf,
} from './reading.ts';
import { readSshKeys } from './sshKeys.ts';

/** What is read here. */
export type HostPart = Pick<
  AgentSettings,
  | 'sshKeys'
  | 'passwordHash'
  | 'autologin'
  | 'serialConsoles'
  | 'ntpServers'
  | 'proxy'
  | 'installIpOptions'
  | 'files'
  | 'units'
>;

export async function readHost(reading: Reading): Promise<HostPart> {
  const { parse } = reading;
  const installIpOptions = parsed(reading, 'host.installIpOptions', parse.installIpOptions);
  return {
    sshKeys: await readSshKeys(reading),
    ...(await readPasswordHash(reading)),
    autologin: isSwitchedOn(reading, 'host.autologin'),
    serialConsoles: readSerialConsoles(reading),
    ntpServers: parsedAll(reading, 'host.ntpServers', parse.ntpServers).flat(),
    proxy: readProxy(reading),
    ...(installIpOptions === undefined ? {} : { installIpOptions }),
    files: await readFiles(valuesOf(reading, 'ignition.files'), reading.io),
    units: await readUnits(valuesOf(reading, 'ignition.units'), reading.io),
  };
}

function readSerialConsoles(reading: Reading): string[] {
  const devices = parsedAll(reading, 'host.consoles', parseConsole);
  return [...new Set(devices.filter((device) => device !== undefined))];
}

async function readPasswordHash(reading: Reading): Promise<Pick<AgentSettings, 'passwordHash'>> {
  const value = valueOf(reading, 'host.passwordHash');
  if (value === undefined) return {};
  if (value.text.startsWith('$')) {
    // An error about a missing file would show it.
    throw new UsageError(`${value.place} takes the path of a file, not the hash`, {
      hint: 'write it to a file that only you can read; /dev/stdin works, too',
    });
  }
  const text = await readNamedFile(value, reading.io, 'Hash of a password');
  return { passwordHash: inFile(value, () => parsePasswordHash(text)) };
}

/** The name is different for each host; the rest seldom is. */
export function readHostname(reading: Reading): Pick<AgentSettings, 'hostname'> {
  const hostname = parsed(reading, 'host.hostname', reading.parse.hostname);
  if (hostname === undefined) return {};
  const problem = machineNameProblem(hostname);
  if (problem !== undefined) {
    const place = valueOf(reading, 'host.hostname')?.place;
    reading.warn(`${place} is no name for a host: ${problem}`, 'for example worker-0.example.com');
  }
  return { hostname };
}

/** Throws UsageError that names the flag, the variable or the line. */
export function readProxy(reading: Reading): ProxySettings {
  const { parse, warn } = reading;
  const http = parsed(reading, 'proxy.http', parse.proxyUrl);
  const https = parsed(reading, 'proxy.https', parse.proxyUrl);
  const none = valueOf(reading, 'proxy.none');
  if (none !== undefined && http === undefined && https === undefined) {
    warn(`${none.place} has no effect without --http-proxy or --https-proxy`);
  }
  const noProxy = parsed(reading, 'proxy.none', parse.noProxy) ?? [];
  return {
    ...(http === undefined ? {} : { http }),
    ...(https === undefined ? {} : { https }),
    noProxy,
  };
}

const maxFileBytes = 64 * 1024 * 1024;

async function readFiles(values: readonly InputValue[], io: Io): Promise<HostFile[]> {
  const files: HostFile[] = [];
  for (const value of values) {
    const { place, text } = value;
    const [, path = '', source = '', mode] = /^([^=]*)=(.*?)(?:,mode=([^,/]*))?$/s.exec(text) ?? [];
    if (!path.startsWith('/') || source === '') {
      throw new UsageError(`${place} ${JSON.stringify(text)} is not PATH=FILE`, {
        hint: 'for example /etc/issue.d/note.issue=note.txt, or with ,mode=0600 behind it',
      });
    }
    if (mode !== undefined && !/^[0-7]{3,4}$/.test(mode)) {
      throw new UsageError(`${place}: invalid mode ${JSON.stringify(mode)}`, {
        hint: 'use three or four octal digits, for example ,mode=0755',
      });
    }
    const content = await readUserFile(pathIn(value, source), io, {
      what: `File (${place})`,
      maxBytes: maxFileBytes,
    });
    files.push({ path, mode: mode === undefined ? publicMode : Number.parseInt(mode, 8), content });
  }
  return files;
}

const unitNamePattern =
  /^[A-Za-z0-9:_.\\@-]{1,240}\.(?:service|socket|mount|automount|swap|target|path|timer|slice)$/;

async function readUnits(values: readonly InputValue[], io: Io): Promise<HostUnit[]> {
  const units: HostUnit[] = [];
  for (const value of values) {
    const name = basename(value.text);
    if (!unitNamePattern.test(name)) {
      throw new CliError(`${value.place}: ${value.text} has no name of a unit`, {
        hint: 'name the file as the unit on the host, e.g. burn-in.service',
      });
    }
    if (name === unitName) {
      throw new CliError(`${value.place}: ${name} is the unit of the agent`, {
        hint: 'change it by a drop-in, in an Ignition config for --merge',
      });
    }
    units.push({ name, text: await readNamedFile(value, io, 'Unit') });
  }
  return units;
}

/** Reads everything that the options of `iso customize` and `pxe customize` name, in the order that coreos-installer has. */

import { basename } from 'node:path';
import { parseCaCertificates } from '../agent/caCertificates.ts';
import { FormatError } from '../core/errors.ts';
import { consoleNote } from '../image/customize/consoles.ts';
import { type Customization, installNotice, lacksDevice } from '../image/customize/customization.ts';
import { checkInstallerConfig } from '../image/customize/installerConfig.ts';
import type { NamedFile } from '../image/customize/parentConfig.ts';
import { readUserFile } from '../io/files/files.ts';
import type { Io } from '../io/io.ts';
import { printable } from '../io/report/terminalText.ts';
import { report } from '../io/report/report.ts';
import { wantsCheck } from '../hosts/input/checkedConfig.ts';
import { readNmstate } from './network.ts';
import { type CustomizeOptions, parseConsoles } from './options.ts';
import { readUserConfig } from './userConfigs.ts';

const MAX_BYTES = 64 * 1024 * 1024;

/** @throws CliError in the user's terms, for the first file that is missing or wrong */
export async function readCustomization(options: CustomizeOptions, io: Io): Promise<Customization> {
  const { destKargAppend = [], destKargDelete = [] } = options;
  const reading = { io, validates: wantsCheck(options, io) };
  const destIgnition = await readEach(options.destIgnition, (path) => readUserConfig(path, reading));
  tellConsoles(destKargAppend, io);
  return {
    destIgnition,
    destDevice: options.destDevice,
    destConsoles: parseConsoles(options),
    destKargs: { append: destKargAppend, delete: destKargDelete },
    keyfiles: await readKeyfiles(options, io),
    authorities: await readEach(options.ignitionCa, (path) => readAuthority(path, io)),
    preInstall: await readEach(options.preInstall, (path) => readScript(path, io)),
    postInstall: await readEach(options.postInstall, (path) => readScript(path, io)),
    installerConfigs: await readEach(options.installerConfig, async (path) => {
      const file = await readNamed(path, 'Installer config', io);
      return { ...file, ...checkInstallerConfig(file.content, path) };
    }),
    liveIgnition: await readEach(options.liveIgnition, (path) => readUserConfig(path, reading)),
  };
}

/** Says on standard error what the boot media will do on their own. */
export function tellInstallation(customization: Customization, io: Io): void {
  const notice = installNotice(customization);
  if (notice !== undefined) io.stderr.write(`${printable(notice)}\n`);
}

/** To be told unless the kernel arguments of the live system are known to name a disk. */
export function tellMissingDevice(customization: Customization, io: Io): void {
  if (!lacksDevice(customization)) return;
  const message = 'the installer will run, but nothing tells it the disk to install to';
  const hint = 'add --dest-device DEVICE, or boot with the kernel argument coreos.inst.install_dev=DEVICE';
  report(io, { severity: 'warning', message, hint });
}

/** One after the other, so that the first error is always the same. */
async function readEach<T>(
  paths: readonly string[] | undefined,
  read: (path: string) => Promise<T>,
): Promise<readonly T[]> {
  const results: T[] = [];
  for (const path of paths ?? []) results.push(await read(path));
  return results;
}

function tellConsoles(kargs: readonly string[], io: Io): void {
  const note = consoleNote(kargs);
  if (note !== undefined) io.stderr.write(`${printable(note)}\n`);
}

async function readKeyfiles(options: CustomizeOptions, io: Io): Promise<readonly NamedFile[]> {
  const given = await readEach(options.networkKeyfile, (path) => readNamed(path, 'Keyfile', io));
  const converted = await readEach(options.networkNmstate, (path) => readNmstate(path, io));
  return [...given, ...converted.flat()];
}

async function readNamed(path: string, what: string, io: Io): Promise<NamedFile> {
  return { name: basename(path), content: await readUserFile(path, io, { what, maxBytes: MAX_BYTES }) };
}

/** Ignition would not fetch anything with a certificate that it cannot read; coreos-installer takes any bytes. */
async function readAuthority(path: string, io: Io): Promise<Uint8Array> {
  const { content } = await readNamed(path, 'Certificate authority', io);
  for (const problem of problemsOf(content)) {
    report(io, { severity: 'warning', message: `${path}: ${problem}` });
  }
  return content;
}

function problemsOf(certificates: Uint8Array): readonly string[] {
  try {
    return parseCaCertificates(Buffer.from(certificates).toString('utf8'), new Date()).warnings;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return [`the file ${error.message}`];
  }
}

async function readScript(path: string, io: Io): Promise<NamedFile> {
  const script = await readNamed(path, 'Script', io);
  const start = Buffer.from(script.content.subarray(0, 4)).toString('latin1');
  if (!start.startsWith('#!') && start !== '\x7fELF') {
    const hint = 'begin it with a line such as #!/bin/bash';
    report(io, { severity: 'warning', message: `${path}: systemd cannot run it as a program`, hint });
  }
  return script;
}

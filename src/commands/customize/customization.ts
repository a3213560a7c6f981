/** Reads the files for `iso customize` and `pxe customize`, in the same order as coreos-installer. */

import { basename } from 'node:path';
import { findBundleProblem, parseCaCertificates } from '../../formats/caCertificates.ts';
import { CliError, type FilePlace, FormatError, UsageError } from '../../core/errors.ts';
import { formatPath, type Problem } from '../../core/finding.ts';
import { type BootContents, requireContents } from '../../hosts/input/imageContents.ts';
import { findAgentUnits } from '../../hosts/input/installedConfig.ts';
import { readNetworkFiles } from '../../hosts/input/networkFiles.ts';
import { readCertificates } from '../../hosts/input/certificates.ts';
import { readEffectiveConfig } from '../../ignition/effectiveConfig.ts';
import { unusedKey } from '../../ignition/unusedKeys.ts';
import { validateConfig } from '../../ignition/validate.ts';
import { parseUserConfig } from '../../image/customize/parentConfig.ts';
import { withoutIgnored } from '../../io/report/ignored.ts';
import { checkInstallerConfig } from '../../image/customize/installerConfig.ts';
import { consoleNote } from '../../image/customize/installerConsole.ts';
import {
  type Customization,
  installNotice,
  lacksDevice,
  type NamedFile,
} from '../../image/customize/customization.ts';
import { requireValid } from '../../hosts/input/configFiles.ts';
import { CONFIG_FILE, filesDirOf, lacksJson, readSourceConfig } from '../../hosts/input/sourceConfig.ts';
import { CONFIG_NAME } from '../../image/embeddedIgnition.ts';
import type { LiveFeatures } from '../../image/liveFeatures.ts';
import { type NetworkFile, requireNetworkFeature } from '../../image/networkSettings.ts';
import { readUserFile } from '../../io/files/files.ts';
import type { Io } from '../../io/io.ts';
import type { CustomizeOptions } from './options.ts';
import { printable } from '../../core/foreignText.ts';
import { report } from '../../io/report/report.ts';
import type { TargetSystem } from '../../agent/lint/subject.ts';
import { type CheckChoice, refuseFindings, wantsCheck } from '../../hosts/input/refuse.ts';
import { isPartition } from '../../ipa/rootDeviceHints.ts';
import { coreosArguments } from '../../kargs/coreosArguments.ts';

const MAX_BYTES = 64 * 1024 * 1024;

export async function readCustomization(options: CustomizeOptions, io: Io): Promise<Customization> {
  const { destConsole = [], destDevice, destKargAppend = [], destKargDelete = [] } = options;
  if (destDevice === '')
    throw new UsageError('--dest-device is empty', { hint: 'use --dest-device /dev/sda' });
  if (destDevice !== undefined) refusePartition(destDevice, '--dest-device ', undefined, { options, io });
  const readConfig = (machine: TargetSystem) => (path: string) => readUserConfig(path, machine, options, io);
  const destIgnition = await readEach(options.destIgnition, readConfig('installed'));
  const note = consoleNote(destKargAppend);
  if (note !== undefined) io.stderr.write(`${printable(note)}\n`);
  return {
    destIgnition,
    destDevice,
    destConsoles: destConsole,
    destKargs: { append: destKargAppend, delete: destKargDelete },
    keyfiles: await readKeyfiles(options, io),
    authorities: await readEach(options.ignitionCa, (path) => readAuthority(path, options, io)),
    preInstall: await readEach(options.preInstall, (path) => readScript(path, options, io)),
    postInstall: await readEach(options.postInstall, (path) => readScript(path, options, io)),
    installerConfigs: await readEach(options.installerConfig, async (path) => {
      const file = await readNamed(path, 'Installer config', io);
      const sets = checkInstallerConfig(file.data, path);
      if (sets !== undefined) refusePartition(sets.device, 'dest-device: ', sets.at, { options, io });
      return { ...file, sets };
    }),
    liveIgnition: await readEach(options.liveIgnition, readConfig('live')),
  };
}

/**
 * Refuses configs that the Ignition of the installed system does not support. It is of the same build as the image, unless a file
 * or an argument of the installer selects another.
 */
export function refuseInstalledConfigs(
  { destIgnition, installerConfigs }: Customization,
  { build, kargs = '' }: BootContents,
  context: { readonly io: Io; readonly options: CheckChoice },
): void {
  const selectsImage = /(?:^|\s)coreos\.inst\.(?:image_url|stream)=/.test(kargs);
  if (installerConfigs.length > 0 || selectsImage) return;
  for (const config of destIgnition) {
    requireContents({ files: new Map([[CONFIG_NAME, config]]), build }, context);
  }
}

/**
 * Reports on standard error what the customized image does on boot.
 * @param kargs appended kernel arguments of the live system, which may name the disk
 */
export function reportInstallation(customization: Customization, kargs: readonly string[], io: Io): void {
  const notice = installNotice(customization);
  if (notice !== undefined) io.stderr.write(`${printable(notice)}\n`);
  const { destDevice, installerConfigs } = customization;
  if (destDevice !== undefined) reportDevice(destDevice, '--dest-device ', undefined, io);
  for (const { sets } of installerConfigs) {
    if (sets !== undefined) reportDevice(sets.device, 'dest-device: ', sets.at, io);
  }
  if (kargs.some((karg) => karg.includes(`${coreosArguments.installDevice.name}=`))) return;
  if (!lacksDevice(customization)) return;
  const message = 'the installer runs on boot, but no disk is set';
  const hint = 'add --dest-device DEVICE, or boot with the kernel argument coreos.inst.install_dev=DEVICE';
  report(io, { severity: 'warning', message, hint });
}

/**
 * coreos-installer writes the image of a disk to the partition, and then fails because the kernel reads no partition table from
 * it (`write_disk` and `reread_partition_table` of coreos-installer 0.27).
 * @param setting what is in front of the value, as the user writes it
 * @throws CliError unless the user does not want checks
 */
function refusePartition(
  device: string,
  setting: string,
  at: FilePlace | undefined,
  { options, io }: { readonly options: CheckChoice; readonly io: Io },
): void {
  if (!isPartition(device)) return;
  const message = `${setting}${device} is a partition: the installer overwrites it and fails, because it requires a whole disk`;
  const disk = /\d(?=p\d+$)/.test(device)
    ? device.replace(/p\d+$/, '')
    : device.replace(/(?:-part)?\d+$/, '');
  const hint = device.includes('/by-part') ? `use ${setting}/dev/disk/by-id/DISK` : `use ${setting}${disk}`;
  if (wantsCheck(options, io)) throw new CliError(message, { code: 'ERR_SETTING', hint, at });
  report(io, { severity: 'warning', message, hint, at });
}

/** @param setting what is in front of the value, as the user writes it */
function reportDevice(device: string, setting: string, at: FilePlace | undefined, io: Io): void {
  if (/^(?:\/|dev\/)/.test(device)) return;
  report(io, {
    severity: 'warning',
    message: `${setting}${device === '' ? '""' : device} is not an absolute path, so the installer does not find the disk`,
    hint: `use ${setting}/dev/${device === '' ? 'sda' : device}`,
    at,
  });
}

/** Reads the files one after the other, so that the first error is deterministic. */
async function readEach<T>(
  paths: readonly string[] | undefined,
  read: (path: string) => Promise<T>,
): Promise<readonly T[]> {
  const results: T[] = [];
  for (const path of paths ?? []) results.push(await read(path));
  return results;
}

async function readKeyfiles(options: CustomizeOptions, io: Io): Promise<readonly NetworkFile[]> {
  const { networkData = [], networkKeyfile: keyfile = [], networkNmstate: nmstate = [], validate } = options;
  if (keyfile.length + nmstate.length + networkData.length === 0) return [];
  const inputs = { keyfile, nmstate, networkData, ...(validate !== undefined && { validate }) };
  return readNetworkFiles(inputs, io);
}

/**
 * Returns the config as a document without unused keys, after it reports the findings.
 * @param machine the system that applies the config
 */
async function readUserConfig(
  path: string,
  machine: TargetSystem,
  options: CustomizeOptions,
  io: Io,
): Promise<Uint8Array> {
  const bytes = await readUserFile(path, io, CONFIG_FILE);
  const source = await readSourceConfig(path, bytes, filesDirOf(options, io));
  const validates = wantsCheck(options, io) || lacksJson(source);
  const config = parseUserConfig(source.json, path);
  if ('newerVersion' in config) {
    const message = `unsupported spec version ${config.newerVersion}; the config is embedded without validation`;
    const hint = `verify that Ignition in the image supports version ${config.newerVersion}`;
    report(io, { severity: 'warning', message, hint, at: { file: path } });
    return config.document;
  }
  if (validates) {
    await requireValid(source, machine, io);
    if (machine === 'installed') reportAgent(path, source.json, io);
  }
  if (config instanceof CliError) throw config;
  if (!validates) reportUnusedKeys(path, source.json, io);
  return config.document;
}

/** The config of the ramdisk would start the agent on the installed host, too. */
function reportAgent(path: string, json: Uint8Array, io: Io): void {
  const read = readEffectiveConfig(json);
  const [found] = read.status === 'read' ? findAgentUnits(read.config) : [];
  if (found === undefined) return;
  const { message, severity } = found;
  const hint = 'pass the config for the installed host, or use --live-ignition for this config';
  report(io, { severity, message, hint, at: { file: path } });
}

/** With the messages of coreos-installer, because scripts that were written for it use `--no-validate` implicitly. */
function reportUnusedKeys(path: string, json: Uint8Array, io: Io): void {
  for (const finding of withoutIgnored(validateConfig(json).findings, io)) {
    if (finding.rule !== unusedKey.rule) continue;
    io.stderr.write(printable(`Warning parsing ${path}: unused key: ${formatPath(finding.path)}`) + '\n');
  }
}

async function readNamed(path: string, what: string, io: Io): Promise<NamedFile> {
  return { name: basename(path), data: await readUserFile(path, io, { what, maxBytes: MAX_BYTES }) };
}

/** Ignition fetches nothing if it cannot read a certificate. */
async function readAuthority(path: string, options: CustomizeOptions, io: Io): Promise<Uint8Array> {
  const { data } = await readNamed(path, 'Certificate authority', io);
  const text = wantsCheck(options, io)
    ? await readCertificates(data, path)
    : Buffer.from(data).toString('utf8');
  const at = { file: path };
  const refuseText = (problem: string, hint = 'use a file that contains only certificates in PEM') =>
    refuseFindings([{ severity: 'error', message: `the file ${problem}`, hint, at }], {
      code: 'ERR_FORMAT',
      options,
      io,
    });
  try {
    const { warnings } = parseCaCertificates(text, new Date());
    for (const message of warnings) report(io, { severity: 'warning', message, at: { file: path } });
    const problem = findBundleProblem(text);
    if (problem !== undefined) refuseText(problem);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    refuseText(error.message, error.hint);
  }
  return wantsCheck(options, io) ? Buffer.from(text) : data;
}

async function readScript(path: string, options: CustomizeOptions, io: Io): Promise<NamedFile> {
  const script = await readNamed(path, 'Script', io);
  const problem = findScriptProblem(script.data, script.name);
  if (problem !== undefined) {
    const refused = { severity: 'error', ...problem, at: { file: path } } as const;
    refuseFindings([refused], { code: 'ERR_FORMAT', options, io });
  }
  return script;
}

/**
 * Why the kernel does not run a script; undefined for programs, which have zero bytes near their start.
 * @param name of the file, for the command of the hint
 */
function findScriptProblem(data: Uint8Array, name: string): Problem | undefined {
  if (data.subarray(0, 512).includes(0)) return undefined;
  const [firstLine = ''] = Buffer.from(data.subarray(0, 4096)).toString('latin1').split('\n', 1);
  if (!firstLine.startsWith('#!')) {
    const message = 'the script has no interpreter line (#!), so the unit that runs it fails';
    return { message, hint: 'start the script with #!/bin/bash' };
  }
  if (!firstLine.endsWith('\r')) return undefined;
  const message = 'the lines of the script end in CR LF, so the kernel does not find its interpreter';
  return { message, hint: `convert the line ends: sed -i 's/\\r$//' ${name}` };
}

export function refuseUnsupported(options: CustomizeOptions, features: LiveFeatures): void {
  const { destConsole, destDevice, destIgnition, destKargAppend, destKargDelete } = options;
  const { installerConfig, networkData, networkKeyfile, networkNmstate } = options;
  if (isGiven(destConsole) && !features.installerDirectives.has('console')) {
    throw unsupported('the destination console');
  }
  if (isGiven(networkKeyfile, networkNmstate, networkData)) requireNetworkFeature(features);
  const needsInstaller =
    destDevice !== undefined ||
    isGiven(destConsole, destIgnition, destKargAppend, destKargDelete, installerConfig);
  if (needsInstaller && !features.installerConfig) throw unsupported('installer configuration');
}

function unsupported(what: string): CliError {
  return new CliError(`This OS image does not support customizing ${what}.`, {
    code: 'ERR_IMAGE',
    hint: 'use a newer release of the image, or remove the options for it',
  });
}

function isGiven(...lists: readonly (readonly string[] | undefined)[]): boolean {
  return lists.some((list = []) => list.length > 0);
}

/** The agent's container: its image, its conf, what podman gets. */

import { access, readdir } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { parseCaCertificates } from '../../agent/caCertificates.ts';
import { iccPullSecretPath } from '../../agent/profiles/icc.ts';
import { parsePullSecret } from '../../agent/pullSecret.ts';
import { readRegistriesConf, type RegistriesIssue } from '../../agent/registriesConf.ts';
import type { InputValue } from '../../agent/settingInputs.ts';
import {
  type AgentArchive,
  type AgentSettings,
  defaultSettings,
  type HardwareManager,
  pullPolicies,
  type PullPolicy,
} from '../../agent/settings.ts';
import { CliError, FormatError, UsageError } from '../../core/errors.ts';
import { parseImageReference } from '../../formats/imageReference.ts';
import { parseChoice } from '../../io/report/choices.ts';
import type { HostPart } from './hostReaders.ts';
import type { IronicPart } from './ironicReaders.ts';
import type { NetworkReading } from './networkReaders.ts';
import { readPullArgs, readRunArgs } from './podmanArgs.ts';
import {
  inFile,
  inPlace,
  isSwitchedOn,
  parsed,
  parsedAll,
  pathIn,
  type Reading,
  readNamedFile,
  valueOf,
  valuesOf,
} from './reading.ts';
import {
  checkArchiveName,
  checkArchiveReference,
  checkArchiveUrl,
  chooseArchivedImage,
  coreosArchitecture,
} from '../../agent/agentArchive.ts';
import { createArchiveReader } from '../input/containerArchiveFile.ts';
import { type AddedFile, publicMode } from '../../ignition/dataFile.ts';
import { checkHardwareManager } from '../../agent/files.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import { readUserFile } from '../../io/files/files.ts';
import type { Io } from '../../io/io.ts';

type AgentPart = Omit<
  AgentSettings,
  'profile' | 'hostname' | keyof IronicPart | keyof HostPart | keyof NetworkReading['settings']
>;

/** `hasNetwork`: the host has a network of its own. */
export async function readAgent(reading: Reading, hasNetwork: boolean): Promise<AgentPart> {
  const vlanMode = valueOf(reading, 'agent.vlanInterfaces');
  const isIcc = ['icc', 'assisted'].includes(reading.profile);
  const archived = await readAgentArchive(reading, valueOf(reading, 'agent.image'));
  const pullPolicy = readPullPolicy(reading);
  return {
    ...(archived === undefined
      ? { agentImage: readImage(reading), pullPolicy }
      : {
          agentImage: readImage(reading, archived.reference),
          pullPolicy: 'never',
          archive: archived.archive,
        }),
    pullArgs: readPullArgs(reading),
    verifyRegistryTls: !isSwitchedOn(reading, 'agent.insecureRegistry'),
    podman: {
      mounts: parsedAll(reading, 'agent.podman.mounts', parseMount),
      environment: parsedAll(reading, 'agent.podman.environment', parseVariable),
      args: readRunArgs(reading),
    },
    hardwareManagers: await readHardwareManagers(valuesOf(reading, 'agent.hardwareManagers'), reading.io),
    debug: isSwitchedOn(reading, 'agent.debug'),
    optionLines: valuesOf(reading, 'agent.options').map(checkOptionLine),
    ...(vlanMode === undefined && !isIcc ? {} : { vlanInterfaces: readVlanInterfaces(reading, hasNetwork) }),
    ...(await readUserConf(reading)),
    ...(await readPullSecret(reading)),
    ...(await readCaCertificates(reading)),
    ...(await readRegistries(reading)),
  };
}

function readPullPolicy(reading: Reading): PullPolicy {
  const { place = '', text } = valueOf(reading, 'agent.pullPolicy') ?? {};
  return parseChoice(place, text, pullPolicies) ?? defaultSettings.pullPolicy;
}

/** `archived` is what the image is called that an archive brings. */
function readImage(reading: Reading, archived?: string): string {
  const { options, parse, profile, warn } = reading;
  if (options.registry !== undefined) {
    return inPlace('--registry', () => parse.image(`${options.registry}/ironic-agent`));
  }
  const value = valueOf(reading, 'agent.image');
  if (value === undefined) {
    if (archived !== undefined) return archived;
    if (profile === 'default' || profile === 'buildpy') return defaultSettings.agentImage;
    throw new UsageError(`the profile ${profile} needs IRONIC_AGENT_IMAGE or --agent-image`, {
      hint: `for example IRONIC_AGENT_IMAGE=${defaultSettings.agentImage}`,
    });
  }
  const image = inPlace(value.place, () => parse.image(value.text));
  if (!parseImageReference(image).ok) {
    warn(`${value.place} is no reference that podman understands`, 'see whether it has a typing mistake');
  }
  return image;
}

function parseMount(text: string): string {
  if (/^(?:[^,=\0]+(?:=[^,\0]*)?)(?:,[^,=\0]+(?:=[^,\0]*)?)*$/.test(text) && /(?:^|,)type=/.test(text))
    return text;
  throw new FormatError('is not a mount as podman has it', {
    hint: 'for example type=bind,src=/var/lib/data,dst=/data,ro=true',
  });
}

function parseVariable(text: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*=[^\0]*$/s.test(text)) return text;
  throw new FormatError('is not NAME=VALUE', { hint: 'for example IPA_COREOS_COPY_NETWORK=true' });
}

function readVlanInterfaces(reading: Reading, hasNetwork: boolean): string {
  const { parse } = reading;
  const parseMode = (text: string): string => parse.vlanInterfaces(text, hasNetwork);
  return parsed(reading, 'agent.vlanInterfaces', parseMode) ?? parseMode('auto');
}

/** The lines are joined to a file, so each has to stay one; the value is left out of messages. */
function checkOptionLine({ origin, place, text: line }: InputValue, index: number): string {
  const flag = origin === 'file' ? place : `--option (number ${index + 1})`;
  if (/[\r\n]/.test(line)) {
    throw new UsageError(`${flag} has a line break in it`, { hint: 'give one --option for each line' });
  }
  if (/^[ \t]+[^ \t]/.test(line)) {
    throw new UsageError(`${flag} starts with a blank, and would continue the line before it`, {
      hint: 'remove the blank',
    });
  }
  return line;
}

async function readUserConf(reading: Reading): Promise<Pick<AgentSettings, 'userConf'>> {
  const value = valueOf(reading, 'agent.confFile');
  return value === undefined ? {} : { userConf: await readNamedFile(value, reading.io, 'Conf of the agent') };
}

async function readPullSecret(reading: Reading): Promise<Pick<AgentSettings, 'pullSecret'>> {
  const value = valueOf(reading, 'agent.pullSecret') ?? (await findMountedSecret(reading));
  if (value === undefined) return {};
  if (value.isContent) {
    return { pullSecret: inPlace(value.place, () => reading.parse.pullSecret(value.text)) };
  }
  if (/^\s*(?:\{|ey[A-Za-z0-9])/.test(value.text)) {
    // JSON or its base64; an error about a missing file would show it.
    throw new UsageError(`${value.place} takes the path of a file, not the secret`, {
      hint: 'write it to a file that only you can read; /dev/stdin works, too',
    });
  }
  const text = await readNamedFile(value, reading.io, 'Pull secret');
  if (text.trim() === '' && reading.profile === 'icc') return {}; // as there
  return { pullSecret: inFile(value, () => parsePullSecret(text)) };
}

/** Where ICC looks for it when the environment has none. There it has to exist; elsewhere nobody mounts it. */
async function findMountedSecret({ profile }: Reading): Promise<InputValue | undefined> {
  if (profile !== 'icc' || !(await exists(iccPullSecretPath))) return undefined;
  return { text: iccPullSecretPath, place: '--profile icc', origin: 'environment', isContent: false };
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function readCaCertificates(reading: Reading): Promise<Pick<AgentSettings, 'caCertificates'>> {
  const values = valuesOf(reading, 'ironic.caFiles');
  const texts: string[] = [];
  for (const value of values) {
    const text = await readNamedFile(value, reading.io, 'CA certificates');
    const { pem, warnings } = inFile(value, () => parseCaCertificates(text, new Date()));
    for (const warning of warnings) reading.warn(`${value.place}: ${value.text}: ${warning}`);
    texts.push(reading.profile === 'icc' ? text : pem);
  }
  return texts.length === 0 ? {} : { caCertificates: texts.join('') };
}

async function readRegistries(reading: Reading): Promise<Pick<AgentSettings, 'registriesConf'>> {
  const value = valueOf(reading, 'agent.registriesConf');
  if (value === undefined) return {};
  const registriesConf = await readNamedFile(value, reading.io, 'registries.conf');
  reportRegistries(readRegistriesConf(registriesConf).issues, value, reading);
  if (registriesConf !== '') return { registriesConf };
  if (reading.profile === 'icc') return {};
  throw new CliError(`${value.place}: ${value.text} is empty`, {
    code: 'ERR_SETTING',
    hint: 'name a file with [[registry]] tables',
  });
}

/** Throws CliError for the first that keeps podman from reading the file, after the others have been told. */
function reportRegistries(
  issues: readonly RegistriesIssue[],
  { place, text }: InputValue,
  { warn }: Reading,
): void {
  const locate = ({ message, position: { column, line } }: RegistriesIssue): string =>
    `${place}: ${text}:${line}:${column}: ${message}`;
  const errors = issues.filter(({ severity }) => severity === 'error');
  for (const issue of issues) {
    if (issue.severity !== 'error') warn(locate(issue), issue.hint, 'agent-registries-conf-ignored');
  }
  const [first, ...others] = errors;
  if (first === undefined) return;
  const more = others.map(({ position: { column, line } }) => `${line}:${column}`);
  throw new CliError(locate(first), {
    code: 'ERR_SETTING',
    hint: more.length === 0 ? first.hint : `${first.hint}; then see ${more.slice(0, 5).join(', ')}`,
  });
}

/** An archive, and what its image is called on hosts. */
interface ReadArchive {
  readonly archive: AgentArchive;
  readonly reference: string;
}

/**
 * Undefined where the image comes from a registry.
 * @param image the reference that was given, if one was
 */
async function readAgentArchive(
  reading: Reading,
  image: InputValue | undefined,
): Promise<ReadArchive | undefined> {
  const value = valueOf(reading, 'agent.archive');
  const url = parsed(reading, 'agent.archiveUrl', checkArchiveUrl);
  if (value === undefined) return refuseUrlAlone(reading);
  refusePulling(reading, value);
  if (image !== undefined) inPlace(image.place, () => checkArchiveReference(image.text));
  const name = inFile(value, () => checkArchiveName(basename(value.text)));
  const readArchive = reading.readArchive ?? createArchiveReader(reading.io);
  const content = await readArchive({ path: pathIn(value, value.text), place: value.place });
  const chosen = inFile(value, () => chooseArchivedImage(content, image?.text));
  return {
    reference: chosen.reference,
    archive: {
      name,
      sha512: content.sha512,
      imageId: chosen.image.id,
      architecture: coreosArchitecture(chosen.image),
      ...(url !== undefined && { url }),
    },
  };
}

function refuseUrlAlone(reading: Reading): undefined {
  const url = valueOf(reading, 'agent.archiveUrl');
  if (url === undefined) return undefined;
  throw new UsageError(`${url.place} is where an archive is, and no archive is given`, {
    hint: 'add --agent-archive FILE, of which hosts check the digest',
  });
}

function refusePulling(reading: Reading, { place }: InputValue): void {
  const policy = valueOf(reading, 'agent.pullPolicy');
  if (policy === undefined || policy.text === 'never') return;
  throw new UsageError(
    `${policy.place} ${policy.text} contradicts ${place}: the image is loaded, not pulled`,
    {
      hint: 'leave the policy out',
    },
  );
}

const maxFiles = 500;
/** Of one file; what is larger is no Python module. */
const maxBytes = 1024 * 1024;

/** Throws CliError where a folder cannot be read, or the agent would find nothing in it. */
async function readHardwareManagers(folders: readonly InputValue[], io: Io): Promise<HardwareManager[]> {
  const managers: HardwareManager[] = [];
  for (const folder of folders) {
    const manager = await readFolder(folder, io);
    inFile(folder, () => checkHardwareManager(manager));
    if (managers.some(({ name }) => name === manager.name)) {
      throw new CliError(`two folders of hardware managers have the name ${manager.name}`, {
        code: 'ERR_SETTING',
        hint: 'rename one of them',
      });
    }
    managers.push(manager);
  }
  return managers;
}

async function readFolder(folder: InputValue, io: Io): Promise<HardwareManager> {
  const { place, text } = folder;
  const root = resolve(io.cwd, pathIn(folder, text));
  const what = `Folder of a hardware manager (${place})`;
  const failed = (error: unknown): never => {
    throw fileError(error, { path: text, what, action: 'read' });
  };
  const name = basename(root);
  // A folder with something else in it may be large.
  const isManager = (await readdir(root).catch(failed)).some((entry) => entry.endsWith('.dist-info'));
  if (!isManager) inFile(folder, () => checkHardwareManager({ name, files: [] }));
  const paths = await listFiles(root).catch(failed);
  if (paths.length > maxFiles) {
    throw new CliError(`${place}: ${text} holds more than ${maxFiles} files`, {
      code: 'ERR_TOO_LARGE',
      hint: 'name a folder with the module and its NAME.dist-info alone',
    });
  }
  const files: AddedFile[] = [];
  for (const path of paths) {
    const content = await readUserFile(join(root, path), io, { what, maxBytes });
    files.push({ path: path.split(sep).join('/'), mode: publicMode, content });
  }
  return { name, files };
}

/** In order of their names; what Python compiles is left out, as are hidden files. */
async function listFiles(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split(sep).some((part) => part.startsWith('.') || part === '__pycache__'))
    .toSorted();
}

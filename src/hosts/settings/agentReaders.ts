/** Reads the settings of the agent container: image, conf, podman arguments. */

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { parseCaCertificates } from '../../formats/caCertificates.ts';
import { ICC_PULL_SECRET_PATH } from '../../agent/profiles/icc.ts';
import { parsePullSecret } from '../../agent/pullSecret.ts';
import { readRegistriesConf, type RegistriesIssue } from '../../agent/registriesConf.ts';
import type { InputValue } from '../../agent/settingInputs.ts';
import {
  type AgentArchive,
  type AgentSettings,
  BUILDPY_IMAGE,
  defaultSettings,
  type HardwareManager,
  pullPolicies,
} from '../../agent/settings.ts';
import { CliError, FormatError, formatSource, locateError, UsageError } from '../../core/errors.ts';
import { parseImageReference } from '../../formats/imageReference.ts';
import { parseChoice } from '../../io/report/choices.ts';
import { isIronicConf } from '../../agent/ironicConf.ts';
import { parseOsloConfig } from '../../formats/osloConfig.ts';
import { explainOther } from '../input/contentKind.ts';
import { explainRefusal, readCertificates, textOfPart } from '../input/pastedPart.ts';
import { parsePodmanArg, readPullArgs } from './podmanArgs.ts';
import {
  atSource,
  inFile,
  inPlace,
  isSwitchedOn,
  parsed,
  parsedAll,
  pathIn,
  type Reading,
  readNamedFile,
  throwAt,
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
import { createArchiveReader, type ReadArchiveFile } from '../input/containerArchiveFile.ts';
import { type AddedFile, PUBLIC_MODE } from '../../ignition/dataFile.ts';
import { checkHardwareManager } from '../../agent/files.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import { readUserFile } from '../../io/files/files.ts';
import type { Io } from '../../io/io.ts';

export async function readAgent(reading: Reading) {
  const archived = await readAgentArchive(reading, valueOf(reading, 'agent.image'));
  const policy = valueOf(reading, 'agent.pullPolicy');
  const pullPolicy = policy && atSource(policy, () => parseChoice(policy.name, policy.text, pullPolicies));
  const userConf = valueOf(reading, 'agent.confFile');
  const pullSecret =
    valueOf(reading, 'agent.pullSecret') ?? (reading.profile === 'icc' ? findMountedSecret() : undefined);
  const registries = valueOf(reading, 'agent.registriesConf');
  return {
    agentImage: readImage(reading, archived?.reference),
    pullPolicy: archived === undefined ? (pullPolicy ?? defaultSettings.pullPolicy) : 'never',
    archive: archived?.archive,
    pullArgs: readPullArgs(reading),
    verifyRegistryTls: !isSwitchedOn(reading, 'agent.insecureRegistry'),
    podman: {
      mounts: parsedAll(reading, 'agent.podman.mounts', parseMount),
      environment: parsedAll(reading, 'agent.podman.environment', parseVariable),
      args: parsedAll(reading, 'agent.podman.args', parsePodmanArg),
    },
    hardwareManagers: await readHardwareManagers(valuesOf(reading, 'agent.hardwareManagers'), reading.io),
    debug: isSwitchedOn(reading, 'agent.debug'),
    optionLines: valuesOf(reading, 'agent.options').map(checkOptionLine),
    userConf: userConf && (await readUserConf(userConf, reading.io)),
    pullSecret: pullSecret && (await readPullSecret(pullSecret, reading)),
    caCertificates: await readCaCertificates(reading),
    registriesConf: registries && (await readRegistries(registries, reading)),
  } satisfies Partial<AgentSettings>;
}

/** A conf may be without [DEFAULT], which is in most of them. */
async function readUserConf(value: InputValue, io: Io): Promise<string> {
  const text = await readNamedFile(value, io, 'Agent conf');
  if (/^\[DEFAULT\]/m.test(text) && !isIronicConf('', parseOsloConfig(text).document)) return text;
  const noun = 'a configuration file of ironic-python-agent';
  const other = await explainOther(noun, pathIn(value, value.text), Buffer.from(text));
  if (other !== undefined) throw locateError(other, value.at);
  return text;
}

/** @param archived reference of the image in the agent archive, if there is one */
function readImage(reading: Reading, archived?: string): string {
  const { options, parse, profile, warn } = reading;
  if (options.registry !== undefined) {
    return inPlace({ name: '--registry', text: `${options.registry}/ironic-agent` }, parse.image);
  }
  const value = valueOf(reading, 'agent.image');
  if (value === undefined) {
    if (archived !== undefined) return archived;
    if (profile === 'buildpy') return BUILDPY_IMAGE;
    throw missingImage(reading);
  }
  const image = inPlace(value, parse.image);
  if (!parseImageReference(image).ok) {
    warn({
      at: value.at,
      message: `${value.name} is not a valid image reference`,
      hint: 'use the form REGISTRY/NAME:TAG or REGISTRY/NAME@DIGEST',
    });
  }
  return image;
}

/** No public image is maintained. Only `render` has flags for settings. */
function missingImage({ profile, settingsPlace }: Reading): UsageError {
  if (profile !== 'default') {
    const own = settingsPlace === undefined ? '--agent-image' : `agent.image ${settingsPlace}`;
    return new UsageError(`profile ${profile} requires IRONIC_AGENT_IMAGE or ${own}`, {
      hint: 'set it, for example IRONIC_AGENT_IMAGE=registry.example.com/ironic-agent',
    });
  }
  const given =
    settingsPlace === undefined
      ? 'pass --agent-image registry.example.com/ironic-agent or --agent-archive FILE'
      : `set agent.image or agent.archive ${settingsPlace}`;
  return new UsageError('the image of the agent is missing', {
    hint: `${given}; "podman build -t registry.example.com/ironic-agent deploy/agent-image" builds one (docs/agent-image.md)`,
  });
}

function parseMount(text: string): string {
  if (/^(?:[^,=\0]+(?:=[^,\0]*)?)(?:,[^,=\0]+(?:=[^,\0]*)?)*$/.test(text) && /(?:^|,)type=/.test(text))
    return text;
  throw new FormatError('is not a valid podman mount', {
    hint: 'use the form type=bind,src=/var/lib/data,dst=/data,ro=true',
  });
}

function parseVariable(text: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*=[^\0]*$/s.test(text)) return text;
  throw new FormatError('is not NAME=VALUE', {
    hint: 'use NAME=VALUE, for example IPA_COREOS_COPY_NETWORK=true',
  });
}

/**
 * Read apart from {@link readAgent}, whose result is cached: the network differs for each host.
 * @param hasNetwork whether the settings configure a network for the host
 */
export function readVlanInterfaces(reading: Reading, hasNetwork: boolean): string | undefined {
  const { parse, profile } = reading;
  const parseMode = (text: string): string => parse.vlanInterfaces(text, hasNetwork);
  const chosen = parsed(reading, 'agent.vlanInterfaces', parseMode);
  return chosen ?? (['icc', 'assisted'].includes(profile) ? parseMode('auto') : undefined);
}

/** The lines are joined to one file, so none may contain a line break. Messages never quote the value: it may be secret. */
function checkOptionLine({ at, name, origin, text: line }: InputValue, index: number): string {
  const flag = origin === 'file' ? name : `--option (number ${index + 1})`;
  if (/[\r\n]/.test(line)) {
    throw new UsageError(`${flag} contains a line break`, { hint: 'use one --option for each line', at });
  }
  if (/^[ \t]+[^ \t]/.test(line)) {
    throw new UsageError(`${flag} starts with whitespace and would continue the previous line`, {
      hint: 'remove the leading whitespace',
      at,
    });
  }
  return line;
}

async function readPullSecret(value: InputValue, reading: Reading): Promise<string | undefined> {
  if (value.isContent) return inPlace(value, reading.parse.pullSecret);
  if (/^\s*(?:\{|ey[A-Za-z0-9])/.test(value.text)) {
    // JSON or its base64: the error about a missing file would print the secret.
    throw new UsageError(`${value.name} requires the path of a file, not the secret`, {
      hint: 'write the secret to a file with mode 0600, or use /dev/stdin',
      at: value.at,
    });
  }
  const written = await readNamedFile(value, reading.io, 'Pull secret');
  if (written.trim() === '' && reading.profile === 'icc') return undefined; // as ICC does
  const { text, warnings } = await textOfPart('pullSecret', written, pathIn(value, value.text)).catch(
    throwAt(value),
  );
  for (const warning of warnings) reading.warn(warning);
  try {
    return inFile(value, () => (text === written ? parsePullSecret(text) : parsePasted(text)));
  } catch (error) {
    throw await explainRefusal('pullSecret', error, value, text);
  }
}

/** Lines and columns of a part are not those of the file. */
function parsePasted(text: string): string {
  try {
    return parsePullSecret(text);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new FormatError(error.sentence, { hint: error.hint });
  }
}

/** ICC falls back to a mounted pull secret. In its container the file exists; on other machines it may be missing. */
function findMountedSecret(): InputValue | undefined {
  if (!existsSync(ICC_PULL_SECRET_PATH)) return undefined;
  return { text: ICC_PULL_SECRET_PATH, name: '--profile icc', origin: 'environment', isContent: false };
}

async function readCaCertificates(reading: Reading): Promise<string | undefined> {
  const values = valuesOf(reading, 'ironic.caFiles');
  const texts: string[] = [];
  for (const value of values) {
    const what = `CA certificates (${value.name})`;
    const file = pathIn(value, value.text);
    const bytes = await readUserFile(file, reading.io, { maxBytes: MAX_BYTES, what }).catch(throwAt(value));
    const { text, warnings: ofObject } = await readCertificates(bytes, file).catch(throwAt(value));
    for (const warning of ofObject) reading.warn(warning);
    const { pem, warnings } = inFile(value, () => parseCaCertificates(text, new Date()));
    for (const warning of warnings)
      reading.warn({ at: value.at, message: `${value.name}: ${value.text}: ${warning}` });
    texts.push(reading.profile === 'icc' ? text : pem);
  }
  return texts.length === 0 ? undefined : texts.join('');
}

async function readRegistries(value: InputValue, reading: Reading): Promise<string | undefined> {
  const written = await readNamedFile(value, reading.io, 'registries.conf');
  const { text: registriesConf, warnings } = await textOfPart(
    'registriesConf',
    written,
    pathIn(value, value.text),
  ).catch(throwAt(value));
  for (const warning of warnings) reading.warn(warning);
  try {
    reportRegistries(readRegistriesConf(registriesConf).issues, value, reading);
  } catch (error) {
    throw await explainRefusal('registriesConf', error, value, registriesConf);
  }
  if (registriesConf !== '') return registriesConf;
  if (reading.profile === 'icc') return undefined;
  throw new CliError(`${value.name}: ${value.text} is empty`, {
    code: 'ERR_SETTING',
    hint: 'pass a file with [[registry]] tables',
    at: value.at,
  });
}

/** Reports warnings, then throws CliError for the first error: podman would not read the file. */
function reportRegistries(issues: readonly RegistriesIssue[], value: InputValue, { warn }: Reading): void {
  const file = pathIn(value, value.text);
  const errors = issues.filter(({ severity }) => severity === 'error');
  for (const { hint, message, position, severity } of issues) {
    if (severity !== 'error')
      warn({ at: { file, ...position }, message, hint, rule: 'agent-registries-conf-ignored' });
  }
  const [first, ...others] = errors;
  if (first === undefined) return;
  const more = others.map(({ position: { column, line } }) => `${line}:${column}`);
  throw new CliError(first.message, {
    code: 'ERR_SETTING',
    at: { file, ...first.position },
    hint: more.length === 0 ? first.hint : `${first.hint}; also fix ${more.slice(0, 5).join(', ')}`,
  });
}

/**
 * The agent archive, and the reference of its image on hosts; undefined if the image comes from a registry.
 * @param image the given image reference, if any
 */
async function readAgentArchive(reading: Reading, image: InputValue | undefined) {
  const value = valueOf(reading, 'agent.archive');
  const url = parsed(reading, 'agent.archiveUrl', checkArchiveUrl);
  if (value === undefined) {
    const given = valueOf(reading, 'agent.archiveUrl');
    if (given === undefined) return undefined;
    throw new UsageError(`${given.name} requires an agent archive`, {
      hint: 'pass the archive, too: --agent-archive FILE; hosts verify its digest',
      at: given.at,
    });
  }
  rejectPullPolicy(reading, value);
  if (image !== undefined) inPlace(image, checkArchiveReference);
  const readArchive = reading.readArchive ?? createArchiveReader(reading.io);
  const { architecture, content, name, ...chosen } = await openArchive(value, image, readArchive);
  const { sha512 } = content;
  const archive: AgentArchive = { name, sha512, imageId: chosen.image.id, architecture, url };
  return { reference: chosen.reference, archive };
}

/** The archive that an input names, and the image in it that the agent runs from. */
export async function openArchive(
  value: InputValue,
  image: InputValue | undefined,
  readArchive: ReadArchiveFile,
) {
  const path = pathIn(value, value.text);
  const name = inFile(value, () => checkArchiveName(basename(path)));
  const content = await readArchive({ path, place: value.name }).catch(throwAt(value));
  const chosen = inFile(value, () => chooseArchivedImage(content, image?.text));
  return { ...chosen, path, name, content, architecture: coreosArchitecture(chosen.image) };
}

function rejectPullPolicy(reading: Reading, archive: InputValue): void {
  const policy = valueOf(reading, 'agent.pullPolicy');
  if (policy === undefined || policy.text === 'never') return;
  const { at, name, text } = policy;
  throw new UsageError(
    `${name} ${text} cannot be combined with ${formatSource(archive)}: the image is loaded, not pulled`,
    { hint: 'remove the pull policy', at },
  );
}

const MAX_FILES = 500;
/** Limit for one file: Python modules are smaller. */
const MAX_BYTES = 1024 * 1024;

/** @throws CliError if a folder cannot be read, or the agent would find no hardware manager in it */
async function readHardwareManagers(folders: readonly InputValue[], io: Io): Promise<HardwareManager[]> {
  const managers: HardwareManager[] = [];
  for (const folder of folders) {
    const manager = await readFolder(folder, io);
    inFile(folder, () => checkHardwareManager(manager));
    if (managers.some(({ name }) => name === manager.name)) {
      throw new CliError(`two hardware manager folders have the name ${manager.name}`, {
        code: 'ERR_SETTING',
        hint: `rename one of the folders ${manager.name}`,
      });
    }
    managers.push(manager);
  }
  return managers;
}

async function readFolder(folder: InputValue, io: Io): Promise<HardwareManager> {
  const { at, name: source, text } = folder;
  const root = resolve(io.cwd, pathIn(folder, text));
  const what = `Hardware manager folder (${source})`;
  const failed = (error: unknown): never => {
    throw locateError(fileError(error, { path: text, what, action: 'read' }), at);
  };
  const name = basename(root);
  // Checked first: any other folder may be large.
  const isManager = (await readdir(root).catch(failed)).some((entry) => entry.endsWith('.dist-info'));
  if (!isManager) inFile(folder, () => checkHardwareManager({ name, files: [] }));
  const paths = await listFiles(root).catch(failed);
  if (paths.length > MAX_FILES) {
    throw new CliError(`${source}: ${text} contains more than ${MAX_FILES} files`, {
      code: 'ERR_TOO_LARGE',
      hint: 'pass a folder that contains only the module and its NAME.dist-info',
      at,
    });
  }
  const files: AddedFile[] = [];
  for (const path of paths) {
    const content = await readUserFile(join(root, path), io, { what, maxBytes: MAX_BYTES }).catch(
      throwAt(folder),
    );
    files.push({ path: path.split(sep).join('/'), mode: PUBLIC_MODE, content });
  }
  return { name, files };
}

/** Sorted by name, without hidden files and Python's compiled files. */
async function listFiles(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split(sep).some((part) => part.startsWith('.') || part === '__pycache__'))
    .toSorted();
}

/**
 * The settings for the configs of all hosts: from a file, from a ConfigMap or Secret in the
 * namespace of the controller, or from the environment of image-customization-controller. The values of a ConfigMap or
 * Secret are written to a private folder, so that settings can reference certificates, keys and passwords as files.
 */

import { quoteText } from '../../core/foreignText.ts';
import { objectNameProblem } from '../../core/objectName.ts';
import { isMapping } from '../../formats/mapping.ts';
import type { ControllerOptions } from './options.ts';
import type { Io } from '../../io/io.ts';
import { CliError, UsageError } from '../../core/errors.ts';
import { readInventoryFile } from '../../hosts/settings/inventory.ts';
import { readInputs, type RenderSource } from '../../hosts/settings/settings.ts';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { tmpdir } from 'node:os';
import { makeTempFolder } from '../../io/files/tempFile.ts';
import { errorCode, isDiskFull } from '../../io/files/fileErrors.ts';
import { spoolError } from '../../imagefile/spool.ts';
import type { KubernetesClient } from '../../kube/kubernetesClient.ts';
import { configMaps, type KubernetesObject, secrets } from '../../kube/objects.ts';
import { Informer } from '../../kube/informer.ts';

const SETTINGS_PLACE = 'under "agent" in the settings (--settings FILE)';

/** @param file the settings file; undefined if the settings come from the environment */
export async function readRenderSource(
  file: string | undefined,
  { profile }: ControllerOptions,
  io: Io,
): Promise<RenderSource> {
  const given = profile === undefined ? {} : { profile };
  if (file === undefined) {
    // Settings from the environment only: a replacement of image-customization-controller.
    const source: RenderSource = { options: { profile: 'icc', ...given }, io, settingsPlace: SETTINGS_PLACE };
    readInputs(source);
    return source;
  }
  const read = await readInventoryFile(file, { ...given, inventory: file }, io, 'Settings (--settings)');
  const { inventory } = read;
  const source = { ...read.source, settingsPlace: SETTINGS_PLACE };
  if (inventory.hosts !== undefined) {
    throw new UsageError(
      `${file} contains a list of hosts, but the controller reads the hosts from the cluster`,
      {
        hint: 'remove "hosts"; put the network data of a host into its Secret',
      },
    );
  }
  readInputs(source);
  return source;
}

/** The key of the settings in a ConfigMap or Secret with several keys. */
const SETTINGS_KEY = 'ramdisk.yaml';

export interface SettingsSource {
  /** Reads the current settings; the caller must release them. Throws CliError if they do not exist. */
  open(): Promise<SettingsFile>;
  /** Files to poll for changes; objects of the cluster are watched instead. */
  readonly watched: readonly string[];
  close(): Promise<void>;
}

export interface SettingsFile {
  /** The path relative to `folder`, also for messages; undefined if the settings come from the environment. */
  readonly name: string | undefined;
  /** The base of relative paths in the settings and in the environment. */
  readonly folder: string;
  /** Deletes the files; to be called when no image is built from them any more. Never rejects. */
  readonly release: () => Promise<void>;
}

interface SettingsOptions {
  readonly text: string | undefined;
  readonly client: KubernetesClient;
  readonly namespace: string;
  readonly changed: () => void;
  readonly onError: (error: Error) => void;
}

const kinds = { configmap: configMaps, secret: secrets } as const;

export function openSettings(options: SettingsOptions, cwd: string): SettingsSource {
  const { text } = options;
  const place = text === undefined ? undefined : parsePlace(text);
  if (place !== undefined) return objectSettings(place, options);
  return {
    open: async () => ({ name: text, folder: cwd, release: async () => undefined }),
    watched: text === undefined ? [] : [resolve(cwd, text)],
    close: async () => undefined,
  };
}

interface ObjectPlace {
  readonly kind: keyof typeof kinds;
  readonly name: string;
}

/** Undefined for a file. */
function parsePlace(text: string): ObjectPlace | undefined {
  const [, word = '', name = ''] = /^(configmap|secret)\/(.*)$/.exec(text) ?? [];
  if (word !== 'configmap' && word !== 'secret') return undefined;
  const problem = objectNameProblem(name);
  if (problem === undefined) return { kind: word, name };
  throw new UsageError(`invalid value ${quoteText(text)} for --settings: ${problem}`, {
    hint: `use a name such as ${word}/ramdisk-settings, or ./${word}/… for a file`,
  });
}

function objectSettings(place: ObjectPlace, options: SettingsOptions): SettingsSource {
  const { changed, client, namespace, onError } = options;
  const { kind, name } = place;
  const cache = new Informer({
    client,
    resource: kinds[kind],
    selection: { namespace, fieldSelector: `metadata.name=${name}` },
    keep: (object) => ({ version: object.metadata.resourceVersion, files: valuesOf(kind, object) }),
    changed: ({ before, now }) => {
      // The initial list also results in calls, which are no changes.
      if (cache.lastContact !== undefined && before?.version !== now?.version) changed();
    },
    onError,
  });
  return {
    watched: [],
    open: async () => {
      await cache.synced;
      const found = cache.get({ namespace, name });
      if (found !== undefined) return writeFiles(found.files, place);
      throw new CliError(`${kind} ${name} not found in the namespace ${namespace}`, {
        code: 'ERR_SETTING',
        hint: 'create it, or pass another name with --settings',
      });
    },
    close: () => cache.stop(),
  };
}

/** Writes to a new folder each time, as images may still be built from the previous files. */
async function writeFiles(
  files: ReadonlyMap<string, Buffer>,
  { kind, name }: ObjectPlace,
): Promise<SettingsFile> {
  const keys = [...files.keys()];
  const settings = keys.length === 1 ? keys[0] : keys.find((key) => key === SETTINGS_KEY);
  if (settings === undefined) {
    throw new CliError(`The ${kind} ${name} has no key ${SETTINGS_KEY}`, {
      code: 'ERR_SETTING',
      hint: 'add this key with the settings of all hosts, in the form of an inventory',
    });
  }
  const size = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  const refuse = (error: unknown): never => refuseWrite(error, size);
  const folder = await makeTempFolder().catch(refuse);
  const release = async (): Promise<void> => rm(folder, { recursive: true }).catch(() => undefined);
  const own = join(kind, name);
  try {
    await mkdir(join(folder, own), { recursive: true, mode: 0o700 });
    for (const [key, bytes] of files)
      await writeFile(join(folder, own, key), bytes, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    await release();
    refuse(error);
  }
  return { name: join(own, settings), folder, release };
}

/** @param size bytes of all files */
function refuseWrite(error: unknown, size: number): never {
  const described = spoolError(error, size);
  if (isDiskFull(described)) throw described;
  throw new CliError(`Cannot write settings to ${tmpdir()} (${errorCode(error) ?? 'unknown error'})`, {
    code: 'ERR_FILE_WRITE',
    hint: 'mount a writable volume there, or set TMPDIR to another folder',
    cause: error,
  });
}

function valuesOf(kind: ObjectPlace['kind'], object: KubernetesObject): Map<string, Buffer> {
  const texts = kind === 'configmap' ? entriesOf(object['data'], 'utf8') : [];
  const bytes = entriesOf(kind === 'configmap' ? object['binaryData'] : object['data'], 'base64');
  return new Map([...texts, ...bytes]);
}

/** The keys become file names, so keys that lead to another folder are skipped. */
function entriesOf(data: unknown, encoding: 'utf8' | 'base64'): (readonly [string, Buffer])[] {
  if (!isMapping(data)) return [];
  return Object.entries(data).flatMap(([key, value]) =>
    typeof value === 'string' && /^[-._A-Za-z0-9]{1,253}$/.test(key) && !/^\.+$/.test(key)
      ? [[key, Buffer.from(value, encoding)] as const]
      : [],
  );
}

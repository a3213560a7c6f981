/**
 * The options of `controller`, and the settings that the configs of all hosts are rendered from: a file, a ConfigMap or
 * Secret of the controller's own namespace, or the environment alone, as image builders have it. The values of a ConfigMap
 * or Secret become files in a folder that only this user may read, so that settings name certificates, keys and passwords by
 * file in the same way everywhere.
 */

import { isMapping } from '../formats/mapping.ts';
import type { ImageOptions } from '../hosts/plan/imageInputs.ts';
import type { ServeOptions } from '../serve/options.ts';
import type { Io } from '../io/io.ts';
import { CliError, UsageError } from '../core/errors.ts';
import { type InventoryLayers, readInventoryFile } from '../hosts/settings/inventory.ts';
import { chooseProfile } from '../hosts/settings/profile.ts';
import { readInputs, type RenderSource } from '../hosts/settings/settings.ts';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { errorCode } from '../io/files/fileErrors.ts';
import type { KubernetesClient } from './kube/kubernetesClient.ts';
import { configMaps, type KubernetesObject, secrets } from './kube/objects.ts';
import { Informer } from './kube/informer.ts';
import { makeTempFolder } from '../io/files/tempFile.ts';

/** Those of `serve` that say how it listens, and to whom it answers. */
type ServiceOptions = Pick<
  ServeOptions,
  | 'listen'
  | 'publicUrl'
  | 'keyFile'
  | 'tokenFile'
  | 'tlsCert'
  | 'tlsKey'
  | 'clientCa'
  | 'cache'
  | 'maxConnections'
  | 'grace'
  | 'idleTimeout'
  | 'log'
>;

export interface ControllerOptions extends ServiceOptions, ImageOptions {
  /** A file, `configmap/NAME` or `secret/NAME`; without it the environment says everything. */
  readonly settings?: string;
  readonly profile?: string;
  /** Each `FILE` or `ARCHITECTURE=FILE`. */
  readonly agentArchive?: readonly string[];
  readonly grow?: boolean;

  /** Undefined and empty for all. */
  readonly namespace?: string;
  readonly kubeconfig?: string;
  /** `NAME`, or `NAMESPACE/NAME`. */
  readonly lease?: string;
  /** False where this is the only replica, and never another. */
  readonly leaderElection?: boolean;
  /** For load balancers to look elsewhere: `5s`. */
  readonly drainTime?: string;
}

interface RenderLayers {
  readonly source: RenderSource;
  readonly layers: InventoryLayers;
}

const addressHint =
  'set ironic.apiUrls below agent in the settings (--settings), or the variable IRONIC_BASE_URL';

/**
 * @param file of settings; undefined where the environment says everything
 * @throws CliError where the file is wrong, UsageError for the options and for a list of hosts
 */
export async function readRenderLayers(
  file: string | undefined,
  { profile }: Pick<ControllerOptions, 'profile'>,
  io: Io,
): Promise<RenderLayers> {
  const given = profile === undefined ? {} : { profile };
  if (file === undefined) {
    // Who says everything by the environment comes from the image-customization-controller.
    const source: RenderSource = { options: { profile: 'icc', ...given }, io, addressHint };
    readInputs(source);
    return { source, layers: { profile: chooseProfile(source.options), files: [] } };
  }
  const read = await readInventoryFile(file, { ...given, inventory: file }, io);
  const { inventory } = read;
  const source = { ...read.source, addressHint };
  if (inventory.hosts !== undefined) {
    throw new UsageError(`${file} has a list of hosts, and here the cluster says which hosts there are`, {
      hint: 'take "hosts" out; what is different for a host is in its Secret',
    });
  }
  readInputs(source);
  const layers = { profile: chooseProfile(source.options), files: [inventory.agent] };
  return { source, layers };
}

/** The settings in their object, unless it has but one value. */
const SETTINGS_KEY = 'ramdisk.yaml';

export interface SettingsSource {
  /** As they are now, to be released by whoever asks. Throws CliError where they are not there. */
  open(): Promise<SettingsFile>;
  /** What has to be looked at again and again; what is in the cluster tells by itself. */
  readonly watched: readonly string[];
  close(): Promise<void>;
}

export interface SettingsFile {
  /** Seen from `folder`, as messages call it; undefined where the environment says everything. */
  readonly name: string | undefined;
  /** Where its path and those of the environment start. */
  readonly folder: string;
  /** Nothing is made from it any more. Never rejects. */
  readonly release: () => Promise<void>;
}

interface SettingsOptions {
  /** As `--settings` says it. */
  readonly text: string | undefined;
  readonly client: KubernetesClient;
  readonly namespace: string;
  readonly changed: () => void;
  readonly trouble: (error: Error) => void;
}

const kinds = { configmap: configMaps, secret: secrets } as const;

/** @throws UsageError for a kind or a name that there is not */
export function openSettings(options: SettingsOptions, io: Pick<Io, 'cwd'>): SettingsSource {
  const { text } = options;
  const place = text === undefined ? undefined : parsePlace(text);
  if (place !== undefined) return objectSettings(place, options);
  return {
    open: async () => ({ name: text, folder: io.cwd, release: async () => undefined }),
    watched: text === undefined ? [] : [resolve(io.cwd, text)],
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
  if (/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(name)) return { kind: word, name };
  throw new UsageError(`--settings ${JSON.stringify(text)} names no object`, {
    hint: `for example --settings ${word}/ramdisk-settings; a file of that name is ./${word}/…`,
  });
}

function objectSettings(place: ObjectPlace, options: SettingsOptions): SettingsSource {
  const { changed, client, namespace, trouble } = options;
  const { kind, name } = place;
  const cache = new Informer({
    client,
    resource: kinds[kind],
    selection: { namespace, fieldSelector: `metadata.name=${name}` },
    keep: (object) => ({ version: object.metadata.resourceVersion, files: valuesOf(kind, object) }),
    changed: ({ before, now }) => {
      // All that there is, is told when it is listed, too.
      if (cache.isSynced && before?.version !== now?.version) changed();
    },
    trouble,
  });
  return {
    watched: [],
    open: async () => {
      await cache.synced;
      const found = cache.get({ namespace, name });
      if (found !== undefined) return writeFiles(found.files, place);
      throw new CliError(`There is no ${kind} ${name} in the namespace ${namespace}`, {
        code: 'ERR_SETTING',
        hint: 'make it, or name another one with --settings',
      });
    },
    close: () => cache.stop(),
  };
}

/** Each time into a folder of its own: images may still be made from what was there before. */
async function writeFiles(
  files: ReadonlyMap<string, Buffer>,
  { kind, name }: ObjectPlace,
): Promise<SettingsFile> {
  const keys = [...files.keys()];
  const settings = keys.length === 1 ? keys[0] : keys.find((key) => key === SETTINGS_KEY);
  if (settings === undefined) {
    throw new CliError(`The ${kind} ${name} has no value ${SETTINGS_KEY}`, {
      code: 'ERR_SETTING',
      hint: 'put the settings of all hosts there, in the form of an inventory',
    });
  }
  const folder = await makeFolder();
  const release = async (): Promise<void> => rm(folder, { recursive: true }).catch(() => undefined);
  const own = join(kind, name);
  try {
    await mkdir(join(folder, own), { recursive: true, mode: 0o700 });
    for (const [key, bytes] of files) await writeFile(join(folder, own, key), bytes, { mode: 0o600 });
  } catch (error) {
    await release();
    throw cannotKeep(error);
  }
  return { name: join(own, settings), folder, release };
}

async function makeFolder(): Promise<string> {
  try {
    return await makeTempFolder();
  } catch (error) {
    throw cannotKeep(error);
  }
}

function cannotKeep(error: unknown): CliError {
  return new CliError(`Cannot write settings to ${tmpdir()} (${errorCode(error) ?? 'unknown trouble'})`, {
    code: 'ERR_FILE_WRITE',
    hint: 'mount a volume there, or name another folder with TMPDIR',
    cause: error,
  });
}

function valuesOf(kind: ObjectPlace['kind'], object: KubernetesObject): Map<string, Buffer> {
  const texts = kind === 'configmap' ? entriesOf(object['data'], 'utf8') : [];
  const bytes = entriesOf(kind === 'configmap' ? object['binaryData'] : object['data'], 'base64');
  return new Map([...texts, ...bytes]);
}

/** Keys are names of files, and lead to no other folder. */
function entriesOf(data: unknown, encoding: 'utf8' | 'base64'): (readonly [string, Buffer])[] {
  if (!isMapping(data)) return [];
  return Object.entries(data).flatMap(([key, value]) =>
    typeof value === 'string' && /^[-._A-Za-z0-9]{1,253}$/.test(key) && !/^\.+$/.test(key)
      ? [[key, Buffer.from(value, encoding)] as const]
      : [],
  );
}

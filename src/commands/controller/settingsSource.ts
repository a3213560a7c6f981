/**
 * Where the settings of all hosts are: a file, or a ConfigMap or Secret of the controller's own namespace. The values of
 * those become files in a folder that only this user may read, so that settings name certificates, keys and passwords by
 * file in the same way everywhere.
 */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CliError, UsageError } from '../../errors.ts';
import type { Io } from '../../io/io.ts';
import type { KubernetesClient } from '../../io/kubernetes/client.ts';
import { configMaps, isRecord, type KubernetesObject, secrets } from '../../io/kubernetes/objects.ts';
import { createWatchCache } from '../../io/kubernetes/watchCache.ts';

/** The settings in their object, unless it has but one value. */
const SETTINGS_KEY = 'ramdisk.yaml';

export interface SettingsSource {
  /** The path of the file as it is now; undefined where there is none. Throws CliError where it is not there. */
  locate(): Promise<string | undefined>;
  /** What has to be looked at again and again; what is in the cluster tells by itself. */
  readonly watched: readonly string[];
  close(): Promise<void>;
}

export interface SettingsOptions {
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
    locate: async () => text,
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

function objectSettings({ kind, name }: ObjectPlace, options: SettingsOptions): SettingsSource {
  const { changed, client, namespace, trouble } = options;
  const key = { namespace, name };
  const cache = createWatchCache({
    client,
    resource: kinds[kind],
    selection: { namespace, fieldSelector: `metadata.name=${name}` },
    keep: (object) => ({ version: object.metadata.resourceVersion, files: valuesOf(kind, object) }),
    changed: ({ before }) => {
      if (before !== undefined) changed();
    },
    trouble,
  });
  const versions: string[] = [];
  let folder: Promise<string> | undefined;
  return {
    watched: [],
    locate: async () => {
      await cache.synced;
      const found = cache.get(key);
      if (found === undefined) {
        throw new CliError(`There is no ${kind} ${name} in the namespace ${namespace}`, {
          hint: 'make it, or name another one with --settings',
        });
      }
      folder ??= mkdtemp(join(tmpdir(), 'ironic-coreos-settings-'));
      const own = join(await folder, found.version.replace(/[^A-Za-z0-9]/g, '-'));
      if (!versions.includes(own)) versions.push(own);
      // Configs may still be made from the one before.
      for (const old of versions.splice(0, versions.length - 2)) await rm(old, { recursive: true });
      return writeFiles(found, { kind, name, folder: own });
    },
    close: async () => {
      await cache.stop();
      if (folder !== undefined) await rm(await folder, { recursive: true, force: true });
    },
  };
}

interface ObjectFiles {
  readonly version: string;
  readonly files: ReadonlyMap<string, Buffer>;
}

/** Of each version a folder of its own: another one may be read while this one comes. */
async function writeFiles(
  { files }: ObjectFiles,
  { kind, name, folder }: ObjectPlace & { readonly folder: string },
): Promise<string> {
  const keys = [...files.keys()];
  const settings = keys.length === 1 ? keys[0] : keys.find((key) => key === SETTINGS_KEY);
  if (settings === undefined) {
    throw new CliError(`The ${kind} ${name} has no value ${SETTINGS_KEY}`, {
      hint: 'put the settings of all hosts there, in the form of an inventory',
    });
  }
  const own = join(folder, kind, name);
  await mkdir(own, { recursive: true, mode: 0o700 });
  for (const [key, bytes] of files) await writeFile(join(own, key), bytes, { mode: 0o600 });
  return join(own, settings);
}

function valuesOf(kind: ObjectPlace['kind'], object: KubernetesObject): Map<string, Buffer> {
  const texts = kind === 'configmap' ? entriesOf(object['data'], 'utf8') : [];
  const bytes = entriesOf(kind === 'configmap' ? object['binaryData'] : object['data'], 'base64');
  return new Map([...texts, ...bytes]);
}

/** Keys are names of files, and lead to no other folder. */
function entriesOf(data: unknown, encoding: 'utf8' | 'base64'): (readonly [string, Buffer])[] {
  if (!isRecord(data)) return [];
  return Object.entries(data).flatMap(([key, value]) =>
    typeof value === 'string' && /^[-._A-Za-z0-9]{1,253}$/.test(key) && !/^\.+$/.test(key)
      ? [[key, Buffer.from(value, encoding)] as const]
      : [],
  );
}

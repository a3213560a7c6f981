/** Settings from a file, a ConfigMap or a Secret. */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  openSettings,
  type SettingsFile,
  type SettingsSource,
} from '../../../src/commands/controller/settings.ts';
import { configMaps, secrets } from '../../../src/kube/objects.ts';
import { memoryCluster, type MemoryCluster } from './memoryCluster.ts';
import { eventually } from '../../support/eventually.ts';

const key = { namespace: 'metal3', name: 'ramdisk' };
const cwd = '/somewhere';

const open = (
  text: string | undefined,
  { client }: MemoryCluster,
  changed = (): void => undefined,
): SettingsSource =>
  openSettings({ text, client, namespace: 'metal3', changed, onError: () => undefined }, cwd);

/** The path of the file, which is there until `use` has ended. */
async function withSettings<T>(source: SettingsSource, use: (file: string) => T): Promise<T> {
  const { name = '', folder, release } = await source.open();
  try {
    return use(join(folder, name));
  } finally {
    await release();
    await source.close();
  }
}

describe('settings', () => {
  it.each([
    [undefined, undefined, []],
    ['ramdisk.yaml', 'ramdisk.yaml', ['/somewhere/ramdisk.yaml']],
    ['./configmap/x', './configmap/x', ['/somewhere/configmap/x']],
  ])('%s is a file, or nothing', async (text, expected, watched) => {
    const source = open(text, memoryCluster());
    expect(await source.open()).toMatchObject({ name: expected, folder: cwd });
    expect(source.watched).toEqual(watched);
  });

  it.each(['configmap/', 'configmap/a/b', 'secret/..', 'secret/A', `configmap/${'a'.repeat(300)}`])(
    '%s is refused',
    (text) => {
      expect(() => open(text, memoryCluster())).toThrow(/for --settings: (?:it is|Kubernetes allows)/);
    },
  );

  it('that cannot be written leave nothing behind', async () => {
    // A folder so deep that the path of the second file is longer than Linux and macOS allow.
    const top = mkdtempSync(join(tmpdir(), 'deep '));
    const deep = join(top, ...Array.from({ length: 19 }, () => 'd'.repeat(200)));
    mkdirSync(deep, { recursive: true });
    vi.stubEnv('TMPDIR', deep);
    const cluster = memoryCluster();
    cluster.put(configMaps, key, { data: { 'ramdisk.yaml': 'agent: {}\n', ['x'.repeat(250)]: 'y' } });
    const source = open('configmap/ramdisk', cluster);
    await expect(source.open()).rejects.toMatchObject({
      message: expect.stringMatching(/^Cannot write settings to /),
      cause: { code: 'ENAMETOOLONG' },
    });
    expect(readdirSync(deep)).toEqual([]);
    await source.close();
    vi.unstubAllEnvs();
    rmSync(top, { recursive: true });
  });

  it('of a ConfigMap become files beside each other, for this user alone, and go in the end', async () => {
    const cluster = memoryCluster();
    const data = { 'ramdisk.yaml': 'agent: {}\n', 'ironic.crt': 'PEM' };
    cluster.put(configMaps, key, { data, binaryData: { 'auth.json': 'e30=' } });
    const folder = await withSettings(open('configmap/ramdisk', cluster), (file) => {
      const read = (name: string): string => readFileSync(join(dirname(file), name), 'utf8');
      expect(file).toMatch(/configmap\/ramdisk\/ramdisk\.yaml$/);
      expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
      expect(['ramdisk.yaml', 'ironic.crt', 'auth.json'].map(read)).toEqual(['agent: {}\n', 'PEM', '{}']);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      return dirname(file);
    });
    expect(existsSync(folder)).toBe(false);
  });

  it('of a Secret with one value are that, whatever its name', async () => {
    const cluster = memoryCluster();
    cluster.put(secrets, key, { data: { settings: Buffer.from('agent: {}\n').toString('base64') } });
    await withSettings(open('secret/ramdisk', cluster), (file) => {
      expect(readFileSync(file, 'utf8')).toBe('agent: {}\n');
    });
  });

  it('may have no names that lead elsewhere', async () => {
    const cluster = memoryCluster();
    const data = { 'ramdisk.yaml': 'a', '../../evil': 'x', '..': 'x', '/etc/evil': 'x', 'a/b': 'x' };
    cluster.put(configMaps, key, { data });
    await withSettings(open('configmap/ramdisk', cluster), (file) => {
      expect(existsSync(join(dirname(file), '../../evil'))).toBe(false);
      expect(readFileSync(file, 'utf8')).toBe('a');
    });
  });

  it.each([
    ['no object', undefined, 'configmap ramdisk not found in the namespace metal3'],
    ['no such value', { data: { a: 'x', b: 'y' } }, 'The configmap ramdisk has no key ramdisk.yaml'],
    ['nothing', {}, 'The configmap ramdisk has no key ramdisk.yaml'],
    ['anything', { data: [1], binaryData: 'x' }, 'The configmap ramdisk has no key ramdisk.yaml'],
  ])('cannot be read from %s', async (_title, fields, message) => {
    const cluster = memoryCluster();
    if (fields !== undefined) cluster.put(configMaps, key, fields);
    const source = open('configmap/ramdisk', cluster);
    await expect(source.open()).rejects.toThrow(message);
    await source.close();
  });

  it('are called as in the cluster, wherever their files are', async () => {
    const cluster = memoryCluster();
    cluster.put(configMaps, key, { data: { 'ramdisk.yaml': 'one' } });
    const source = open('configmap/ramdisk', cluster);
    const { name, release } = await source.open();
    expect(name).toBe('configmap/ramdisk/ramdisk.yaml');
    await release();
    await source.close();
  });

  it('are there until they are released, however often they change meanwhile', async () => {
    const cluster = memoryCluster();
    const source = open('configmap/ramdisk', cluster);
    const opened: SettingsFile[] = [];
    for (const text of ['one', 'two', 'three']) {
      cluster.put(configMaps, key, { data: { 'ramdisk.yaml': text } });
      await eventually(async () => {
        const file = await source.open();
        opened.push(file);
        expect(readFileSync(join(file.folder, file.name ?? ''), 'utf8')).toBe(text);
      });
    }
    const files = opened.map(({ folder, name = '' }) => join(folder, name));
    expect(files.every((file) => existsSync(file))).toBe(true);
    for (const { release } of opened) await release();
    expect(opened.some(({ folder }) => existsSync(folder))).toBe(false);
    await source.close();
  });

  it('tell when they change, go and come again, and not when they are only listed again', async () => {
    const cluster = memoryCluster();
    cluster.put(configMaps, key, { data: { 'ramdisk.yaml': 'one' } });
    const changed = vi.fn<() => void>();
    const source = open('configmap/ramdisk', cluster, changed);
    await (await source.open()).release();
    expect(changed).not.toHaveBeenCalled();
    const steps = [
      () => cluster.put(configMaps, key, { data: { 'ramdisk.yaml': 'two' } }),
      () => cluster.remove(configMaps, key),
      () => cluster.put(configMaps, key, { data: { 'ramdisk.yaml': 'three' } }),
    ];
    for (const [index, step] of steps.entries()) {
      step();
      await eventually(() => expect(changed).toHaveBeenCalledTimes(index + 1));
    }
    const lists = (): number => cluster.asked.filter((line) => line === 'list configmaps').length;
    const before = lists();
    cluster.expire();
    await eventually(() => expect(lists()).toBe(before + 1));
    cluster.put(configMaps, key, { data: { 'ramdisk.yaml': 'four' } });
    await eventually(async () => {
      const { folder, name = '', release } = await source.open();
      const text = readFileSync(join(folder, name), 'utf8');
      await release();
      expect(text).toBe('four');
    });
    expect(changed).toHaveBeenCalledTimes(steps.length + 1);
    await source.close();
  });
});

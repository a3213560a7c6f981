import { describe, expect, it } from 'vitest';
import { changedImage } from '../../src/image/imageChange.ts';
import { readInitrd, writeInitrd } from '../../src/image/initrd.ts';
import { type LiveIso, openLiveIso } from '../../src/image/liveIso.ts';
import {
  embedNetworkSettings,
  findKeyfileProblems,
  listNetworkSettings,
  type NetworkFile,
  networkMembers,
  removeNetworkSettings,
  replaceNetworkSettings,
} from '../../src/image/networkSettings.ts';
import { bytesAccess } from '../../src/image/overlay.ts';
import { type Layout, liveIso } from '../support/liveIso.ts';

const folder = 'etc/coreos-firstboot-network';
const members = (...paths: readonly string[]): Map<string, Uint8Array> =>
  new Map(paths.map((path) => [path, Buffer.from(path)]));
const keyfiles = (...names: readonly string[]): NetworkFile[] =>
  names.map((name) => ({ name, data: Buffer.from(name) }));
const namesOf = (files: readonly NetworkFile[]): string[] => files.map(({ name }) => name);
const open = async (layout: Layout): Promise<LiveIso> => openLiveIso(bytesAccess(liveIso(layout)));

describe('listNetworkSettings', () => {
  it.each<[title: string, paths: readonly string[], names: readonly string[]]>([
    ['by path, in bytes', [`${folder}/b`, `${folder}/\uffee`, `${folder}/B`], ['B', 'b', '\uffee']],
    ['nothing else', ['config.ign', `${folder}/a`, `./${folder}/b`, `/${folder}/c`, `${folder}x/d`], ['a']],
    [
      'those in folders, by their base names',
      [`${folder}/sub/a`, `${folder}/x/`, `${folder}/y/.`],
      ['a', 'x', 'y'],
    ],
  ])('%s', (_title, paths, names) => {
    expect(namesOf(listNetworkSettings(members(...paths)))).toEqual(names);
  });

  it.each([
    [['config.ign'], 'No embedded network settings.'],
    [[`${folder}/a`, `${folder}/..`], `missing filename in ${folder}/..`],
  ])('refuses %j', (paths, message) => {
    expect(() => listNetworkSettings(members(...paths))).toThrow(message);
  });
});

describe('replaceNetworkSettings', () => {
  it.each<[title: string, before: readonly string[], names: readonly string[], after: readonly string[]]>([
    ['adds', ['config.ign'], ['a', 'b'], ['config.ign', `${folder}/a`, `${folder}/b`]],
    ['drops all others', [`${folder}/a`, `${folder}/sub/b`], ['c'], [`${folder}/c`]],
    ['drops all', ['config.ign', `${folder}/a`], [], ['config.ign']],
  ])('%s', (_title, before, names, after) => {
    expect([...replaceNetworkSettings(members(...before), keyfiles(...names)).keys()]).toEqual(after);
  });

  it('refuses two of one name', () => {
    expect(() => replaceNetworkSettings(new Map(), keyfiles('a', 'b', 'a'))).toThrow(
      "multiple input files named 'a'",
    );
  });
});

it('networkMembers gives an archive with them and nothing else', async () => {
  const files = await readInitrd(writeInitrd(networkMembers(keyfiles('b', 'a'))));
  expect([...files.keys()]).toEqual([`${folder}/a`, `${folder}/b`]);
  expect(() => networkMembers(keyfiles('a', 'a'))).toThrow("multiple input files named 'a'");
});

describe('embedNetworkSettings', () => {
  it('refuses settings that are there, unless they may be replaced', async () => {
    const iso = await open('2023-07');
    const first = changedImage(iso.image, await embedNetworkSettings(iso, keyfiles('a'), 'refuse'));
    const again = await openLiveIso(first);
    await expect(embedNetworkSettings(again, keyfiles('b'), 'refuse')).rejects.toThrow(
      'This ISO image already has embedded network settings; use -f to force.',
    );
    const second = changedImage(first, await embedNetworkSettings(again, keyfiles('b'), 'replace'));
    expect(namesOf(listNetworkSettings(await (await openLiveIso(second)).embeddedFiles()))).toEqual(['b']);
  });

  it('refuses an image whose initramfs would not look at them', async () => {
    await expect(embedNetworkSettings(await open('2021-09'), keyfiles('a'), 'replace')).rejects.toThrow(
      'This OS image does not support customizing network settings.',
    );
  });
});

it('removeNetworkSettings changes nothing where there are none', async () => {
  expect(await removeNetworkSettings(await open('2021-09'))).toEqual({ patches: [] });
});

it.each<[string, string | Uint8Array, string | undefined]>([
  ['a keyfile', '[connection]\nid=eth0\ntype=ethernet\n', undefined],
  ['another section first', '# by hand\n[ipv4]\nmethod=auto\n[connection]\ntype=ethernet\n', undefined],
  ['no section', 'id=eth0\n', 'Invalid keyfile line 1: it is before the first section'],
  ['no connection', '[ipv4]\nmethod=auto\n', 'the keyfile has no section [connection]'],
  ['nothing', '', 'the keyfile has no section [connection]'],
  [
    'a byte order mark, which GLib does not skip',
    '\ufeff[connection]\nid=eth0\ntype=ethernet\n',
    'Invalid keyfile line 1: it is before the first section',
  ],
  ['text of Latin-1', Buffer.from('[connection]\nid=\xe9\n', 'latin1'), 'the keyfile is not UTF-8 text'],
  ['no text', Uint8Array.of(0xff, 0xfe), 'the keyfile is not UTF-8 text'],
  ['more than a text', Buffer.alloc(2 ** 24 + 1, 'x'), 'the keyfile is too large: 16777217 > 16777216 bytes'],
])('%s', (_title, content, problem) => {
  expect(findKeyfileProblems(Buffer.from(content))[0]?.message).toBe(problem);
});

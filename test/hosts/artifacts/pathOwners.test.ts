/** Paths of hosts: each belongs to one host, or the hosts are refused with both names. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { InventoryHost } from '../../../src/hosts/settings/inventoryDocument.ts';
import { CliError } from '../../../src/core/errors.ts';
import {
  ownedFiles,
  ownedScripts,
  type OwnedPath,
  refuseSharedPaths,
} from '../../../src/hosts/plan/servedPaths.ts';

const problem = { severity: 'error', message: 'odd' } as const;

const hostOf = (name: string, mac?: string, isInvalid = false): InventoryHost => ({
  name,
  ...(mac === undefined ? {} : { mac }),
  at: { file: 'ramdisk.yaml', line: 1 },
  problems: isInvalid ? [problem] : [],
  readInputs: () => new Map(),
});

const refusal = (paths: Iterable<OwnedPath>): string | undefined => {
  try {
    refuseSharedPaths(paths, 'rename one');
    return undefined;
  } catch (error) {
    if (error instanceof CliError) return `${error.message}; ${error.hint}`;
    throw error;
  }
};

const mac = '52:54:00:12:34:56';
const loaders = ['ipxe', 'grub', 'pxelinux'] as const;

describe('files called after their hosts', () => {
  const configs = ['iso', 'minimal-iso', 'ign'] as const;
  const of = (...names: readonly string[]): OwnedPath[] => [
    ...ownedFiles(
      names.map((name) => ({ stem: name, owner: name })),
      { configs },
    ),
  ];

  it.each([
    [['x', 'x-minimal'], 'x and x-minimal would have the same path: x-minimal.iso; rename one'],
    [['b-minimal', 'a', 'b'], 'b-minimal and b would have the same path: b-minimal.iso; rename one'],
    [['x-minimal', 'x-minimal-minimal'], 'x-minimal and x-minimal-minimal would have the same path'],
    [['x', 'x-minima', 'x.minimal', 'X-minimal'], undefined],
  ])('%j', (names, expected) => {
    const found = refusal(of(...names));
    expect(found?.slice(0, expected?.length)).toBe(expected);
  });

  it('have no path in common where no two artifacts end alike', () => {
    const paths = ownedFiles(
      ['x', 'x-minimal'].map((name) => ({ stem: name, owner: name })),
      { configs: ['iso', 'ign', 'archive', 'initramfs'] },
    );
    expect(refusal(paths)).toBeUndefined();
  });

  it('are each of one host, or the two hosts are named', () => {
    const name = fc.stringMatching(/^[ab](-minimal){0,3}$/);
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 2, maxLength: 6 }), (names) => {
        const paths = of(...names);
        const shared = paths.filter(({ path, owner }) =>
          paths.some((other) => other.path === path && other.owner !== owner),
        );
        const message = refusal(paths);
        expect(message === undefined).toBe(shared.length === 0);
        const [, ...told] = /^(\S+) and (\S+) would/.exec(message ?? '') ?? [];
        expect(shared.map(({ owner }) => owner)).toEqual(expect.arrayContaining(told));
      }),
    );
  });
});

describe('boot scripts', () => {
  it.each([
    ['a name that is the MAC address of another', [hostOf('a', mac), hostOf('mac-52-54-00-12-34-56')], true],
    ['a name that is its own MAC address', [hostOf('mac-52-54-00-12-34-56', mac)], false],
    ['two invalid hosts with one MAC address', [hostOf('a', mac, true), hostOf('b', mac, true)], false],
    ['two invalid hosts with one name', [hostOf('a', undefined, true), hostOf('A', undefined, true)], false],
  ])('%s', (_title, hosts, isRefused) => {
    const found = refusal(ownedScripts(hosts, { loaders }));
    expect(found?.includes('ipxe/mac-52-54-00-12-34-56.ipxe') ?? false).toBe(isRefused);
  });

  it('of loaders that find them by MAC address alone have no names', () => {
    const hosts = [hostOf('a', mac), hostOf('mac-52-54-00-12-34-56')];
    expect(refusal(ownedScripts(hosts, { loaders: ['grub', 'pxelinux'] }))).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { findLeftovers, type PreparedNow } from '../../../src/commands/prepare/finish.ts';
import type { Manifest, ManifestFile } from '../../../src/hosts/artifacts/manifest.ts';

const file = (path: string, host?: string, superseded?: true): ManifestFile => ({
  path,
  kind: 'script',
  size: 1,
  sha256: 'a'.repeat(64),
  mode: '0644',
  ...(host !== undefined && { host }),
  ...(superseded !== undefined && { superseded }),
});
const idOf = (digit: number): string => String(digit).repeat(12);
const previous: Manifest = {
  version: 1,
  generator: { name: 'ironic-coreos', version: '0' },
  layout: 'folder',
  baseUrl: null,
  artifacts: [],
  inputs: [],
  hosts: ['changed', 'same', 'wrong', 'left'].map((name) => ({
    name,
    macs: [],
    architecture: 'x86_64',
    state: 'prepared',
    images: name === 'wrong' ? 'old' : 'older',
  })),
  files: [
    file('boot.ipxe'),
    file('images/oldest/kernel', undefined, true),
    file('images/older/kernel'),
    file('images/old/kernel'),
    file(`hosts/changed/${idOf(1)}/config.ign`, 'changed', true),
    file(`hosts/changed/${idOf(2)}/config.ign`, 'changed'),
    file('hosts/changed/live.iso', 'changed'),
    file(`hosts/same/${idOf(1)}/config.ign`, 'same', true),
    file(`hosts/same/${idOf(2)}/config.ign`, 'same'),
    file(`hosts/wrong/${idOf(1)}/config.ign`, 'wrong', true),
    file(`hosts/wrong/${idOf(2)}/config.ign`, 'wrong'),
    file('ipxe/wrong.ipxe', 'wrong'),
    file('hosts/left/config.ign', 'left'),
    file('ipxe/left.ipxe', 'left'),
    file('inspector.ipxe'),
  ],
};
const now: PreparedNow = {
  paths: new Set(['boot.ipxe', `hosts/same/${idOf(2)}/config.ign`]),
  hosts: new Set(['changed', 'same']),
  invalidHosts: new Set(['wrong']),
  prune: true,
};
const listed = (files: readonly ManifestFile[]): string[] =>
  files.map(({ path, superseded = false }) => `${path}${superseded ? ' superseded' : ''}`);

describe('findLeftovers', () => {
  it('prune keeps what an invalid host boots, and the previous version of what this run has replaced', () => {
    const { files, hosts, removed, unneeded } = findLeftovers(previous, now);
    expect(listed(files)).toEqual([
      'images/older/kernel superseded',
      'images/old/kernel',
      `hosts/changed/${idOf(2)}/config.ign superseded`,
      'hosts/changed/live.iso superseded',
      `hosts/wrong/${idOf(2)}/config.ign`,
      'ipxe/wrong.ipxe',
    ]);
    expect(hosts.map(({ name, state }) => `${name} ${state}`)).toEqual(['wrong kept']);
    expect([unneeded, removed.toSorted()]).toEqual([
      0,
      [
        `hosts/changed/${idOf(1)}/config.ign`,
        'hosts/left/config.ign',
        `hosts/same/${idOf(1)}/config.ign`,
        `hosts/wrong/${idOf(1)}/config.ign`,
        'images/oldest/kernel',
        'inspector.ipxe',
        'ipxe/left.ipxe',
      ],
    ]);
  });

  it('without prune, only versions of a host before the previous one are removed', () => {
    const { files, hosts, removed, unneeded } = findLeftovers(previous, { ...now, prune: false });
    expect(removed).toEqual([`hosts/changed/${idOf(1)}/config.ign`]);
    expect(listed(files).toSorted()).toEqual([
      `hosts/changed/${idOf(2)}/config.ign superseded`,
      'hosts/changed/live.iso superseded',
      'hosts/left/config.ign',
      `hosts/same/${idOf(1)}/config.ign superseded`,
      `hosts/wrong/${idOf(1)}/config.ign superseded`,
      `hosts/wrong/${idOf(2)}/config.ign`,
      'images/old/kernel',
      'images/older/kernel',
      'images/oldest/kernel superseded',
      'inspector.ipxe',
      'ipxe/left.ipxe',
      'ipxe/wrong.ipxe',
    ]);
    expect(unneeded).toBe(4);
    expect(hosts.map(({ name }) => name)).toEqual(['wrong', 'left']);
  });

  it('changes nothing in a run without changes', () => {
    const paths = new Set(
      previous.files.filter(({ superseded }) => superseded !== true).map(({ path }) => path),
    );
    const hosts = new Set(previous.hosts.map(({ name }) => name));
    const same = { paths, hosts, invalidHosts: new Set<string>(), prune: false };
    const { files, removed } = findLeftovers(previous, same);
    expect(removed).toEqual([]);
    expect(files.every((one) => previous.files.includes(one))).toBe(true);
    expect(files).toHaveLength(4);
  });

  it('has nothing in a new folder', () => {
    expect(findLeftovers(undefined, now)).toEqual({ files: [], hosts: [], removed: [], unneeded: 0 });
  });
});

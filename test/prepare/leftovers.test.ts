import { describe, expect, it } from 'vitest';
import { findLeftovers, type PreparedNow } from '../../src/prepare/finish.ts';
import type { Manifest, ManifestFile } from '../../src/hosts/artifacts/manifest.ts';

const file = (path: string, host?: string): ManifestFile => ({
  path,
  size: 1,
  sha256: 'a'.repeat(64),
  mode: '0644',
  ...(host !== undefined && { host }),
});
const previous: Manifest = {
  version: 1,
  generator: { name: 'ironic-coreos', version: '0' },
  layout: 'folder',
  baseUrl: null,
  artifacts: [],
  inputs: [],
  hosts: ['stays', 'wrong', 'left'].map((name) => ({
    name,
    macs: [],
    architecture: 'x86_64',
    state: 'prepared',
    images: name === 'wrong' ? 'old' : 'older',
  })),
  files: [
    file('boot.ipxe'),
    file('images/older/kernel'),
    file('images/old/kernel'),
    file('hosts/stays/live.iso', 'stays'),
    file('hosts/wrong/config.ign', 'wrong'),
    file('hosts/left/config.ign', 'left'),
  ],
};
const now: PreparedNow = {
  paths: new Set(['boot.ipxe']),
  hosts: new Set(['stays']),
  invalidHosts: new Set(['wrong']),
  prune: true,
};
const pathsOf = (files: readonly ManifestFile[]): string[] => files.map(({ path }) => path);

describe('findLeftovers', () => {
  it('keeps what a wrong host boots, and removes the rest', () => {
    const { files, hosts, unneeded } = findLeftovers(previous, now);
    expect(pathsOf(files)).toEqual(['images/old/kernel', 'hosts/wrong/config.ign']);
    expect(hosts.map(({ name, state }) => `${name} ${state}`)).toEqual(['wrong kept']);
    expect(pathsOf(unneeded)).toEqual([
      'images/older/kernel',
      'hosts/stays/live.iso',
      'hosts/left/config.ign',
    ]);
  });

  it('keeps everything without prune, and the images of hosts that left', () => {
    const { files, hosts, unneeded } = findLeftovers(previous, { ...now, prune: false });
    expect(files).toHaveLength(5);
    expect(hosts.map(({ name }) => name)).toEqual(['wrong', 'left']);
    expect(pathsOf(unneeded)).toEqual(['hosts/stays/live.iso', 'hosts/left/config.ign']);
  });

  it('has nothing in a new folder', () => {
    expect(findLeftovers(undefined, now)).toEqual({ files: [], hosts: [], unneeded: [] });
  });
});

import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStreamMetadata } from '../../../src/commands/download/artifacts/streamMetadata.ts';
import { parseImageName } from '../../../src/image/imageNames.ts';
import { allowedFileUrl, layouts } from '../../../src/hosts/artifacts/layoutFiles.ts';
import { withScriptPaths } from '../../../src/commands/prepare/fixedLayout.ts';
import { imageSetId, parseBaseUrl } from '../../../src/hosts/plan/servedPaths.ts';
import { sharedData, sharedDataNote } from '../../support/sharedData.ts';

describe('parseImageName', () => {
  it.each([
    ['fedora-coreos-44.20261101.3.0-live-kernel.x86_64', 'kernel', 'x86_64', 'fedora-coreos-44.20261101.3.0'],
    ['fedora-coreos-34.20210427.3.0-live-kernel-x86_64', 'kernel', 'x86_64', 'fedora-coreos-34.20210427.3.0'],
    [
      'fedora-coreos-44.20261101.3.0-live-initramfs.aarch64.img',
      'initramfs',
      'aarch64',
      'fedora-coreos-44.20261101.3.0',
    ],
    [
      'fedora-coreos-44.20261101.3.0-live-rootfs.s390x.img',
      'rootfs',
      's390x',
      'fedora-coreos-44.20261101.3.0',
    ],
    ['fedora-coreos-44.20261101.3.0-live-iso.x86_64.iso', 'iso', 'x86_64', 'fedora-coreos-44.20261101.3.0'],
    ['fedora-coreos-38.20230709.3.0-live.x86_64.iso', 'iso', 'x86_64', 'fedora-coreos-38.20230709.3.0'],
    ['rhcos-4.17.0-x86_64-live-kernel-x86_64', 'kernel', 'x86_64', 'rhcos-4.17.0-x86_64'],
    ['rhcos-4.17.0-aarch64-live.aarch64.iso', 'iso', 'aarch64', 'rhcos-4.17.0-aarch64'],
  ])('%s', (name, role, architecture, release) => {
    expect(parseImageName(name)).toEqual({ role, architecture, release });
  });

  it.skipIf(sharedData === undefined).each(['fcos-stable-2026-07', 'fcos-stable', 'rhcos-4.11-reduced'])(
    `knows all live files of the stream %s${sharedDataNote}`,
    (stream) => {
      const text = readFileSync(join(sharedData ?? '', 'streams', `${stream}.json`), 'utf8');
      const artifacts = parseStreamMetadata(text, stream)
        .images.filter(({ platform, format }) => platform === 'metal' && ['iso', 'pxe'].includes(format))
        .flatMap((image) => image.artifacts);
      expect(artifacts.length).toBeGreaterThan(3);
      for (const { location, architecture, format, name } of artifacts) {
        const role = format === 'iso' ? 'iso' : name;
        expect(parseImageName(basename(location))).toMatchObject({ role, architecture });
      }
    },
  );

  it.each([
    'fedora-coreos-44-live-kernel.x86_64.sig',
    'fedora-coreos-44-metal.x86_64.raw.xz',
    'fedora-coreos-44-live-kernel.riscv64',
    'fedora-coreos-44-live-kernel.x86_64.partial',
    'fedora-coreos-44-live-rootfs.x86_64.iso',
    'live.iso',
    '',
  ])('knows nothing of %j', (name) => {
    expect(parseImageName(name)).toBeUndefined();
  });

  it('answers for any name', () => {
    const part = fc.constantFrom('-live', '-kernel', '.x86_64', '-x86_64', '.img', '.iso', 'a');
    const names = fc.array(part, { maxLength: 80 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(names, (name) => {
        expect(['x86_64', undefined]).toContain(parseImageName(name)?.architecture);
      }),
    );
  });
});

const imagesOf = (...digests: readonly string[]): { role: string; sha256: string }[] =>
  digests.map((sha256) => ({ role: 'iso', sha256 }));

describe('imageSetId', () => {
  it('is another one for other images', () => {
    expect(imageSetId('x86_64', imagesOf('a', 'b'))).toMatch(/^x86_64-[0-9a-f]{12}$/);
    expect(imageSetId('x86_64', imagesOf('a', 'b'))).not.toBe(imageSetId('x86_64', imagesOf('ab')));
  });
});

describe('parseBaseUrl', () => {
  it.each([
    ['http://192.0.2.1/boot/', 'http://192.0.2.1/boot'],
    ['https://[2001:db8::1]:8443', 'https://[2001:db8::1]:8443'],
  ])('%s', (text, url) => {
    expect(parseBaseUrl(text)).toBe(url);
  });

  it.each([
    '192.0.2.1',
    'ftp://h/x',
    'http://h/a?b',
    'http://h/a b',
    'http://h/a,b',
    "http://h/a'b",
    'http://',
  ])('refuses %j', (text) => {
    expect(() => parseBaseUrl(text)).toThrow('--base-url');
  });
});

describe('allowedFileUrl', () => {
  it.each([
    ['bifrost', '/var/lib/ironic/httpboot/a b.iso', 'file:///var/lib/ironic/httpboot/a%20b.iso'],
    ['bifrost', '/var/lib/ironic-images/a.iso', undefined],
    ['bifrost', '/httpboot/a.iso', undefined],
    ['metal3', '/shared/html/images/a.iso', 'file:///shared/html/images/a.iso'],
    ['metal3', '/shared/html/a.iso', undefined],
  ] as const)('%s: %s', (layout, path, url) => {
    expect(allowedFileUrl(layouts[layout], path)).toBe(url);
  });
});

describe('withScriptPaths', () => {
  const layout = layouts.metal3;

  it('is the layout where nothing is said', () => {
    expect(withScriptPaths(layout, '/shared', {})).toEqual(layout);
  });

  it.each([
    ['IGNITION_FILE', '/shared/x/agent.ign', 'config', 'x/agent.ign'],
    ['ROOTFS_FILE', '/shared/rootfs', 'rootfs', 'rootfs'],
    ['ISO_FILE', 'html/a.iso', 'iso', 'html/a.iso'],
  ])('%s=%s', (variable, path, what, expected) => {
    const { files } = withScriptPaths(layout, '/shared', { [variable]: path });
    expect(files).toMatchObject({ [what]: expected });
  });

  it.each(['/mnt/agent.ign', '../x', '/shared/../etc/passwd'])('refuses %s', (path) => {
    expect(() => withScriptPaths(layout, '/shared', { IGNITION_FILE: path })).toThrow(
      'IGNITION_FILE is a path outside of /shared',
    );
  });
});

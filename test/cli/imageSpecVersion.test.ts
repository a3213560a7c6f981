/** A config of a newer spec version than the Ignition of the image supports is refused by every command that brings them together. */

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildOfImageUrl, newestSpecOf } from '../../src/image/ignitionSpec.ts';
import { writeSampleIso } from '../../src/image/sampleIso.ts';
import { cpio, isolinux, kernel, ldlinux, liveFeatures, liveRootfs } from '../support/newIso.ts';
import { runCli } from '../support/runCli.ts';

describe('the newest version of a build', () => {
  it.each([
    ['rhcos-46.82.202008111140-0', '3.1.0'],
    ['rhcos-410.84.202210040010-0', '3.3.0'],
    ['36.20220906.3.2', '3.3.0'],
    ['fedora-coreos-37.20230220.3.0', '3.3.0'],
    ['fedora-coreos-37.20230221.3.0', '3.4.0'],
    ['9.6.20250523-0', '3.5.0'],
    ['44.20261101.3.0', '3.7.0-experimental'],
    ['scos-10.0.20260707-0', '3.7.0-experimental'],
    ['CDROM', undefined],
    ['ipa-20', undefined],
    ['debian-120260707', undefined],
  ])('%s: %s', (build, version) => {
    expect(newestSpecOf(build)).toBe(version);
  });
});

describe('the build in the URL of an image', () => {
  it.each([
    ['https://192.0.2.1/rhcos-416.94.202405291527-0-metal.x86_64.raw.gz?a=/b', 'rhcos-416.94.202405291527-0'],
    ['fedora-coreos-44.20260707.3.1-live-iso.x86_64.iso', 'fedora-coreos-44.20260707.3.1'],
    ['https://192.0.2.1/fedora-coreos-44.20260707.3.1/image.raw', undefined],
    ['https://192.0.2.1/debian-20220101.qcow2', undefined],
  ])('%s: %s', (url, build) => {
    expect(buildOfImageUrl(url)).toBe(build);
  });
});

const label = 'rhcos-410.84.202210040010-0';
const initramfs = Buffer.concat([
  gzipSync(cpio({ init: '#!/bin/sh\n' })),
  gzipSync(
    cpio({
      'etc/coreos-live-initramfs': '410.84.202210040010-0\n',
      'etc/coreos/features.json': liveFeatures,
    }),
  ),
]);
const newer = '{"ignition":{"version":"3.4.0"}}';
const inlining = JSON.stringify({
  ignition: { version: '3.3.0', config: { merge: [{ source: `data:,${encodeURIComponent(newer)}` }] } },
});

const encode = (config: unknown): string => `data:,${encodeURIComponent(JSON.stringify(config))}`;
const parent = (config: unknown): string => JSON.stringify({ ignition: { version: '3.3.0', config } });
/** A newer config that an older one merges, which itself is merged, packed. */
const nested = parent({
  merge: [
    {
      source: `data:;base64,${gzipSync(parent({ merge: [{ source: encode({ ignition: { version: '3.4.0' } }) }] })).toString('base64')}`,
      compression: 'gzip',
    },
  ],
});
/** Butane 1.5.0 is translated to 3.4.0. */
const butane = 'variant: fcos\nversion: 1.5.0\n';

let cwd: string;
const run = (line: string) => runCli(line.split(' '), { cwd });
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'spec version '));
  const settings =
    'agent: {ironic.apiUrls: https://192.0.2.1, agent.image: registry.example.com/a, ignition.merge: [newer.ign]}\n';
  const files = {
    'a.iso': await writeSampleIso({ label, date: new Date('2022-10-04') }),
    'newer.ign': newer,
    'inlining.ign': inlining,
    'replacing.ign': parent({ replace: { source: encode({ ignition: { version: '3.4.0' } }) } }),
    'nested.ign': nested,
    'newer.bu': butane,
    'older.ign': '{"ignition":{"version":"3.3.0"}}',
    'hosts.yaml': `${settings}hosts: [{name: a, mac: '52:54:00:00:00:01'}]\n`,
    'all.yaml': settings,
    kernel,
    'a.img': initramfs,
    'rootfs.img': liveRootfs,
    'isolinux.bin': isolinux,
    'ldlinux.c32': ldlinux,
  };
  for (const [name, data] of Object.entries(files)) await writeFile(join(cwd, name), data);
  await run('iso ignition embed --no-validate -i newer.ign -o embedded.iso a.iso');
  await run('pxe ignition wrap -i newer.ign -o newer.img');
  await writeFile(
    join(cwd, 'embedded.img'),
    Buffer.concat([initramfs, await readFile(join(cwd, 'newer.img'))]),
  );
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const uses = [
  'iso ignition embed -i newer.ign -o out a.iso',
  'iso ignition embed -i inlining.ign -o out a.iso',
  'iso ignition embed -i replacing.ign -o out a.iso',
  'iso ignition embed -i nested.ign -o out a.iso',
  'iso ignition embed -i newer.bu -o out a.iso',
  'iso customize --live-ignition newer.ign -o out a.iso',
  'pxe customize --live-ignition newer.ign -o out a.img',
  'iso customize --live-ignition nested.ign -o out a.iso',
  'iso customize --dest-ignition newer.ign --dest-device /dev/sda -o out a.iso',
  'iso customize --dest-ignition nested.ign --dest-ignition older.ign --dest-device /dev/sda -o out a.iso',
  'pxe customize --dest-ignition newer.ign --dest-device /dev/sda -o out a.img',
  `deploy baremetalhost --name a --boot-mac 52:54:00:12:34:56 --bmc-address redfish-virtualmedia://192.0.2.9/redfish/v1/Systems/1 --image-source https://192.0.2.1/${label}-metal.x86_64.raw.gz --image-checksum ${'a'.repeat(64)} --ignition newer.ign -o out`,
  'iso create -k kernel -i embedded.img --isolinux isolinux.bin -o out',
  'validate embedded.iso',
  'validate embedded.img',
  'prepare --inventory hosts.yaml --iso a.iso -o out --base-url http://192.0.2.1',
  'prepare --inventory all.yaml --iso a.iso -o out --base-url http://192.0.2.1',
  'prepare --inventory hosts.yaml --kernel kernel --initramfs a.img --rootfs rootfs.img -o out --base-url http://192.0.2.1',
  'serve --fail-fast --inventory hosts.yaml --iso a.iso --listen 127.0.0.1:0',
  'serve --fail-fast --inventory all.yaml --iso a.iso --listen 127.0.0.1:0',
  'try --inventory hosts.yaml --iso a.iso --listen 127.0.0.1:0 --serve-listen 127.0.0.1:0 --timeout 1s',
];

describe('a config that the image does not support', () => {
  it.each(uses)('%s', async (line) => {
    const { code, stderr, stdout } = await run(line);
    const text = `${stdout}${stderr}`;
    expect(text).toMatch(/does not support the spec version of its config|image-spec-version/);
    expect(text).toMatch(
      /has version 3\.4\.0, which requires Ignition 2\.15\.0; (?:rhcos-)?410\.84\.\d+-0 is older/,
    );
    expect(code).toBe(1);
    // `prepare` writes the images first; no host gets a config.
    const written = (await readdir(cwd, { recursive: true })).filter((file) => file.startsWith('out'));
    expect(written.filter((file) => file === 'out' || /\.(?:ign|iso)$/.test(file))).toEqual(
      line.startsWith('prepare') ? ['out'] : [],
    );
    await rm(join(cwd, 'out'), { recursive: true, force: true });
  });

  // Services would go on without the error.
  const ending = uses.filter((line) => !/^(?:serve|try) /.test(line));
  it.each(ending)('unless ignored: %s', async (line) => {
    const { stdout, stderr } = await run(`--ignore image-spec-version ${line}`);
    expect(`${stdout}${stderr}`).not.toContain('does not support the spec version');
    await rm(join(cwd, 'out'), { recursive: true, force: true });
  });

  it('is no obstacle for an installed system of another image', async () => {
    await writeFile(join(cwd, 'installer.yaml'), 'stream: stable\n');
    const line = 'iso customize --dest-ignition newer.ign --dest-device /dev/sda -o out a.iso';
    for (const other of [
      '--installer-config installer.yaml',
      '--live-karg-append coreos.inst.stream=stable',
    ]) {
      expect((await run(`${line} ${other}`)).code).toBe(0);
      await rm(join(cwd, 'out'));
    }
  });

  it('is shown by inspect', async () => {
    expect((await run('inspect embedded.iso')).stdout).toContain('spec version');
  });

  it('follows the hint', async () => {
    expect((await run('ignition translate --to 3.3.0 -o translated.ign newer.ign')).code).toBe(0);
    expect((await run('iso ignition embed -i translated.ign -o fits.iso a.iso')).code).toBe(0);
  });
});

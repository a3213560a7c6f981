/** What `prepare` makes for a host: images that the other commands read, scripts for unknown machines, and archives. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readArchiveFiles } from '../../../src/formats/tar.ts';
import { readIgnition } from '../../../src/image/embeddedIgnition.ts';
import { readInitrd, writeInitrd } from '../../../src/image/initrd.ts';
import { openLiveIso, type LiveIso } from '../../../src/image/liveIso.ts';
import { bytesAccess } from '../../../src/image/overlay.ts';
import { packedIso } from '../../support/minimalIso.ts';
import { kernel } from '../../support/newIso.ts';
import { inventory } from '../../support/twoHosts.ts';
import { expectConsistent, place } from './support.ts';

const url = ['--iso', 'live.iso', '--base-url', 'http://192.0.2.1'];
const here = place();
const { fileOf, list, path, prepare, read, run, write } = here;
const openIso = async (...steps: string[]): Promise<LiveIso> =>
  openLiveIso(bytesAccess(await readFile(path(...steps))));

describe('prepare --artifacts', () => {
  it('iso: an ISO for each host, with its config and arguments', async () => {
    const { code, stderr } = await prepare('--iso', 'live.iso', '--artifacts', 'iso,ign');
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('2 hosts prepared in hosts/, 4 files written'),
    ]);
    for (const name of ['worker-0', 'worker-1']) {
      const config = await readIgnition(await openIso('boot', 'hosts', name, 'live.iso'));
      expect(Buffer.from(config ?? []).toString()).toBe(read('boot', 'hosts', name, 'config.ign'));
    }
    const areas = await (await openIso('boot', 'hosts', 'worker-1', 'live.iso')).kargsAreas();
    expect(areas?.current.slice(areas.defaults.length)).toBe(' console=ttyS0,115200n8');
    await expectConsistent(here);
    expect((await prepare('--iso', 'live.iso', '--artifacts', 'iso,ign')).stderr).toContain(
      ' 0 files written',
    );
  });

  it.each([
    ['iso', true],
    ['minimal-iso', false],
  ] as const)(
    '%s: whether a minimal ISO is recommended for boot scripts of iPXE',
    async (artifact, isSaid) => {
      const args = ['prepare', '--inventory', 'inv.yaml', ...url, '-o', `script for ${artifact}`];
      const { stderr } = await run([...args, '--artifacts', `${artifact},ipxe`]);
      expect(stderr.includes('(boot-iso-san)')).toBe(isSaid);
    },
  );

  it.each([
    ['iso', 'live.iso', 'stays'],
    ['minimal-iso', 'minimal.iso', 'changes'],
    ['initramfs', 'initramfs.img', 'stays'],
  ])('%s: at another URL, the path of %s, which a boot script names, %s', async (artifact, name, change) => {
    await write('full.iso', await packedIso());
    const prepared = async (baseUrl: string): Promise<string> => {
      const output = ['-o', `of ${artifact}`];
      await run([
        'prepare',
        '--inventory',
        'inv.yaml',
        '--iso',
        'full.iso',
        '--base-url',
        baseUrl,
        ...output,
        '--artifacts',
        `${artifact},ipxe`,
      ]);
      return fileOf('worker-1', name, `of ${artifact}`);
    };
    const before = await prepared('http://192.0.2.1');
    expect((await prepared('http://192.0.2.2')) === before ? 'stays' : 'changes').toBe(change);
  });

  it('archive and initramfs: the config behind the initramfs, in one file or two', async () => {
    const system = writeInitrd(new Map([['etc/os', Buffer.from('live')]]));
    await write('kernel', kernel);
    await write('initramfs', system);
    const files = ['--kernel', 'kernel', '--initramfs', 'initramfs', '--base-url', 'http://h', '-o', 'pxe'];
    const { code } = await run([
      'prepare',
      '--inventory',
      'inv.yaml',
      ...files,
      '--artifacts',
      'archive,initramfs,ipxe',
    ]);
    expect(code).toBe(0);
    const whole = await readInitrd(await readFile(path(fileOf('worker-0', 'initramfs.img', 'pxe'))));
    expect([...whole.keys()]).toEqual(['etc/os', 'config.ign']);
    const own = await readInitrd(await readFile(path(fileOf('worker-0', 'config.img', 'pxe'))));
    expect(own.get('config.ign')).toEqual(whole.get('config.ign'));
    expect(read('pxe', 'ipxe', 'worker-0.ipxe')).toContain(
      `--name initramfs2 http://h/${fileOf('worker-0', 'config.img', 'pxe').slice('pxe/'.length)}`,
    );
    await expectConsistent(here, 'pxe');
  });

  it('minimal-iso: fetches the shared root filesystem', async () => {
    await write('full.iso', await packedIso());
    const args = [
      '--iso',
      'full.iso',
      '--base-url',
      'http://h',
      '-o',
      'minimal',
      '--artifacts',
      'minimal-iso,ipxe',
    ];
    const { code } = await run(['prepare', '--inventory', 'inv.yaml', ...args]);
    expect(code).toBe(0);
    const iso = await openIso(fileOf('worker-1', 'minimal.iso', 'minimal'));
    const rootfs = (await list('minimal')).find((name) => name.endsWith('.rootfs'));
    expect((await iso.kargsAreas())?.current).toContain(
      ` coreos.live.rootfs_url=http://h/${rootfs} console=ttyS0,115200n8`,
    );
    expect(await readIgnition(iso)).toBeDefined();
    expect(read('minimal', 'ipxe', 'worker-1.ipxe')).toMatch(
      /http:\/\/h\/hosts\/worker-1\/[0-9a-f]{12}\/minimal\.iso/,
    );
    await expectConsistent(here, 'minimal');
  });

  it('--grow lets a config in that does not fit, and the error says so', async () => {
    const noise = createHash('shake256', { outputLength: 1_100_000 }).update('noise').digest();
    await write('noise', noise);
    await write('large.yaml', inventory.replace('hosts:', "  ignition.files: ['/etc/noise=noise']\nhosts:"));
    const args = [
      'prepare',
      '--inventory',
      'large.yaml',
      '--iso',
      'live.iso',
      '--artifacts',
      'iso',
      '-o',
      'large',
    ];
    const { code, stderr } = await run(args);
    expect([code, stderr]).toEqual([1, expect.stringContaining('Compressed initramfs is too large')]);
    expect((await run([...args, '--grow'])).code).toBe(0);
    await expectConsistent(here, 'large');
  });
});

describe('prepare for machines that are not listed', () => {
  it('--discovery: scripts that start an inspection', async () => {
    await prepare(...url, '--discovery', '--prune');
    const script = read('boot', 'inspector.ipxe');
    const config = fileOf(undefined, 'config.ign').slice('boot/'.length);
    expect(script).toContain(` ignition.config.url=http://192.0.2.1/${config} `);
    expect(script).toContain(' ipa-inspection-callback-url=https://192.0.2.1:6385/v1/continue_inspection ');
    expect(read('boot', 'pxelinux.cfg', 'default')).toContain(config);
    expect(config).toMatch(/^discovery\/[0-9a-f]{12}\/config\.ign$/);
    await expectConsistent(here);
  });

  it('is all there is where no host is listed, also from the environment alone', async () => {
    const args = ['prepare', ...url, '-o', 'all', '--artifacts', 'ign,ipxe'];
    const { code } = await run(args, { IRONIC_BASE_URL: 'https://192.0.2.9' });
    expect(code).toBe(0);
    expect(read('all', 'inspector.ipxe')).toContain('https://192.0.2.9:6385');
    await expectConsistent(here, 'all');
  });

  it('makes no scripts for GRUB and PXELINUX that would fetch by https', async () => {
    const args = [
      'prepare',
      '--inventory',
      'inv.yaml',
      '--iso',
      'live.iso',
      '--base-url',
      'https://h',
      '-o',
      'tls',
    ];
    expect((await run(args)).code).toBe(0);
    expect((await list('tls')).filter((name) => /^(?:grub|pxelinux)/.test(name))).toEqual([]);
  });
});

describe('prepare --bundle', () => {
  it.each(['boot.tar', 'boot.tar.gz'])(
    '%s has the same bytes each time, whatever the times of files',
    async (name) => {
      const bundle = async (folder: string): Promise<Buffer> => {
        const args = ['-o', folder, '--prune', '--discovery', '--bundle', name];
        expect((await run(['prepare', '--inventory', 'inv.yaml', ...url, ...args])).code).toBe(0);
        return readFile(path(name));
      };
      const first = await bundle('boot');
      expect(await bundle(`copy of ${name}`)).toEqual(first);
      expect(await here.modeOf(name)).toBe('600');
      const tar = name.endsWith('gz') ? gunzipSync(first) : first;
      const files = await readArchiveFiles(tar);
      expect([...files.keys()].toSorted()).toEqual(await list());
      expect(files.get('boot.ipxe')).toEqual(await readFile(path('boot', 'boot.ipxe')));
    },
  );

  it('takes the time from SOURCE_DATE_EPOCH', async () => {
    const args = ['prepare', '--inventory', 'inv.yaml', ...url, '-o', 'boot', '--bundle', 'time.tar'];
    await run(args, { SOURCE_DATE_EPOCH: '1000000000' });
    const time = (await readFile(path('time.tar'))).toString('latin1', 136, 147);
    expect(Number.parseInt(time, 8)).toBe(1_000_000_000);
    expect((await run(args, { SOURCE_DATE_EPOCH: 'now' })).code).toBe(2);
  });

  it('that cannot be written is reported before any file is', async () => {
    const args = ['prepare', '--inventory', 'inv.yaml', ...url, '-o', 'early', '--bundle'];
    const { code, stderr } = await run([...args, 'missing/x.tar']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('The folder for missing/x.tar does not exist'),
    ]);
    expect((await run([...args, 'x.tar'], { SOURCE_DATE_EPOCH: 'now' })).code).toBe(2);
    expect(await list('early')).toEqual([]);
    expect((await run([...args, 'early/x.tar'])).code).toBe(0);
  });
});

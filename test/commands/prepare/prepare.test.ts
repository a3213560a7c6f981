/** `prepare`: the folder, what a second run does, and what becomes of files that nobody needs any more. */

import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { thisProcess } from '../../../src/io/process.ts';
import { liveIso } from '../../support/liveIso.ts';
import { sharedData, sharedDataNote } from '../../support/sharedData.ts';
import { initrd, kernel as kernelFile, liveRootfs } from '../../support/newIso.ts';
import { inventory } from '../../support/twoHosts.ts';
import { expectConsistent, place } from './support.ts';

const url = ['--iso', 'live.iso', '--base-url', 'http://192.0.2.1/boot/'];
const here = place();
const { fileOf, list, manifest, modeOf, path, prepare, read, run, write } = here;

/** All versions of the config of a host. */
const configsOf = async (host: string): Promise<string[]> =>
  (await list()).filter((name) => name.startsWith(`hosts/${host}/`));

describe('prepare', () => {
  it('makes a folder of images, configs and scripts that name each other', async () => {
    const { code, stderr } = await prepare(...url);
    expect([code, stderr.split('\n').at(-2)]).toEqual([
      0,
      'boot: 2 hosts prepared in hosts/, 18 files written, 0 unchanged, 0 invalid',
    ]);
    await expectConsistent(here);
    const [{ images = '' } = {}] = manifest().hosts;
    const script = read('boot', 'ipxe', 'mac-52-54-00-12-34-56.ipxe');
    for (const name of ['kernel', 'initramfs', 'rootfs']) {
      expect(script).toContain(`http://192.0.2.1/boot/images/${images}/ironic-python-agent.${name}`);
      expect(await list()).toContain(`images/${images}/ironic-python-agent.${name}`);
    }
    expect(script).toContain(` ignition.config.url=http://192.0.2.1/${fileOf('worker-0', 'config.ign')} `);
    expect(read('boot', 'pxelinux.cfg', '01-52-54-00-12-34-57')).toContain(' console=ttyS0,115200n8');
    expect(fileOf('worker-1', 'config.ign')).toMatch(/^boot\/hosts\/worker-1\/[0-9a-f]{12}\/config\.ign$/);
    expect(read(fileOf('worker-1', 'config.ign'))).toContain('"ignition"');
  });

  it('describes it as the schema says', () => {
    const schema = JSON.parse(readFileSync('schemas/manifest.json', 'utf8'));
    const check = new Ajv({ allowUnionTypes: true, strict: true }).compile(schema);
    expect(check(manifest()) ? [] : check.errors).toEqual([]);
    expect(manifest().inputs.map(({ role, name }) => `${role} ${name}`)).toEqual([
      'inventory inv.yaml',
      'iso live.iso',
    ]);
  });

  it('does not read an image again that has not changed: it takes the digest that it noted', async () => {
    const again = ['prepare', '--inventory', 'inv.yaml', ...url, '-o', 'again'];
    const digestOfIso = (): unknown =>
      JSON.parse(read('again', 'manifest.json')).inputs.find(({ role }: { role: string }) => role === 'iso')
        .sha256;
    await run(again);
    const digest = String(digestOfIso());
    const stamps = 'again/.ironic-coreos/stamps.json';
    await write(stamps, read(stamps).replaceAll(digest, 'f'.repeat(64)));
    await run(again);
    expect(digestOfIso()).toBe('f'.repeat(64));
    await utimes(path('live.iso'), new Date(), new Date());
    await run(again);
    expect(digestOfIso()).toBe(digest);
  });

  it('keeps configs with secrets from others, and says which URLs hand them out', async () => {
    expect(await modeOf(fileOf('worker-0', 'config.ign'))).toBe('644');
    expect(await modeOf(fileOf('worker-1', 'config.ign'))).toBe('600');
    expect(await modeOf('boot', '.ironic-coreos')).toBe('700');
    const { stderr } = await prepare(...url);
    expect(stderr).toContain(
      `warning: anyone who can fetch these files gets a pull secret: http://192.0.2.1/${fileOf('worker-1', 'config.ign')}\n` +
        'hint: use --group GROUP if the web server runs as another user',
    );
    const secret = manifest().files.filter(({ secrets }) => secrets !== undefined);
    expect(secret.map((file) => file.path)).toEqual([fileOf('worker-1', 'config.ign').slice('boot/'.length)]);
  });

  it('lets a group or everybody read them only when asked', async () => {
    const group = String(process.getgid?.() ?? 0);
    await prepare(...url, '--group', group);
    expect(await modeOf(fileOf('worker-1', 'config.ign'))).toBe('640');
    const { stderr } = await prepare(...url, '--mode', '0644');
    expect(await modeOf(fileOf('worker-1', 'config.ign'))).toBe('644');
    expect(stderr).toContain('all users of this machine can read these files');
    await prepare(...url);
    expect(await modeOf(fileOf('worker-1', 'config.ign'))).toBe('600');
  });

  it('writes nothing that has not changed', async () => {
    const paths = (await list()).map((name) => path('boot', name));
    const before = await Promise.all(paths.map(async (name) => (await stat(name)).ino));
    const { stderr } = await prepare(...url);
    expect(stderr).toContain('boot: 2 hosts prepared in hosts/, 0 files written, 18 unchanged');
    expect(await Promise.all(paths.map(async (name) => (await stat(name)).ino))).toEqual(before);
  });

  it('makes good what somebody has changed, also behind its times', async () => {
    const kernel = (await list()).find((name) => name.endsWith('.kernel')) ?? '';
    const { atime, mtime, size } = await stat(path('boot', kernel));
    await writeFile(path('boot', kernel), Buffer.alloc(size, 'x'));
    await utimes(path('boot', kernel), atime, mtime);
    await writeFile(path('boot', 'boot.ipxe'), 'other');
    const { stderr } = await prepare(...url);
    expect(stderr).toContain('2 files written, 16 unchanged');
    await expectConsistent(here);
  });

  it('makes an ISO again that somebody has changed, also behind its times', async () => {
    const isos = ['prepare', '--inventory=inv.yaml', '--iso=live.iso', '--artifacts=iso', '-o', 'isos'];
    expect((await run(isos)).stderr).toContain('2 files written, 0 unchanged');
    await expectConsistent(here, 'isos');
    const iso = fileOf('worker-0', 'live.iso', 'isos');
    const original = readFileSync(path(iso));
    const { atime, mtime } = await stat(path(iso));
    await writeFile(path(iso), Buffer.alloc(original.length, 'x'));
    await utimes(path(iso), atime, mtime);
    expect((await run(isos)).stderr).toContain('1 file written, 1 unchanged');
    expect(readFileSync(path(iso)).equals(original)).toBe(true);
    expect((await run(isos)).stderr).toContain('0 files written, 2 unchanged');
  });

  it('needs no notes of an earlier run, only its manifest', async () => {
    await rm(path('boot', '.ironic-coreos'), { recursive: true });
    expect((await prepare(...url)).stderr).toContain('0 files written, 18 unchanged');
  });

  it('rewrites what an inventory changes, and nothing else', async () => {
    await write('inv.yaml', inventory.replace('ttyS0', 'ttyS1'));
    expect((await prepare(...url)).stderr).toContain('5 files written, 13 unchanged');
    await write('inv.yaml', inventory);
    await prepare(...url);
  });

  it('keeps the config of the previous script until the next change of its host, and reuses it', async () => {
    const useIronic = (number: number): Promise<void> =>
      write('inv.yaml', inventory.replace('https://192.0.2.1', `https://192.0.2.${number}`));
    const versions: string[] = [];
    for (const number of [7, 8, 9]) {
      await useIronic(number);
      expect((await prepare(...url)).code).toBe(0);
      versions.push(fileOf('worker-1', 'config.ign').slice('boot/'.length));
      expect(read('boot/ipxe/worker-1.ipxe')).toContain(`/boot/${versions.at(-1)} `);
      await expectConsistent(here);
    }
    expect(await configsOf('worker-1')).toEqual(versions.slice(1).toSorted());
    expect((await prepare(...url)).stderr).not.toContain('of earlier runs');
    expect(await configsOf('worker-1')).toEqual(versions.slice(1).toSorted());
    await useIronic(8);
    expect((await prepare(...url)).code).toBe(0);
    expect(await configsOf('worker-1')).toEqual(versions.slice(1).toSorted());
    expect(fileOf('worker-1', 'config.ign')).toBe(`boot/${versions[1]}`);
    await write('inv.yaml', inventory);
    await prepare(...url);
    await prepare(...url, '--prune');
    expect(await configsOf('worker-1')).toHaveLength(1);
    await expectConsistent(here);
  });

  it('reports a host that is wrong, keeps what it had, and prepares the others', async () => {
    await write('inv.yaml', inventory.replace("['ttyS0,115200n8']", "['tty S0']"));
    const before = fileOf('worker-1', 'config.ign');
    const script = read('boot/ipxe/worker-1.ipxe');
    const { code, stderr } = await prepare(...url, '--prune');
    expect([code, stderr]).toEqual([1, expect.stringContaining('error: worker-1 is not written (inv.yaml:')]);
    expect(fileOf('worker-1', 'config.ign')).toBe(before);
    expect(read('boot/ipxe/worker-1.ipxe')).toBe(script);
    expect(manifest().hosts.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'worker-0 prepared',
      'worker-1 kept',
    ]);
    await expectConsistent(here);
  });

  it('removes a boot script that a killed run wrote only with --prune', async () => {
    await write('boot/ipxe/earlier.ipxe', '#!ipxe');
    await write('boot/.ironic-coreos/journal', 'ipxe/earlier.ipxe\n');
    const { stderr } = await prepare(...url);
    expect(stderr).toContain('1 file of earlier runs no longer needed; use --prune to remove them\n');
    expect(await list()).toContain('ipxe/earlier.ipxe');
    const pruned = (await prepare(...url, '--prune')).stderr;
    expect(pruned).toContain('1 file of earlier runs removed\n');
    expect(pruned).not.toContain('no longer needed');
    expect(await list()).not.toContain('ipxe/earlier.ipxe');
  });

  it('removes hosts that left when it is told to, and no files of others', async () => {
    await write('inv.yaml', inventory.slice(0, inventory.indexOf('- name: worker-1')));
    await write('boot/hosts/worker-1/notes.txt', 'mine');
    const { stderr } = await prepare(...url);
    expect(stderr).toContain('5 files of earlier runs no longer needed; use --prune to remove them\n');
    expect(await list()).toContain('ipxe/worker-1.ipxe');
    expect((await prepare(...url, '--prune')).stderr).toContain('5 files of earlier runs removed\n');
    const left = (await list()).filter((name) => /worker-1|34-57/.test(name));
    expect(left).toEqual(['hosts/worker-1/notes.txt']);
    await rm(path('boot/hosts/worker-1'), { recursive: true });
    await expectConsistent(here);
    await write('inv.yaml', inventory);
  });

  it('leaves old images where they are until nobody boots them, and then removes them', async () => {
    const [{ images: old = '' } = {}] = manifest().hosts;
    await write('live.iso', Buffer.concat([liveIso('2023-07'), Buffer.alloc(2048)]));
    await prepare(...url);
    const names = await list();
    expect(names.filter((name) => name.startsWith('images/'))).toHaveLength(6);
    await prepare(...url, '--prune');
    expect((await list()).filter((name) => name.includes(old))).toEqual([]);
    await expectConsistent(here);
  });

  it('lets one process prepare a folder at a time, and cleans up behind one that was killed', async () => {
    const kernel = (await list()).find((name) => name.endsWith('.kernel')) ?? '';
    const half = path(
      'boot',
      kernel.replace(/[^/]+$/, (name) => `.${name}.0123456789ab.tmp`),
    );
    await writeFile(half, 'half');
    const lock = path('boot', '.ironic-coreos', 'lock');
    const [, system] = thisProcess().split('-');
    await mkdir(lock);
    await writeFile(join(lock, `1-${system}-${hostname()}`), '');
    const { code, stderr } = await prepare(...url);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('Another process is preparing boot: process 1 on '),
    ]);
    await rename(join(lock, `1-${system}-${hostname()}`), join(lock, `${2 ** 22 + 1}-${system}-x`)); // beyond pid_max
    expect((await prepare(...url)).code).toBe(0);
    await expectConsistent(here);
  });

  it('takes files that an interrupted run has left for its own', async () => {
    await write('boot/orphan.img', 'half');
    await writeFile(path('boot', '.ironic-coreos', 'journal'), 'orphan.img\n../inv.yaml\nboot.ip');
    const { stderr } = await prepare(...url, '--prune');
    expect(stderr).toContain('1 file of earlier runs removed\n');
    await expectConsistent(here);
    expect(read('inv.yaml')).toBe(inventory);
  });

  it.each([
    ['no folder', [], '--output is missing'],
    ['no URL', ['-o', 'b', '--iso', 'live.iso'], '--base-url is missing'],
    [
      'no image',
      ['-o', 'b', '--base-url', 'http://h'],
      'boot scripts require a kernel, an initramfs and a root filesystem',
    ],
    [
      'a kernel without an initramfs',
      ['-o', 'b', '--base-url', 'http://h', '--kernel', 'live.iso'],
      'boot scripts require a kernel, an initramfs and a root filesystem',
    ],
    [
      'an initramfs without a kernel',
      ['-o', 'b', '--base-url', 'http://h', '--initramfs', 'live.iso'],
      'boot scripts require a kernel, an initramfs and a root filesystem',
    ],
    ['no ISO', ['-o', 'b', '--artifacts', 'iso'], 'no live ISO is given'],
    ['a layout', ['-o', 'b', '--layout', 'x'], 'invalid value "x" for --layout'],
    ['an archive', ['-o', 'b', ...url, '--bundle', 'b.zip'], '--bundle requires a name that ends in .tar'],
    ['a URL for an image', ['-o', 'b', ...url, '--iso', 'http://h/x.iso'], '--iso requires FILE'],
    [
      'a range of addresses',
      ['-o', 'b', ...url, '--dhcp-range', '192.0.2.1'],
      '--dhcp-range "192.0.2.1": invalid range',
    ],
    [
      'addresses without dnsmasq.conf',
      ['-o', 'b', ...url, '--artifacts', 'ign,grub', '--dhcp-range', '192.0.2.1,proxy'],
      'add ipxe to --artifacts, or remove --dhcp-range',
    ],
    ['two of a kind', ['-o', 'b', ...url, '--iso', 'live.iso'], 'two iso files for x86_64'],
  ])('refuses %s as wrong usage', async (_title, args, message) => {
    const { code, stderr } = await run(['prepare', '--inventory', 'inv.yaml', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('asks for addresses if the base URL contains only a name, and the hint can be used', async () => {
    const args = [
      'prepare',
      '--inventory',
      'inv.yaml',
      '--iso',
      'live.iso',
      '--base-url',
      'http://h',
      '-o',
      'named',
    ];
    const { stderr } = await run(args);
    expect(stderr).toContain('info: dnsmasq.conf contains no addresses of the hosts');
    expect(stderr).toContain('hint: use --dhcp-range FIRST,LAST, or --dhcp-range ADDRESS,proxy');
    for (const range of ['192.0.2.100,192.0.2.200', '192.0.2.1,proxy']) {
      const again = await run([...args, '--dhcp-range', range]);
      expect([again.code, again.stderr]).toEqual([0, expect.not.stringContaining('dnsmasq.conf')]);
      expect(read('named', 'dnsmasq.conf')).toContain(`\ndhcp-range=${range}`);
    }
  });

  it('warns of an empty list of hosts, unless all machines get a config', async () => {
    const args = ['prepare', '--inventory', 'empty.yaml', ...url, '-o', 'empty'];
    await here.write('empty.yaml', read('inv.yaml').replace(/hosts:[^]*/, 'hosts: []\n'));
    const warning = 'the list of hosts is empty, so no machine gets a config';
    expect((await run(args)).stderr).toContain(warning);
    expect((await run([...args, '--discovery'])).stderr).not.toContain(warning);
  });

  it('refuses a folder of somebody else', async () => {
    await write('live.img', '');
    const { code, stderr } = await run(['prepare', '--inventory', 'inv.yaml', ...url, '-o', '.']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('. contains other files, but no manifest.json'),
    ]);
  });

  it('refuses a group and an architecture that are not there', async () => {
    expect((await prepare(...url, '--group', 'no-such-group')).stderr).toContain(
      'Group not found: "no-such-group"',
    );
    await write('arm.yaml', inventory.replace('name: worker-0', 'name: worker-0\n  architecture: aarch64'));
    const { code, stderr } = await run(['prepare', '--inventory', 'arm.yaml', ...url, '-o', 'arm']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('no images for aarch64')]);
  });
});

describe('prepare from files for network boot', () => {
  it('hints at its own option where the root filesystem is missing', async () => {
    await write('kernel', kernelFile);
    await write('initramfs', initrd);
    const files = ['--kernel', 'kernel', '--initramfs', 'initramfs', '-o', 'short'];
    const args = ['prepare', '--inventory', 'inv.yaml', ...files, '--base-url', 'http://h'];
    const { stderr } = await run(args);
    expect(stderr).toContain(
      ' (rootfs-url-missing)\n  for worker-0, worker-1\nhint: pass the root filesystem with --rootfs FILE\n',
    );
  });

  it('unpacks kernels of aarch64, and shares the rest with the user’s files', async () => {
    const kernel = Buffer.alloc(100_000, 'kernel');
    kernel.write('ARM\x64', 56);
    await write('fcos-1-live-kernel.aarch64', gzipSync(kernel));
    await write('rootfs', liveRootfs);
    await write('initramfs', initrd);
    const files = [
      '--kernel',
      'fcos-1-live-kernel.aarch64',
      '--initramfs',
      'initramfs',
      '--rootfs',
      'aarch64=rootfs',
    ];
    const { code } = await run([
      'prepare',
      ...files,
      '-o',
      'arm',
      '--base-url',
      'http://h',
      '--inventory',
      'inv.yaml',
    ]);
    expect(code).toBe(0);
    const [{ images = '' } = {}] = manifest('arm').hosts;
    expect(images).toMatch(/^aarch64-/);
    const served = (part: string): string => path('arm', 'images', images, `ironic-python-agent.${part}`);
    expect(await readFile(served('kernel'))).toEqual(kernel);
    const [one, other] = await Promise.all([stat(path('rootfs')), stat(served('rootfs'))]);
    // Where the file system clones, the two are different files; else they are one.
    expect(one.nlink).toBe(one.ino === other.ino ? 2 : 1);
    await expectConsistent(here, 'arm');
    const again = await run([
      'prepare',
      ...files,
      '-o',
      'arm',
      '--base-url',
      'http://h',
      '--inventory',
      'inv.yaml',
    ]);
    expect(again.stderr).toContain(' 0 files written');
  });

  it.each([
    ['since mid-2026', 'fedora-coreos-44', 'live-kernel.x86_64', 'live-iso.x86_64.iso'],
    ['before', 'fedora-coreos-38', 'live-kernel-x86_64', 'live.x86_64.iso'],
  ])(
    'finds the files of a folder of downloads with the names %s, and refuses two releases',
    async (_time, release, kernel, iso) => {
      await mkdir(path(release));
      const files = {
        [kernel]: kernelFile,
        'live-initramfs.x86_64.img': initrd,
        'live-rootfs.x86_64.img': liveRootfs,
      };
      for (const [name, data] of Object.entries(files)) await write(`${release}/${release}-${name}`, data);
      await write(`${release}/${release}-${iso}`, liveIso('2023-07'));
      await write(`${release}/${release}-${kernel}.sig`, 'x');
      const prepareFrom = ['prepare', '--images', release, '-o', `of-${release}`];
      const args = [...prepareFrom, '--base-url', 'http://h', '--inventory', 'inv.yaml'];
      expect((await run(args)).code).toBe(0);
      expect(manifest(`of-${release}`).inputs.map(({ role, name }) => `${role} ${name}`)).toEqual([
        'inventory inv.yaml',
        `iso ${release}-${iso}`,
        `kernel ${release}-${kernel}`,
        `initramfs ${release}-live-initramfs.x86_64.img`,
        `rootfs ${release}-live-rootfs.x86_64.img`,
      ]);
      await write(`${release}/fedora-coreos-45-${kernel}`, 'x');
      expect((await run(args)).stderr).toContain('images of several releases');
    },
  );

  it.skipIf(sharedData === undefined).each(['fcos-44', 'rhcos-9.8'])(
    `boots hosts from the files of the release %s${sharedDataNote}`,
    async (release) => {
      const folder = join(sharedData ?? '', 'live-files', release);
      const args = ['--images', folder, '-o', release, '--base-url', 'http://h', '--inventory', 'inv.yaml'];
      expect((await run(['prepare', ...args])).code).toBe(0);
      const [, kernel, initramfs, rootfs] = manifest(release).inputs.map(({ name }) => name);
      expect([kernel, initramfs, rootfs]).toEqual([
        expect.stringMatching(/-live-kernel\.x86_64$/),
        expect.stringMatching(/-live-initramfs\.x86_64\.img$/),
        expect.stringMatching(/-live-rootfs\.x86_64\.img$/),
      ]);
      await expectConsistent(here, release);
    },
  );
});

/** Files in the place of another: recognized by their content, whatever they are called. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveIso } from '../support/liveIso.ts';
import { cpio, liveInitrd } from '../support/newIso.ts';
import { runCli } from '../support/runCli.ts';

const config = '{"ignition": {"version": "3.4.0"}}';
let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'swapped inputs '));
  const kernel = Buffer.alloc(4096);
  kernel.write('MZ');
  kernel.writeUInt32LE(128, 60);
  kernel.write('PE\0\0', 128);
  kernel.writeUInt16LE(0x8664, 132);
  const files = {
    kernel,
    cpio: cpio({ 'root.squashfs': 'hsqs' }),
    image: liveIso('2023-07'),
    initrd: liveInitrd,
    'a.ign': config,
    'a.ign.gz': gzipSync(config),
    keyfile: '[connection]\nid=eth0\ntype=ethernet\n',
    'inv.yaml': 'agent: {ironic.apiUrls: https://192.0.2.1}\nhosts: [{name: a}]\n',
    inventory: 'hosts:\n- name: a\n',
    'a&b': 'hosts:\n- name: a\n',
    ipa: '[DEFAULT]\ndebug = true\n',
    conductor: '[DEFAULT]\nenabled_boot_interfaces = ipxe\n[pxe]\nkernel_append_params = a\n',
    'conductor.conf': '[DEFAULT]\nenabled_boot_interfaces = ipxe\n[pxe]\nkernel_append_params = a\n',
    'pod.yaml': 'apiVersion: v1\nkind: Pod\n',
    'page.iso': '<!DOCTYPE html>\n<title>404</title>\n',
    'typo.ign': '{"ignitoin": {"version": "3.4.0"}}',
  };
  for (const [name, data] of Object.entries(files)) await writeFile(join(cwd, name), data);
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const run = (line: string) => runCli(line.split(' '), { cwd });

describe('an image in place of another file', () => {
  it.each([
    ['iso ignition embed -i image a.ign', 'hint: this is an ISO image, not an Ignition config: inspect it'],
    ['iso ignition embed --no-validate -i image a.ign', 'error: a.ign: not an ISO 9660 image'],
    ['iso network embed -k image keyfile', 'error: image is an ISO image, not a NetworkManager keyfile'],
    ['pxe network wrap -k image -o out', 'error: image is an ISO image, not a NetworkManager keyfile'],
    ['iso customize --live-ignition image a.ign', 'error: a.ign: not an ISO 9660 image'],
    ['pxe ignition unwrap image', 'error: image is an ISO image, not an initramfs'],
    ['pxe network unwrap image', 'error: image is an ISO image, not an initramfs'],
    ['pxe customize --live-ignition a.ign -o out image', 'error: image is an ISO image, not an initramfs'],
  ])('%s', async (line, message) => {
    const { code, stdout, stderr } = await run(line);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
  });

  it('leaves a compressed config to what reads it', async () => {
    expect((await run('iso ignition embed -i a.ign.gz image')).stderr).toContain('compressed with gzip');
  });
});

describe('images of a network boot that are swapped', () => {
  const prepare = 'prepare --inventory inv.yaml -o www --base-url http://192.0.2.1';
  it.each([
    [
      '--kernel cpio --initramfs kernel --rootfs cpio',
      'cpio is a root filesystem of a CoreOS live system, not the kernel',
      '--rootfs',
    ],
    ['--kernel kernel --initramfs kernel --rootfs cpio', 'kernel is a kernel, not the initramfs', '--kernel'],
    ['--kernel kernel --initramfs initrd --rootfs kernel', 'kernel is a kernel, not the rootfs', '--kernel'],
    ['--kernel image --initramfs initrd --rootfs cpio', 'image is an ISO image, not the kernel', '--iso'],
  ])('%s', async (options, message, flag) => {
    const { code, stderr } = await run(`${prepare} ${options}`);
    expect(code).toBe(1);
    expect(stderr).toContain(`error: ${message}\nhint: use ${flag} for this file, and pass `);
  });

  it('takes them in their places', async () => {
    expect(await run(`${prepare} --kernel kernel --initramfs initrd --rootfs cpio`)).toMatchObject({
      code: 0,
    });
  });
});

describe('something else than an Ignition config', () => {
  const kinds: [string, string, string][] = [
    ['pod.yaml', 'a Kubernetes object of kind "Pod"', 'the part that is required'],
    ['ipa', 'a configuration file of ironic-python-agent', '--conf ipa'],
    ['conductor', 'an ironic.conf', 'validate conductor'],
    ['page.iso', 'an HTML page', 'download the file again'],
    ['kernel', 'a kernel or another EFI program', '--kernel kernel'],
  ];
  it.each(kinds)('validate %s', async (file, noun, use) => {
    const { code, stdout } = await run(`validate ${file}`);
    expect(code).toBe(1);
    expect(stdout).toContain(`hint: this is ${noun}, not an Ignition config: `);
    expect(stdout).toContain(use);
  });

  const embedded = ['inventory', 'a&b', 'ipa', 'conductor', 'page.iso', 'kernel'];
  it.each(embedded)('embed -i %s', async (file) => {
    const noun = kinds.find(([name]) => name === file)?.[1] ?? 'an inventory of ironic-coreos';
    const { code, stderr } = await run(`iso ignition embed -i ${file} image`);
    expect(code).toBe(1);
    expect(stderr).toContain(`hint: this is ${noun}, not an Ignition config: `);
  });

  it('does not guess at a config with a mistake', async () => {
    expect((await run('validate typo.ign')).stdout).not.toContain('this is ');
  });
});

describe('something else than the file of an option', () => {
  const render = 'render --api-url https://192.0.2.1 --agent-image registry.example.com/ipa --no-ssh-key';
  const prepare = 'prepare --inventory inv.yaml --base-url http://192.0.2.1 -o www';
  const conf = 'a configuration file of ironic-python-agent';
  const keyfile = 'a NetworkManager keyfile';
  it.each([
    [`${render} --conf`, 'inv.yaml', 'an inventory of ironic-coreos', conf],
    [`${render} --conf`, 'conductor.conf', 'an ironic.conf', conf],
    [`${render} --keyfile`, 'inv.yaml', 'an inventory of ironic-coreos', keyfile],
    ['pxe network wrap -o out -k', 'pod.yaml', 'a Kubernetes object of kind "Pod"', keyfile],
    [
      'render --api-url https://192.0.2.1 --ssh-key',
      'inv.yaml',
      'an inventory of ironic-coreos',
      'an SSH public key',
    ],
    [`${render} --unit`, 'a.ign', 'an Ignition config', 'a systemd unit'],
    [
      'render --api-url https://192.0.2.1 --no-ssh-key --agent-archive',
      'image',
      'an ISO image',
      'an archive of a container image',
    ],
    ['pxe ignition unwrap', 'a.ign', 'an Ignition config', 'an initramfs'],
    [
      'pxe customize --live-ignition a.ign -o out',
      'kernel',
      'a kernel or another EFI program',
      'an initramfs',
    ],
    [
      'inspect',
      'inv.yaml',
      'an inventory of ironic-coreos',
      'an image, an Ignition config or an archive of a container image',
    ],
    [`${prepare} --iso`, 'a.ign', 'an Ignition config', 'an ISO image'],
  ])('%s %s', async (line, file, noun, wanted) => {
    const { code, stdout, stderr } = await run(`${line} ${file}`);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`error: ${file} is ${noun}, not ${wanted}\nhint: `);
  });

  it('an archive of another kind has a hint', async () => {
    const { code, stderr } = await run(
      'render --api-url https://192.0.2.1 --no-ssh-key --agent-archive typo.ign',
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/not a valid tar archive: .*\nhint: create the archive with: podman save /);
  });

  it.each(['initrd', 'cpio'])('iso kargs show %s: the hint has the commands for it', async (file) => {
    const { code, stderr } = await run(`iso kargs show ${file}`);
    expect([code, stderr]).toEqual([
      1,
      `error: ${file}: not an ISO 9660 image\nhint: use the \`pxe\` commands for an initramfs, or pass the live ISO of a CoreOS release\n`,
    ]);
  });
});

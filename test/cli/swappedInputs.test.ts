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
    'net.yaml': 'interfaces: []\n',
    'inv.yaml': 'agent: {ironic.apiUrls: https://192.0.2.1}\nhosts: [{name: a}]\n',
    inventory: 'hosts:\n- name: a\n',
    'auth.json': '{"auths": {"quay.io": {"auth": "dTpw"}}}',
    'pull-secret': '{"credHelpers": {"quay.io": "x"}}',
    'w.bu': 'variant: fcos\nversion: 1.5.0\n',
    'ca.pem': '-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n',
    'id.pub': 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9z a@b\n',
    'a&b.pub': 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9z a@b\n',
    id: '-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n',
    'a.service': '[Unit]\nDescription=a\n',
    'conductor.conf': '[DEFAULT]\nenabled_boot_interfaces = ipxe\n[pxe]\nkernel_append_params = a\n',
    'pod.yaml': 'apiVersion: v1\nkind: Pod\n',
    'nmstate.yaml': 'apiVersion: agent-install.openshift.io/v1beta1\nkind: NMStateConfig\n',
    'policy.yaml': 'apiVersion: nmstate.io/v1\nkind: NodeNetworkConfigurationPolicy\n',
    'machine.yaml': 'apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\n',
    'mirrors.yaml': 'apiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSet\n',
    'secret.yaml': 'apiVersion: v1\nkind: Secret\ndata: {}\n',
    'user-data': '#cloud-config\nusers: []\n',
    'ca.der': Buffer.from('3082010a0282010100', 'hex'),
    'page.iso': '<!DOCTYPE html>\n<title>404</title>\n',
    'cut.iso': '\0'.repeat(4096),
    'none.img': '',
    'typo.ign': '{"ignitoin": {"version": "3.4.0"}}',
  };
  for (const [name, data] of Object.entries(files)) await writeFile(join(cwd, name), data);
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const run = (line: string) => runCli(line.split(' '), { cwd });

describe('an image and another input that are swapped', () => {
  it.each([
    ['iso ignition embed -i image a.ign', 'an Ignition config', '-i a.ign image'],
    ['iso ignition embed --no-validate -i image a.ign', 'an Ignition config', '-i a.ign image'],
    ['iso embed -c image a.ign', 'an Ignition config', '-i a.ign image'],
    ['iso network embed -k image keyfile', 'a NetworkManager keyfile', '-k keyfile image'],
    ['iso network embed --nmstate image net.yaml', 'an nmstate file', '--nmstate net.yaml image'],
    ['iso customize --live-ignition image a.ign', 'an Ignition config', '--live-ignition a.ign image'],
    ['iso customize --dest-ignition image a.ign', 'an Ignition config', '--dest-ignition a.ign image'],
    [
      'iso customize --network-keyfile image keyfile',
      'a NetworkManager keyfile',
      '--network-keyfile keyfile image',
    ],
  ])('%s', async (line, what, fix) => {
    const { code, stderr } = await run(line);
    expect(code).toBe(1);
    const expected = `error: image is an ISO image, not ${what}\nhint: swap the two files: ${fix}\n`;
    expect(stderr.replace(/^.*deprecated.*\n/, '')).toBe(expected);
  });

  it.each([
    'pxe ignition unwrap image',
    'pxe network unwrap image',
    'pxe customize --live-ignition a.ign -o out image',
  ])('%s: an ISO instead of an initramfs', async (line) => {
    const { code, stderr } = await run(line);
    expect([code, stderr]).toEqual([
      1,
      'error: image is an ISO image, not an initramfs\n' +
        'hint: use the `iso` commands for this file, or extract its initramfs with `iso extract pxe`\n',
    ]);
  });

  it('knows an initramfs, too', async () => {
    const { code, stderr } = await run('pxe customize --live-ignition initrd -o out a.ign');
    expect([code, stderr]).toEqual([
      1,
      'error: initrd is an initramfs, not an Ignition config\nhint: swap the two files: --live-ignition a.ign initrd\n',
    ]);
  });

  it.each([
    ['iso ignition embed -i image image', 'pass an Ignition config to -i'],
    ['pxe ignition wrap -i image -o out', 'pass an Ignition config to -i'],
    ['pxe network wrap -k image -o out', 'pass a NetworkManager keyfile to -k'],
  ])('%s: an image where there is no other', async (line, hint) => {
    const { code, stderr } = await run(line);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`image is an ISO image, not `)]);
    expect(stderr).toContain(`hint: ${hint}\n`);
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
    ['inv.yaml', 'an inventory of ironic-coreos', 'render --inventory inv.yaml -o FOLDER'],
    ['inventory', 'an inventory of ironic-coreos', 'render --inventory inventory -o FOLDER'],
    ['auth.json', 'a pull secret', '--pull-secret auth.json'],
    ['pull-secret', 'a pull secret', '--pull-secret pull-secret'],
    ['net.yaml', 'an nmstate file', '--nmstate net.yaml'],
    ['keyfile', 'a NetworkManager keyfile', 'iso network embed -k keyfile'],
    ['ca.pem', 'a PEM certificate', '--ca-file ca.pem'],
    ['id.pub', 'an SSH public key', '--ssh-key id.pub'],
    ['a&b.pub', 'an SSH public key', "--ssh-key 'a&b.pub'"],
    ['id', 'a private key', 'pass only the public key'],
    ['a.service', 'a systemd unit', '--unit a.service'],
    ['pod.yaml', 'a Kubernetes object of kind "Pod"', 'kubectl'],
    ['nmstate.yaml', 'an NMStateConfig', '--nmstate nmstate.yaml'],
    ['policy.yaml', 'a NodeNetworkConfigurationPolicy', '--nmstate policy.yaml'],
    ['machine.yaml', 'a MachineConfig', 'spec.config'],
    ['mirrors.yaml', 'an ImageDigestMirrorSet', '--registries-conf'],
    ['secret.yaml', 'a Secret without data', 'the decoded value'],
    ['user-data', 'a cloud-init config', 'as a Butane config'],
    ['ca.der', 'a DER certificate', '--ca-file ca.der'],
    ['page.iso', 'an HTML page', 'download the file again'],
    ['cut.iso', 'an incomplete or damaged image', 'download or create cut.iso again'],
    ['none.img', 'an incomplete or damaged image', 'download or create none.img again'],
  ];
  it.each(kinds)('validate %s', async (file, noun, use) => {
    const { code, stdout } = await run(`validate ${file}`);
    expect(code).toBe(1);
    expect(stdout).toContain(`hint: this is ${noun}, not an Ignition config: `);
    expect(stdout).toContain(use);
  });

  it.each(kinds.filter(([file]) => !file.endsWith('.yaml')))('embed -i %s', async (file, noun) => {
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
    [`${render} --conf`, 'auth.json', 'a pull secret', conf],
    [`${render} --conf`, 'a.service', 'a systemd unit', conf],
    [`${render} --conf`, 'conductor.conf', 'an ironic.conf', conf],
    [`${render} --keyfile`, 'net.yaml', 'an nmstate file', keyfile],
    ['iso network embed image -k', 'net.yaml', 'an nmstate file', keyfile],
    ['iso customize image --network-keyfile', 'net.yaml', 'an nmstate file', keyfile],
    ['pxe network wrap -o out -k', 'nmstate.yaml', 'an NMStateConfig', keyfile],
    ['render --api-url https://192.0.2.1 --ssh-key', 'ca.pem', 'a PEM certificate', 'an SSH public key'],
    [
      'render --api-url https://192.0.2.1 --ssh-key',
      'inv.yaml',
      'an inventory of ironic-coreos',
      'an SSH public key',
    ],
    [`${render} --unit`, 'a.ign', 'an Ignition config', 'a systemd unit'],
    [
      'render --api-url https://192.0.2.1 --no-ssh-key --agent-archive',
      'inv.yaml',
      'an inventory of ironic-coreos',
      'an archive of a container image',
    ],
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
    ['pxe ignition unwrap', 'auth.json', 'a pull secret', 'an initramfs'],
    [
      'inspect',
      'inv.yaml',
      'an inventory of ironic-coreos',
      'an image, an Ignition config or an archive of a container image',
    ],
    [
      'inspect',
      'ca.pem',
      'a PEM certificate',
      'an image, an Ignition config or an archive of a container image',
    ],
    [`${prepare} --iso`, 'a.ign', 'an Ignition config', 'an ISO image'],
    [`${prepare} --initramfs initrd --rootfs cpio --kernel`, 'auth.json', 'a pull secret', 'a kernel'],
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

  it.each([
    ['ignition merge a.ign cloud.yaml', 'a cloud-init config'],
    ['iso customize -o out image --live-ignition cloud.yaml', 'a cloud-init config'],
  ])('%s: the hint says what it is', async (line, noun) => {
    await writeFile(join(cwd, 'cloud.yaml'), '#cloud-config\nhosts: []\n');
    expect((await run(line)).stderr).toContain(`hint: this is ${noun}, not an Ignition config: `);
  });
});

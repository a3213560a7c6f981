/** `prepare` into the folders of ironic-image and of Bifrost. */

import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../../src/hosts/artifacts/manifest.ts';
import { readIgnition } from '../../../src/image/embeddedIgnition.ts';
import { openLiveIso } from '../../../src/image/liveIso.ts';
import { bytesAccess } from '../../../src/image/overlay.ts';
import { liveIso } from '../../support/liveIso.ts';
import { initrd, kernelOf, liveRootfs } from '../../support/newIso.ts';
import { expectConsistent, place } from './support.ts';

const here = place();
const { list, path, read, run, write } = here;
const environment = {
  IRONIC_BASE_URL: 'http://192.0.2.1',
  IRONIC_AGENT_IMAGE: 'quay.io/metal3-io/ironic-agent',
  IRONIC_AGENT_PULL_SECRET: Buffer.from('{"auths":{"r":{"auth":"aHVudGVyMjp4"}}}').toString('base64'),
  IRONIC_INSPECTOR_VLAN_INTERFACES: 'all',
};
const embedded = async (name: string): Promise<string> => {
  const config = await readIgnition(await openLiveIso(bytesAccess(await readFile(path(name)))));
  return Buffer.from(config ?? []).toString();
};

describe('prepare --layout metal3', () => {
  it('writes what ironic-image serves, from the environment of configure-coreos-ipa', async () => {
    const args = ['prepare', '--layout', 'metal3', '--iso', 'live.iso', '-o', 'shared'];
    const { code, stderr } = await run(args, environment);
    expect([code, stderr]).toEqual([0, expect.stringContaining('shared: 5 files written, 0 unchanged')]);
    expect(await list('shared')).toEqual([
      'SHA256SUMS',
      'html/images/ironic-python-agent.initramfs',
      'html/images/ironic-python-agent.iso',
      'html/images/ironic-python-agent.kernel',
      'html/images/ironic-python-agent.rootfs',
      'html/ironic-python-agent.ign',
      'manifest.json',
    ]);
    const config = read('shared/html/ironic-python-agent.ign');
    expect(config).toContain('/etc/authfile.json');
    expect(config).toContain('"version": "3.0.0"');
    expect(await embedded('shared/html/images/ironic-python-agent.iso')).toBe(config);
    await expectConsistent(here, 'shared');
    expect((await run(args, environment)).stderr).toContain('0 files written, 5 unchanged');
  });

  it('names the setting for the image, because it has no option for it', async () => {
    const args = ['prepare', '--layout', 'metal3', '--iso', 'live.iso', '-o', 'without-image'];
    const { code, stderr } = await run(args, {
      IRONIC_AGENT_IMAGE: '',
      IRONIC_BASE_URL: 'https://192.0.2.1',
    });
    expect(code).toBe(2);
    expect(stderr).toContain('requires IRONIC_AGENT_IMAGE or agent.image under "agent" in an inventory');
  });

  it('does in place what the script did: the ISO that is there gets the config', async () => {
    await mkdir(path('pod/html/images'), { recursive: true });
    const iso = 'pod/html/images/ironic-python-agent.iso';
    await writeFile(path(iso), liveIso('2023-07'));
    const args = ['prepare', '-o', 'pod', '--mode', '0644'];
    const env = { ...environment, IRONIC_USE_COREOS_IPA: 'true' };
    const { code, stderr } = await run(args, env);
    expect([code, stderr]).toEqual([0, expect.stringContaining('pod: 2 files written, 0 unchanged')]);
    const config = read('pod/html/ironic-python-agent.ign');
    expect(await embedded(iso)).toBe(config);
    expect((await run(args, env)).stderr).toContain('0 files written, 2 unchanged');
    await expectConsistent(here, 'pod');

    await run(args, { ...env, IRONIC_BASE_URL: 'http://192.0.2.2' });
    expect(await embedded(iso)).toBe(read('pod/html/ironic-python-agent.ign'));
    expect(read('pod/html/ironic-python-agent.ign')).not.toBe(config);
  });

  it('takes the address of ironic-image, from which its scripts derive the URLs', async () => {
    const env = { ...environment, IRONIC_BASE_URL: '', IRONIC_IP: 'fd00::1', HTTP_PORT: '6180' };
    expect((await run(['prepare', '--layout', 'metal3', '-o', 'address'], env)).code).toBe(0);
    const config = decodeURIComponent(read('address/html/ironic-python-agent.ign'));
    expect(config).toContain('api_url = http://[fd00::1]:6385\n');
    expect(here.manifest('address').baseUrl).toBe('http://[fd00::1]:6180');
    const own = ['prepare', '--layout', 'metal3', '-o', 'own', '--profile', 'default'];
    expect((await run(own, env)).code).toBe(0);
    const { storage } = JSON.parse(read('own/html/ironic-python-agent.ign'));
    const conf = Buffer.from(storage.files[0].contents.source.split(',')[1], 'base64').toString();
    expect(conf).toContain('api_url = http://[fd00::1]:6385\n');
  });

  it('takes paths from the environment', async () => {
    const env = { ...environment, IGNITION_FILE: path('mnt/agent.ign') };
    expect((await run(['prepare', '--layout', 'metal3', '-o', 'mnt'], env)).code).toBe(0);
    expect(await list('mnt')).toEqual(['SHA256SUMS', 'agent.ign', 'manifest.json']);
    const { code, stderr } = await run(['prepare', '--layout', 'metal3', '-o', 'other'], env);
    expect([code, stderr]).toEqual([2, expect.stringContaining('IGNITION_FILE is a path outside')]);
  });

  it('does not replace images of somebody else unless told to', async () => {
    await mkdir(path('theirs/html/images'), { recursive: true });
    await write('theirs/html/images/ironic-python-agent.kernel', 'theirs');
    const args = ['prepare', '--layout', 'metal3', '--iso', 'live.iso', '-o', 'theirs'];
    const { code, stderr } = await run(args, environment);
    expect([code, stderr]).toEqual([1, expect.stringContaining('File exists: ')]);
    expect(await list('theirs')).toEqual(['html/images/ironic-python-agent.kernel']);
    expect((await run([...args, '--force'], environment)).code).toBe(0);
  });

  it('has nothing to choose', async () => {
    const args = ['prepare', '--layout', 'metal3', '-o', 'shared', '--artifacts', 'ign'];
    expect(await run(args, environment)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--artifacts cannot be combined with --layout metal3'),
    });
    const range = [...args.slice(0, 5), '--dhcp-range', '192.0.2.1,proxy'];
    expect(await run(range, environment)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--dhcp-range cannot be combined with --layout metal3'),
    });
  });

  it('has no place for an inventory with hosts', async () => {
    const args = ['prepare', '--layout', 'metal3', '-o', 'shared', '--inventory', 'inv.yaml'];
    expect(await run(args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not support an inventory with hosts'),
    });
  });
});

const settings = (boot: string) => `agent: {ironic.apiUrls: http://192.0.2.1, ${boot}}\n`;

describe('prepare --layout bifrost', () => {
  const bifrost = ['prepare', '--layout', 'bifrost', '--iso', 'live.iso', '--inventory', 'agent.yaml'];
  const url = 'http://192.0.2.1:8080/ironic-python-agent';
  const live =
    `coreos.live.rootfs_url=${url}.rootfs ignition.config.url=${url}.ign ` +
    'ignition.firstboot ignition.platform.id=metal ip=dhcp rd.neednet=1';

  it('writes the files of the web server and the variables, and prints the settings of nodes', async () => {
    await write('agent.yaml', settings('boot.ip: [dhcp]'));
    const { code, stdout } = await run([...bifrost, '-o', 'httpboot', '--base-url', 'http://192.0.2.1:8080']);
    expect([code, stdout]).toEqual([
      0,
      `deploy_iso=${url}.iso\ndeploy_kernel=${url}.kernel\ndeploy_ramdisk=${url}.initramfs\n`,
    ]);
    expect(load(read('httpboot/bifrost-variables.yaml'))).toEqual({
      ipa_kernel_url: `${url}.kernel`,
      ipa_ramdisk_url: `${url}.initramfs`,
      download_ipa: false,
      extra_kernel_options: live,
      inspector_extra_kernel_options: `ipa-inspection-collectors=default,logs ${live}`,
      enabled_deploy_interfaces: 'direct,ramdisk,custom-agent',
    });
    expect(await embedded('httpboot/ironic-python-agent.iso')).toBe(read('httpboot/ironic-python-agent.ign'));
    await expectConsistent(here, 'httpboot');
  });

  it('warns if Ironic reads neither the file nor a URL', async () => {
    await write('agent.yaml', settings('boot.ip: [dhcp]'));
    const { code, stdout, stderr } = await run([...bifrost, '-o', 'elsewhere']);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain(
      'warning: Ironic reads file URLs only in /var/lib/ironic, so it cannot read the images in elsewhere\n' +
        'hint: pass --base-url URL if a web server serves the folder, or use --output /var/lib/ironic/httpboot\n',
    );
    expect(await list('elsewhere')).not.toContain('bifrost-variables.yaml');
  });

  it.each([
    ['a template of Ansible', 'a={{password}}', /Ansible would evaluate the argument as a template/],
    ['a line that is too long with the arguments of Bifrost', `a=${'b'.repeat(800)}`, /too long/],
  ])('refuses kernel arguments: %s', async (_title, argument, message) => {
    await write('agent.yaml', settings(`boot.kernelArguments: ['${argument}']`));
    const { code, stderr } = await run([...bifrost, '-o', 'refused', '--base-url', 'http://192.0.2.1:8080']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(stderr).toContain('The variables for Bifrost cannot be written');
  });
});

describe('validate accepts what prepare writes', () => {
  it.each([
    ['folder', ['--discovery', '--artifacts', 'ign,iso,ipxe,grub,pxelinux']],
    ['metal3', []],
    ['bifrost', []],
  ])('--layout %s', async (layout, options) => {
    await write('agent.yaml', 'agent: {ironic.apiUrls: http://192.0.2.1}\n');
    const inventory = layout === 'folder' ? 'inv.yaml' : 'agent.yaml';
    const args = ['--layout', layout, '--iso', 'live.iso', '--inventory', inventory, ...options];
    const folder = `valid-${layout}`;
    expect((await run(['prepare', ...args, '--base-url', 'http://h', '-o', folder])).code).toBe(0);
    const files = (await list(folder)).filter((name) => /\.(?:ign|conf|iso)$/.test(name));
    expect(files.filter((name) => name.endsWith('.ign'))).not.toEqual([]);
    const names = [
      folder,
      ...files.filter((name) => name !== 'dnsmasq.conf').map((name) => `${folder}/${name}`),
    ];
    const { code, stdout } = await run(['validate', ...names]);
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('error: ')]);
  });
});

describe('prepare with ipa-insecure=1', () => {
  const hosts = '\nhosts: [{ name: a, mac: "52:54:00:00:00:01" }]';
  it.each<[string, string, readonly string[], RegExp]>([
    [
      'a host',
      hosts,
      ['--iso', 'live.iso', '--base-url', 'http://192.0.2.1'],
      /^warning: .*\(ipa-insecure\)$/m,
    ],
    [
      'machines that are not listed',
      '',
      ['--iso', 'live.iso', '--base-url', 'http://192.0.2.1'],
      /^warning: .*\(ipa-insecure\)$/m,
    ],
    [
      'a part of ironic.conf',
      '',
      ['--layout', 'bifrost', '--iso', 'live.iso', '--base-url', 'http://192.0.2.1'],
      /^warning: .*\(ipa-insecure\)$/m,
    ],
  ])('compares it with the conf, for %s', async (title, machines, args, expected) => {
    const agent =
      'agent: { ironic.apiUrls: https://192.0.2.1, agent.image: quay.io/a/b, boot.ipaParameters: [insecure=1] }';
    const folder = `insecure ${title}`;
    await write('insecure.yaml', `profile: configure-coreos-ipa\n${agent}${machines}\n`);
    const both = ['prepare', '--inventory', 'insecure.yaml', ...args, '-o', folder];
    expect((await run(both)).stderr).toMatch(expected);
    await write('insecure.yaml', `${agent}${machines}\n`);
    expect((await run(both)).stderr).not.toContain('ipa-insecure');
  });
});

describe('layouts with images of several architectures', () => {
  const armKernel = Buffer.alloc(2048);
  armKernel.write('ARM\x64', 56);
  const machines = [
    ['aarch64', armKernel],
    ['x86_64', kernelOf('6.18')],
  ] as const;
  const given = async (): Promise<string[]> => {
    const options: string[] = [];
    for (const [architecture, kernel] of machines) {
      for (const [part, data] of Object.entries({ kernel, initramfs: initrd, rootfs: liveRootfs })) {
        await write(`${part}.${architecture}`, data);
        options.push(`--${part}`, `${architecture}=${part}.${architecture}`);
      }
    }
    return options;
  };

  it('gives those of x86_64 the plain names, and the others those that ironic-image looks for', async () => {
    const args = [
      'prepare',
      '--layout',
      'metal3',
      ...(await given()),
      '-o',
      'multi',
      '--base-url',
      'http://h',
    ];
    const { code, stderr, stdout } = await run(args, environment);
    const start = 'http://h/images/ironic-python-agent';
    expect([code, stdout]).toEqual([
      0,
      `DEPLOY_KERNEL_BY_ARCH=aarch64:${start}_aarch64.kernel,x86_64:${start}.kernel\n` +
        `DEPLOY_RAMDISK_BY_ARCH=aarch64:${start}_aarch64.initramfs,x86_64:${start}.initramfs\n`,
    ]);
    expect(stderr).toContain(
      'kernel_append_params=%default% coreos.live.rootfs_url=http://h/images/ironic-python-agent_aarch64.rootfs on nodes',
    );
    expect(read('multi/html/images/ironic-python-agent.kernel')).toContain('HdrS');
    expect(read('multi/html/images/ironic-python-agent_aarch64.kernel')).toContain('ARM\x64');
    await expectConsistent(here, 'multi');
    expect((await run(args, environment)).stderr).toContain(' 0 files written, 7 unchanged');
  });

  it('have memory for the boot from an ISO only for the architectures with one', async () => {
    const images = [...(await given()), '--iso', 'x86_64=live.iso'];
    const args = ['prepare', '--layout', 'metal3', ...images, '-o', 'partly', '--base-url', 'http://h'];
    expect(await run(args, environment)).toMatchObject({ code: 0 });
    const { artifacts, memory }: Manifest = JSON.parse(read('partly/manifest.json'));
    expect(artifacts).toEqual(['ign', 'iso']);
    expect(memory?.map(({ architecture, boot }) => `${architecture} ${boot}`)).toEqual([
      'x86_64 network',
      'x86_64 iso',
      'aarch64 network',
    ]);
  });

  it('tells Ironic and nodes of Bifrost which is which', async () => {
    await write('agent.yaml', 'agent: {ironic.apiUrls: http://192.0.2.1}\n');
    const args = ['--layout', 'bifrost', ...(await given()), '-o', 'many', '--inventory', 'agent.yaml'];
    const { code, stdout } = await run(['prepare', ...args, '--base-url', 'http://h']);
    const start = 'http://h/ironic-python-agent';
    expect([code, stdout.split('\n')]).toEqual([
      0,
      [
        `deploy_kernel=${start}.kernel`,
        `deploy_ramdisk=${start}.initramfs`,
        '# aarch64',
        `deploy_kernel=${start}_aarch64.kernel`,
        `deploy_ramdisk=${start}_aarch64.initramfs`,
        'kernel_append_params=%default% coreos.live.rootfs_url=http://h/ironic-python-agent_aarch64.rootfs',
        '',
      ],
    ]);
    expect(load(read('many/bifrost-variables.yaml'))).toMatchObject({ ipa_kernel_url: `${start}.kernel` });
  });
});

describe('layouts whose files belong together', () => {
  it('change nothing where a run fails at the last of them', async () => {
    const args = ['prepare', '--layout', 'metal3', '-o', 'kept'];
    expect((await run([...args, '--iso', 'live.iso'], environment)).code).toBe(0);
    const before = await list('kept');
    // The kernel is new and right, and the ISO, which comes last, has no room for the config.
    await write('kernel', kernelOf('6.19'));
    const large = { auths: { r: { auth: randomBytes(1_100_000).toString('base64') } } };
    const secret = Buffer.from(JSON.stringify(large)).toString('base64');
    const { code } = await run([...args, '--iso', 'live.iso', '--kernel', 'kernel'], {
      ...environment,
      IRONIC_AGENT_PULL_SECRET: secret,
    });
    expect(code).toBe(1);
    expect(await list('kept')).toEqual(before);
    await expectConsistent(here, 'kept');
    expect((await run([...args, '--iso', 'live.iso'], environment)).stderr).toContain('0 files written');
  });
});

import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { deployFolder } from './support.ts';

const { run } = deployFolder();
const node = (...args: string[]) => run(['node', '--name', 'worker-3', ...args]);
const iso = [
  '--bmc-address',
  'idrac-virtualmedia+http://192.0.2.13:8000/redfish/v1/Systems/1',
  '--bmc-insecure',
  '--boot-mac',
  '52:54:00:12:34:56',
  '--arch',
  'x86_64',
  '--root-device',
  'size=>= 100',
  '--root-device',
  'rotational=no',
  '--deploy-iso',
  'http://192.0.2.1/worker 3.iso'.replace(' ', '-'),
];
const pair = ['--deploy-kernel', 'http://h/k', '--deploy-ramdisk', 'http://h/r'];
const pxe = ['--bmc-address', '192.0.2.13', '--root-device', 'name=/dev/sda', ...pair];

const vmedia = [
  '--bmc-address',
  'redfish-virtualmedia://192.0.2.13/redfish/v1/Systems/1',
  '--root-device',
  'name=/dev/sda',
];
const url = 'https://h/i.raw';
const image = ['--image-source', url];
const sum = ['--image-checksum', 'A'.repeat(64)];
const hash = { image_os_hash_algo: 'sha256', image_os_hash_value: 'a'.repeat(64) };

describe('deploy node', () => {
  it.each([
    ['iso', iso],
    ['pxe', [...pxe, '--kernel-append-params', '%default% console=ttyS0']],
    ['set', ['--set', '--root-device', 'model=<in> PERC', ...pair]],
  ])('writes commands: %s', async (name, args) => {
    const { code, stdout } = await node(...args);
    expect(code).toBe(0);
    await expect(stdout).toMatchFileSnapshot(`../../golden/deploy/node-${name}.sh`);
  });

  it.each([
    ['nothing, where every conductor takes it', vmedia, ''],
    [
      'an interface that is off',
      [...vmedia, '--deploy-interface', 'custom-agent'],
      'enabled_deploy_interfaces = autodetect,direct,ramdisk,bootc,custom-agent',
    ],
    ['one that is on', [...vmedia, '--deploy-interface', 'direct', ...image, ...sum], ''],
    [
      'inspection by the agent',
      [...vmedia, '--inspect-interface', 'agent'],
      'enabled_inspect_interfaces = no-inspect,redfish,agent',
    ],
    [
      'an image without a checksum, which only a deploy step installs',
      [...vmedia, ...image],
      'enabled_deploy_interfaces = autodetect,direct,ramdisk,bootc,custom-agent',
    ],
    [
      'an ISO in another folder of the conductor',
      [...vmedia, '--deploy-iso', 'file:///srv/images/i.iso'],
      'file_url_allowed_paths = /var/lib/ironic,/srv/images',
    ],
    [
      'a Dell machine',
      ['--bmc-address', 'idrac-redfish://h/redfish/v1/Systems/1', '--root-device', 'name=/dev/sda'],
      'enabled_hardware_types = ipmi,redfish,idrac',
    ],
  ])('names the line of ironic.conf for %s', async (_title, args, line) => {
    const { code, stderr } = await node(...args);
    const hints = stderr.split('\n').filter((text) => text.includes('ironic.conf'));
    expect(code).toBe(0);
    expect(hints.map((hint) => hint.split(': ').at(-1)).join('\n')).toBe(line);
  });

  it.each([
    ['nothing: the conductor decides', [], {}],
    ['an image', [...image, ...sum], { instance_info: { image_source: url, ...hash } }],
    [
      'an image by name',
      ['--deploy-interface', 'direct', '--image-source', url, ...sum, '--image-format', 'qcow2'],
      {
        deploy_interface: 'direct',
        instance_info: { image_source: url, ...hash, image_disk_format: 'qcow2' },
      },
    ],
    [
      'a container',
      ['--deploy-interface', 'bootc', '--image-source', 'oci://h/i:1'],
      { deploy_interface: 'bootc', instance_info: { image_source: 'oci://h/i:1' } },
    ],
    [
      'a live ISO',
      ['--boot-iso', 'http://h/i.iso'],
      { deploy_interface: 'ramdisk', instance_info: { boot_iso: 'http://h/i.iso' } },
    ],
    [
      'a live ISO that Ironic detects',
      ['--boot-iso', 'http://h/i.iso', '--deploy-interface', 'autodetect'],
      {
        deploy_interface: 'autodetect',
        instance_info: { boot_iso: 'http://h/i.iso', ironic_ramdisk_deploy: true },
      },
    ],
    [
      'a checksum in a file',
      [...image, '--image-checksum', 'https://h/SHA256SUMS'],
      { instance_info: { image_source: url, image_checksum: 'https://h/SHA256SUMS' } },
    ],
  ])('describes what is deployed: %s', async (_title, args, fields) => {
    const { nodes }: { nodes: [Record<string, unknown>] } = JSON.parse(
      (await node(...vmedia, ...args, '--format', 'json')).stdout,
    );
    const { deploy_interface, instance_info } = nodes[0];
    expect({ deploy_interface, instance_info }).toEqual({
      deploy_interface: undefined,
      instance_info: undefined,
      ...fields,
    });
  });

  it.each([
    ['an image', [...image, ...sum], 'boot_iso=null'],
    ['a live ISO', ['--boot-iso', 'http://h/i.iso'], 'image_source=null'],
  ])('removes the other thing that Ironic would refuse beside %s', async (_title, args, word) => {
    expect((await node('--set', ...args)).stdout).toContain(`--instance-info ${word}`);
  });

  it.each([
    ['removes the ISO of a node that gets a kernel', pair, '--driver-info deploy_iso=null'],
    ['keeps the kernel of a node that gets an ISO', ['--deploy-iso', 'http://h/i'], 'deploy_iso=http://h/i'],
  ])('%s: Ironic would boot the ISO', async (_title, args, word) => {
    const { stdout } = await node('--set', ...args);
    expect(stdout).toContain(word);
    expect(stdout.match(/null/g) ?? []).toHaveLength(word.endsWith('null') ? 1 : 0);
  });

  it('warns of a kernel without the arguments that CoreOS requires', async () => {
    const { code, stderr } = await node(...pxe);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('coreos.live.rootfs_url, ignition.firstboot'),
    ]);
  });

  it('writes a description for baremetal create', async () => {
    const { stdout } = await node(...iso, '--format', 'yaml');
    await expect(stdout).toMatchFileSnapshot('../../golden/deploy/node-iso.yaml');
    expect(load(stdout)).toEqual(JSON.parse((await node(...iso, '--format', 'json')).stdout));
  });

  it('changes a node that is named by its UUID', async () => {
    const uuid = '33ce8659-7400-4c68-9535-d10766f07a58';
    const { code, stdout } = await run(['node', '--set', '--name', uuid, ...pair]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`baremetal node set ${uuid} `)]);
  });

  it('writes driver_info alone', async () => {
    const args = [...pair, '--kernel-append-params', '%default% a=b', '--format', 'driver-info'];
    const { code, stdout } = await node(...args);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      deploy_kernel: 'http://h/k',
      deploy_ramdisk: 'http://h/r',
      kernel_append_params: '%default% a=b',
    });
  });

  it.each([
    [
      'an ISO for PXE',
      ['--bmc-address', 'ipmi://h', '--deploy-iso', 'http://h/i'],
      /--deploy-iso: .*does not support an ISO/,
    ],
    [
      'a path',
      [...pxe.slice(0, 4), '--deploy-kernel', '/k', '--deploy-ramdisk', 'http://h/r'],
      /--deploy-kernel: unsupported image reference for Ironic: "/,
    ],
    [
      'a broken argument',
      [...pxe, '--kernel-append-params', 'a="b c'],
      /--kernel-append-params: Ironic rejects/,
    ],
    [
      'an image and a live ISO',
      [...vmedia, ...image, ...sum, '--boot-iso', 'http://h/i'],
      /--boot-iso: a host either/,
    ],
    [
      'a live ISO to write',
      [...vmedia, '--deploy-interface', 'direct', '--boot-iso', 'http://h/i'],
      /--boot-iso: .*does not deploy this \(deploy-interface\)\nhint: .*ramdisk/,
    ],
    [
      'an image to boot',
      [...vmedia, '--deploy-interface', 'ramdisk', ...image],
      /--image-source: .*does not deploy this.*\nhint: .*--boot-iso/,
    ],
    [
      'an image for direct without a checksum',
      [...vmedia, '--deploy-interface', 'direct', ...image],
      /--image-checksum: missing or invalid/,
    ],
    [
      'a format for itself',
      [...vmedia, '--image-format', 'live-iso'],
      /--image-format: .*\nhint: .*--boot-iso/,
    ],
    [
      'an ISO with another boot interface',
      [...vmedia, '--boot-interface', 'ipxe', '--deploy-iso', 'http://h/i'],
      /--deploy-iso: /,
    ],
    ['a broken hint', [...pxe, '--root-device', 'size=big'], /--root-device size: /],
    ['an operator before the equals sign', [...pxe, '--root-device', 'size>=1'], /hint: use size=">= 1"\n/],
  ])('refuses %s', async (_title, args, message) => {
    expect(await node(...args)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
  });

  it.each([
    [
      'an unknown interface',
      [...vmedia, '--deploy-interface', 'agent'],
      /--deploy-interface\nhint: .*custom-agent/,
    ],
    ['a checksum of nothing', [...vmedia, ...sum], /--image-checksum requires --image-source/],
    ['a change of nothing', ['--set'], /--set changes nothing/],
    ['two ramdisks', [...iso, ...pair], /cannot be combined/],
    ['half a ramdisk', ['--set', '--deploy-kernel', 'http://h/k'], /require each other/],
    ['arguments for an ISO', [...iso, '--kernel-append-params', 'a'], /iso kargs/],
    ['a new node without a driver', pair, /--bmc-address, or use --set/],
    [
      'an insecure BMC without an address',
      ['--set', '--bmc-insecure'],
      /--bmc-insecure requires --bmc-address/,
    ],
    ['a port of a change', [...iso, '--set'], /--set does not change the ports/],
    ['a description of a change', [...iso, '--set', '--format', 'json'], /--set requires --format command/],
  ])('asks for another command line: %s', async (_title, args, message) => {
    expect(await node(...args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
  });
});

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

describe('deploy node', () => {
  it.each([
    ['iso', iso],
    ['pxe', [...pxe, '--kernel-append-params', '%default% console=ttyS0']],
    ['set', ['--set', '--root-device', 'model=<in> PERC', ...pair]],
  ])('writes commands: %s', async (name, args) => {
    const { code, stdout, stderr } = await node(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expect(stdout).toMatchFileSnapshot(`../golden/deploy/node-${name}.sh`);
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
    await expect(stdout).toMatchFileSnapshot('../golden/deploy/node-iso.yaml');
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
      /--deploy-kernel: unsupported image reference/,
    ],
    [
      'a broken argument',
      [...pxe, '--kernel-append-params', 'a="b"'],
      /--kernel-append-params: Ironic rejects/,
    ],
    ['a broken hint', [...pxe, '--root-device', 'size=big'], /--root-device size: /],
    ['an operator before the equals sign', [...pxe, '--root-device', 'size>=1'], /hint: use .*size=">= 100"/],
  ])('refuses %s', async (_title, args, message) => {
    expect(await node(...args)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
  });

  it.each([
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

import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { deployFolder } from './support.ts';

const { run } = deployFolder();
const ironic = (...args: string[]) => run(['ironic', ...args]);
const live = 'coreos.live.rootfs_url=http://h/r ignition.firstboot ignition.platform.id=metal';

describe('deploy ironic', () => {
  it('writes the resource', async () => {
    const args = ['--namespace', 'metal3', '--kernel-append-params', live];
    const { code, stdout, stderr } = await ironic(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expect(stdout).toMatchFileSnapshot('../golden/deploy/ironic.yaml');
    expect(load(stdout)).toEqual(JSON.parse((await ironic(...args, '--format', 'json')).stdout));
  });

  it('says that the resource does not contain the URL of the ramdisk', async () => {
    const { code, stderr } = await ironic('--deploy-iso', 'http://h/i.iso');
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/does not contain the URL.*\nhint: .*--format env/),
    ]);
  });

  it('writes the environment', async () => {
    const { stdout } = await ironic('--format', 'env', '--deploy-iso', 'http://h/i.iso');
    expect(stdout).toBe('DEPLOY_ISO_URL=http://h/i.iso\n');
  });

  it.each([
    ['default', []],
    [
      'full',
      'file:///srv/k --deploy-ramdisk file:///var/lib/ironic/i --deploy-interface direct --deploy-interface custom-agent --inspect-interface agent --inspect-interface idrac-redfish --boot-interface redfish-https'
        .split(' ')
        .toSpliced(0, 0, '--kernel-append-params', live, '--deploy-kernel'),
    ],
  ])('writes ironic.conf: %s', async (name, args) => {
    const { code, stdout, stderr } = await ironic('--format', 'conf', ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expect(stdout).toMatchFileSnapshot(`../golden/deploy/ironic-${name}.conf`);
  });

  it.each([
    [
      'an ISO in ironic.conf',
      ['--format', 'conf', '--deploy-iso', 'http://h/i'],
      1,
      /--deploy-iso: ironic\.conf has no option.*\nhint: .*deploy node --deploy-iso/,
    ],
    [
      'what is enabled anyway',
      ['--format', 'conf', '--deploy-interface', 'direct', '--inspect-interface', 'redfish'],
      2,
      /there is nothing to write/,
    ],
    [
      'an unknown interface',
      ['--format', 'conf', '--boot-interface', 'x'],
      2,
      /--boot-interface\nhint: use one of ipxe/,
    ],
    [
      'an interface in the resource',
      ['--deploy-interface', 'direct'],
      2,
      /--deploy-interface requires --format conf/,
    ],
    [
      'arguments for an ISO',
      ['--deploy-iso', 'http://h/i', '--kernel-append-params', live],
      1,
      /Ironic cannot add kernel arguments to an ISO/,
    ],
    ['an environment of nothing', ['--format', 'env'], 2, /no ramdisk image.*\nhint: pass --deploy-iso/],
    [
      'an environment of arguments',
      ['--format', 'env', '--kernel-append-params', live],
      2,
      /no ramdisk image/,
    ],
    [
      'an environment of a kernel with arguments',
      ['--format', 'env', '--deploy-kernel', 'http://h/k', '--deploy-ramdisk', 'http://h/r'].concat(
        '--kernel-append-params',
        live,
      ),
      2,
      /--format env cannot contain kernel arguments\nhint: .*IRONIC_KERNEL_PARAMS/,
    ],
    ['a resource of nothing', ['--namespace', 'metal3'], 2, /no ramdisk image.*\n.*--kernel-append-params/],
    ['JSON of nothing', ['--format', 'json'], 2, /no ramdisk image/],
  ])('refuses %s', async (_title, args, code, message) => {
    expect(await ironic(...args)).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) });
  });
});

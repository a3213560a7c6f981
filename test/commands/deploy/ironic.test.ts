import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { deployFolder } from './support.ts';

const { run } = deployFolder();
const ironic = (...args: string[]) => run(['ironic', ...args]);
const live = 'coreos.live.rootfs_url=http://h/r ignition.firstboot ignition.platform.id=metal';

const urls = ['--deploy-kernel', 'http://h/k', '--deploy-ramdisk', 'http://h/r'];
const container = ['--prepare-image', 'registry.example.com/ironic-coreos:0.1.0'];
const prepare = [...container, '--settings', 'secret/ramdisk-settings'];
const iso = ['--live-iso', 'http://192.0.2.1/coreos.iso'];

describe('deploy ironic', () => {
  it.each([
    ['an init container', 'ironic-prepared.yaml', [...prepare, ...iso]],
    [
      'URLs of two architectures',
      'ironic-overrides.yaml',
      [...urls, '--deploy-kernel', 'aarch64=http://h/arm.k', '--deploy-ramdisk', 'aarch64=http://h/arm.r'],
    ],
  ])('writes the resource with %s', async (_title, golden, options) => {
    const args = ['--namespace', 'metal3', '--kernel-append-params', live, ...options];
    const { code, stdout, stderr } = await ironic(...args);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        'warning: spec.overrides requires the feature gate Overrides of ironic-standalone-operator, which is off by default (overrides-gate)\n' +
        'hint: start the operator with --feature-gates=Overrides=true, or pass image URLs with --deploy-kernel, --deploy-ramdisk and --extra-config\n',
    });
    await expect(stdout).toMatchFileSnapshot(`../../golden/deploy/${golden}`);
    expect(load(stdout)).toEqual(JSON.parse((await ironic(...args, '--format', 'json')).stdout));
  });

  it('writes the resource without overrides', async () => {
    const { code, stdout, stderr } = await ironic(...urls, '--extra-config', '--kernel-append-params', live);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expect(stdout).toMatchFileSnapshot('../../golden/deploy/ironic-extra-config.yaml');
  });

  it('writes the environment', async () => {
    const { stdout } = await ironic('--format', 'env', '--deploy-iso', 'http://h/i.iso');
    expect(stdout).toBe('DEPLOY_ISO_URL=http://h/i.iso\n');
    expect((await ironic('--format', 'env', ...urls)).stdout).toBe(
      'DEPLOY_KERNEL_URL=http://h/k\nDEPLOY_RAMDISK_URL=http://h/r\n',
    );
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
    await expect(stdout).toMatchFileSnapshot(`../../golden/deploy/ironic-${name}.conf`);
  });

  it.each([
    [
      'a name of the resource in ironic.conf',
      ['--format', 'conf', '--name', 'x'],
      2,
      /--name cannot be combined with --format conf/,
    ],
    [
      'its namespace in the environment',
      ['--format', 'env', '--deploy-iso', 'http://h/i', '--namespace', 'x'],
      2,
      /--namespace cannot be combined with --format env/,
    ],
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
      ['--format', 'env', '--deploy-iso', 'http://h/i', '--kernel-append-params', live],
      1,
      /Ironic cannot add kernel arguments to an ISO/,
    ],
    [
      'a resource with an ISO',
      ['--deploy-iso', 'http://h/i'],
      2,
      /no field for an ISO\nhint: .*--format env/,
    ],
    ['an environment of nothing', ['--format', 'env'], 2, /no ramdisk image.*\nhint: .*--deploy-iso/],
    [
      'an environment of arguments',
      ['--format', 'env', '--kernel-append-params', live],
      2,
      /no ramdisk image/,
    ],
    [
      'an environment of a kernel with arguments',
      ['--format', 'env', ...urls, '--kernel-append-params', live],
      2,
      /--format env cannot contain kernel arguments\nhint: .*IRONIC_KERNEL_PARAMS/,
    ],
    ['an environment of two kernels', ['--format', 'env', ...urls, ...urls], 2, /only one kernel/],
    [
      'an environment of an init container',
      ['--format', 'env', ...prepare, ...iso],
      2,
      /--prepare-image cannot be/,
    ],
    ['a resource of nothing', ['--namespace', 'metal3'], 2, /no ramdisk image.*\n.*--prepare-image/],
    ['a resource of arguments', ['--kernel-append-params', live], 2, /no ramdisk image/],
    ['JSON of nothing', ['--format', 'json'], 2, /no ramdisk image/],
    ['a kernel without a ramdisk', ['--deploy-kernel', 'http://h/k'], 2, /require each other/],
    [
      'a kernel with a ramdisk of another architecture',
      ['--deploy-kernel', 'http://h/k', '--deploy-ramdisk', 'aarch64=http://h/r'],
      2,
      /require each other.*\nhint: pass --deploy-kernel and --deploy-ramdisk for each architecture/,
    ],
    [
      'an init container with URLs',
      [...prepare, ...iso, ...urls],
      2,
      /cannot be combined with --deploy-kernel/,
    ],
    ['an init container without settings', [...container, ...iso], 2, /--prepare-image requires --settings/],
    ['settings in a file', [...container, ...iso, '--settings', 'ramdisk.yaml'], 2, /use secret\/NAME/],
  ])('refuses %s', async (_title, args, code, message) => {
    expect(await ironic(...args)).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) });
  });
});

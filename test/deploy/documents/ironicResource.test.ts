import { describe, expect, it } from 'vitest';
import {
  checkIronic,
  formatOperatorEnvironment,
  type IronicSettings,
  renderIronicResource,
} from '../../../src/deploy/documents/ironicResource.ts';

const live = 'coreos.live.rootfs_url=http://h/r ignition.firstboot ignition.platform.id=metal';
const pair = { kind: 'pair', kernel: 'http://h/k', ramdisk: 'http://h/i' } as const;

describe('the settings around Ironic', () => {
  it('are a part of its resource', () => {
    expect(renderIronicResource({ name: 'ironic', namespace: 'metal3', kernelArguments: live })).toEqual({
      apiVersion: 'ironic.metal3.io/v1alpha1',
      kind: 'Ironic',
      metadata: { name: 'ironic', namespace: 'metal3' },
      spec: { deployRamdisk: { disableDownloader: true, extraKernelParams: live } },
    });
  });

  it.each([
    ['an ISO', { kind: 'iso', iso: 'http://h/i.iso' } as const, 'DEPLOY_ISO_URL=http://h/i.iso\n'],
    ['a kernel', pair, 'DEPLOY_KERNEL_URL=http://h/k\nDEPLOY_RAMDISK_URL=http://h/i\n'],
  ])('are the environment of the operator: %s', (_title, ramdisk, text) => {
    expect(formatOperatorEnvironment(ramdisk)).toBe(text);
  });

  it.each<[string, IronicSettings, string[]]>([
    ['nothing', { name: 'ironic' }, []],
    ['a kernel with arguments', { name: 'ironic', ramdisk: pair, kernelArguments: live }, []],
    [
      'arguments alone',
      { name: 'ironic', kernelArguments: 'a="b"' },
      ['ramdisk-argument-syntax', 'ramdisk-argument-missing'],
    ],
    [
      'arguments for an ISO',
      { name: 'ironic', ramdisk: { kind: 'iso', iso: 'http://h/i' }, kernelArguments: live },
      ['arguments-unused-by-iso'],
    ],
    [
      'arguments of a node',
      { name: 'ironic', kernelArguments: `%default% ${live}` },
      ['ramdisk-argument-default'],
    ],
    ['a wrong name', { name: 'Ironic', namespace: 'a.b' }, ['metal3-name', 'metal3-name']],
  ])('are checked: %s', (_title, settings, rules) => {
    expect(checkIronic(settings).map(({ rule }) => rule.id)).toEqual(rules);
  });
});

import { describe, expect, it } from 'vitest';
import type {
  AgentImages,
  PodImages,
  PreparedImages,
} from '../../../../src/commands/deploy/documents/ironicPod.ts';
import {
  checkIronic,
  checkOperatorEnvironment,
  formatOperatorEnvironment,
  type IronicSettings,
  renderIronicResource,
} from '../../../../src/commands/deploy/documents/ironicResource.ts';
import { type Architecture, architectures } from '../../../../src/core/architecture.ts';

const live = 'coreos.live.rootfs_url=http://h/r ignition.firstboot ignition.platform.id=metal';
const pair = { kind: 'pair', kernel: 'http://h/k', ramdisk: 'http://h/i' } as const;
const remote = (...images: AgentImages[]): PodImages => ({ kind: 'remote', images, field: 'extraConfig' });
const one = { kernel: 'http://h/k', initramfs: 'http://h/i' };
const prepared = (
  sources: Readonly<Record<string, string>>,
  rest: Partial<PreparedImages> = {},
): PreparedImages => ({
  kind: 'prepared',
  container: 'registry.example.com/ironic-coreos:0.1.0',
  settings: { kind: 'secret', name: 'ramdisk' },
  trustsIronic: false,
  isos: Object.entries(sources).map(([name, source]) => ({
    source,
    architecture: architectures.find((known) => known === name),
  })),
  ...rest,
});
const image = (name: string, architecture: Architecture): AgentImages => ({
  kernel: `http://h/$${name}.k`,
  initramfs: `http://h/${name}.i`,
  architecture,
});
const value = (name: string, text: string): object => ({ group: 'conductor', name, value: text });
const specOf = (images: PodImages): object =>
  renderIronicResource({ name: 'ironic', kernelArguments: live, images }).spec;

describe('the ramdisk in the resource of Ironic', () => {
  it('has URLs for each architecture in the overrides', () => {
    const images = [one, { ...one, architecture: 'aarch64' as const }];
    expect(specOf({ kind: 'remote', images, field: 'overrides' })).toEqual({
      deployRamdisk: { disableDownloader: true, extraKernelParams: live },
      overrides: { agentImages: images },
    });
  });

  it('has URLs for each architecture in ironic.conf', () => {
    expect(specOf(remote(one, image('a', 'aarch64'), image('x', 'x86_64')))).toMatchObject({
      extraConfig: [
        value('deploy_kernel', 'http://h/k'),
        value('deploy_kernel_by_arch', 'aarch64:http://h/$$a.k,x86_64:http://h/$$x.k'),
        value('deploy_ramdisk', 'http://h/i'),
        value('deploy_ramdisk_by_arch', 'aarch64:http://h/a.i,x86_64:http://h/x.i'),
      ],
    });
  });

  it('is prepared by an init container, from ISOs of several architectures', () => {
    const isos = { aarch64: 'http://h/arm/coreos.iso', x86_64: '/coreos.iso' };
    const start = 'file:///shared/html/images/ironic-python-agent';
    const plain = { kernel: `${start}.kernel`, initramfs: `${start}.initramfs` };
    expect(specOf(prepared(isos))).toMatchObject({
      overrides: {
        agentImages: [
          plain,
          {
            kernel: `${start}_aarch64.kernel`,
            initramfs: `${start}_aarch64.initramfs`,
            architecture: 'aarch64',
          },
          { ...plain, architecture: 'x86_64' },
        ],
        initContainers: [
          {
            name: 'ironic-coreos-download-aarch64',
            args: [
              'download',
              '--image-url',
              'http://h/arm/coreos.iso',
              '--directory',
              '/shared/ironic-coreos',
            ],
          },
          {
            name: 'ironic-coreos-prepare',
            args: ['prepare', '--layout', 'metal3', '--profile', 'default']
              .concat('--iso', 'aarch64=/shared/ironic-coreos/coreos.iso', '--iso', 'x86_64=/coreos.iso')
              .concat('--output', '/shared'),
          },
        ],
      },
    });
  });

  it('is prepared with a ConfigMap, an ISO in the container image and the CA of Ironic', () => {
    const settings = { kind: 'configmap', name: 'ramdisk' } as const;
    expect(specOf(prepared({ '': '/coreos.iso' }, { settings, trustsIronic: true }))).toMatchObject({
      overrides: {
        agentImages: [expect.not.objectContaining({ architecture: expect.anything() })],
        initContainers: [
          {
            name: 'ironic-coreos-prepare',
            envFrom: [{ configMapRef: { name: 'ramdisk' } }],
            env: [{ name: 'HOME' }, { name: 'IRONIC_CA_BUNDLE', value: '/certs/ironic/ca.crt' }],
            volumeMounts: [
              { name: 'ironic-shared', mountPath: '/shared' },
              { name: 'cert-ironic', mountPath: '/certs/ironic' },
            ],
          },
        ],
      },
    });
  });
});

describe('the environment of the BareMetal Operator', () => {
  it.each([
    ['an ISO', { kind: 'iso', iso: 'http://h/i.iso' } as const, 'DEPLOY_ISO_URL=http://h/i.iso\n'],
    ['a kernel', pair, 'DEPLOY_KERNEL_URL=http://h/k\nDEPLOY_RAMDISK_URL=http://h/i\n'],
  ])('contains %s', (_title, ramdisk, text) => {
    expect(formatOperatorEnvironment(ramdisk)).toBe(text);
    expect(checkOperatorEnvironment(ramdisk, undefined)).toEqual([]);
  });

  it('has no arguments for an ISO', () => {
    const [issue] = checkOperatorEnvironment({ kind: 'iso', iso: 'http://h/i' }, live);
    expect(issue?.rule.id).toBe('arguments-unused-by-iso');
  });
});

describe('checkIronic', () => {
  it.each<[string, Partial<IronicSettings>, string[]]>([
    ['URLs in ironic.conf', {}, []],
    [
      'URLs in the overrides',
      { images: { kind: 'remote', images: [one], field: 'overrides' } },
      ['overrides-gate'],
    ],
    ['an init container', { images: prepared({ '': 'https://h/a/coreos.iso' }) }, ['overrides-gate']],
    ['no arguments', { kernelArguments: undefined }, ['ramdisk-argument-missing']],
    ['arguments', { kernelArguments: 'a="b' }, ['ramdisk-argument-syntax', 'ramdisk-argument-missing']],
    ['arguments of a node', { kernelArguments: `%default% ${live}` }, ['ramdisk-argument-default']],
    ['an invalid name', { name: 'Ironic', namespace: 'a.b' }, ['metal3-name', 'metal3-name']],
    [
      'an unsupported architecture',
      { images: remote({ ...one, architecture: 's390x' }) },
      ['agent-architecture'],
    ],
    ['two of one architecture', { images: remote(one, one) }, ['agent-images-twice']],
    [
      'a file URL of another form',
      { images: remote({ ...one, kernel: 'file:/k' }) },
      ['ramdisk-url', 'agent-file-url'],
    ],
    [
      'a UUID of Glance',
      { images: remote({ ...one, kernel: '27946b59-9e44-4fa7-8e91-f3527a1ef094' }) },
      ['agent-url'],
    ],
    ['a file elsewhere', { images: remote({ ...one, kernel: 'file:///var/k' }) }, ['agent-file-url']],
    ['a file in the pod', { images: remote({ ...one, kernel: 'file:///shared/html/images/k' }) }, []],
    [
      'a comma beside an architecture',
      { images: remote({ ...one, kernel: 'http://h/k,1', architecture: 'x86_64' }) },
      ['agent-url-comma'],
    ],
    [
      'an invalid image',
      { images: prepared({ '': '/a.iso' }, { container: 'A B' }) },
      ['prepare-image', 'overrides-gate'],
    ],
    [
      'an invalid object',
      { images: prepared({ '': '/a.iso' }, { settings: { kind: 'secret', name: 'A' } }) },
      ['settings-name', 'overrides-gate'],
    ],
    ...['coreos.iso', 'http://h/', 'http://h/a?b', 'ftp://h/a.iso', '/', '/a b', 'https:///a.iso'].map(
      (source): [string, Partial<IronicSettings>, string[]] => [
        `the ISO ${source}`,
        { images: prepared({ '': source }) },
        ['iso-source', 'overrides-gate'],
      ],
    ),
  ])('%s', (_title, settings, rules) => {
    const issues = checkIronic({ name: 'ironic', kernelArguments: live, images: remote(one), ...settings });
    expect(issues.map(({ rule }) => rule.id)).toEqual(rules);
  });
});

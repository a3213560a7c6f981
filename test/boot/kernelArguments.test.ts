import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BootSettings } from '../../src/boot/bootSettings.ts';
import { bootForms, checkBoot } from '../../src/boot/bootForms.ts';
import { kernelArguments, placedArguments } from '../../src/boot/kernelArguments.ts';
import { sharedData, sharedDataNote } from '../support/sharedData.ts';

const readExisting = (name: string): string =>
  readFileSync(join(sharedData ?? '', 'agent-golden', name), 'utf8');

const bare: BootSettings = { embedded: false, ip: [], consoles: [], ipaParameters: [], extraArguments: [] };

describe('kernelArguments', () => {
  it.each<[string, Partial<BootSettings>, string]>([
    ['nothing', {}, 'ignition.firstboot ignition.platform.id=metal'],
    [
      'root filesystem and config',
      { ignitionUrl: 'https://h/c.ign', rootfsUrl: 'http://h/r' },
      'coreos.live.rootfs_url=http://h/r ignition.config.url=https://h/c.ign ignition.firstboot ignition.platform.id=metal',
    ],
    [
      'an embedded config',
      { embedded: true, rootfsUrl: 'http://h/r' },
      'coreos.live.rootfs_url=http://h/r ignition.firstboot ignition.platform.id=metal',
    ],
    ['a network', { ip: ['dhcp'] }, 'ignition.firstboot ignition.platform.id=metal ip=dhcp rd.neednet=1'],
    [
      'consoles in their order',
      { consoles: ['tty0', 'ttyS0,115200n8'] },
      'ignition.firstboot ignition.platform.id=metal console=tty0 console=ttyS0,115200n8',
    ],
    [
      'the order of everything else',
      {
        extraArguments: ['quiet'],
        ipaParameters: ['insecure=1'],
        consoles: ['tty0'],
        ip: ['eth0:dhcp', 'eth1:off'],
      },
      'ignition.firstboot ignition.platform.id=metal ip=eth0:dhcp ip=eth1:off rd.neednet=1 console=tty0 ipa-insecure=1 quiet',
    ],
    [
      'proxies, behind the network and without single quotes',
      {
        ip: ['dhcp'],
        consoles: ['tty0'],
        proxy: { http: "http://u:it's@p:3128", https: 'http://p', noProxy: ['a', '::1'] },
      },
      'ignition.firstboot ignition.platform.id=metal ip=dhcp rd.neednet=1 systemd.setenv=http_proxy=http://u:it%27s@p:3128 systemd.setenv=https_proxy=http://p systemd.setenv=no_proxy=a,::1 console=tty0',
    ],
    [
      'a proxy without direct hosts',
      { proxy: { https: 'http://p', noProxy: [] } },
      'ignition.firstboot ignition.platform.id=metal systemd.setenv=https_proxy=http://p',
    ],
    [
      'an added argument that is there already',
      { extraArguments: ['ignition.firstboot', 'a', 'rd.neednet=1'], ip: ['dhcp'] },
      'ignition.firstboot ignition.platform.id=metal ip=dhcp rd.neednet=1 a',
    ],
    [
      'an added console, which moves to the end',
      { extraArguments: ['console=tty0'], consoles: ['tty0', 'ttyS0'] },
      'ignition.firstboot ignition.platform.id=metal console=tty0 console=ttyS0 console=tty0',
    ],
  ])('%s', (_title, settings, expected) => {
    expect(kernelArguments({ ...bare, ...settings }).join(' ')).toBe(expected);
  });

  it('knows the setting of each argument', () => {
    const placed = placedArguments({ ...bare, rootfsUrl: 'http://h/r', extraArguments: ['a', 'b'] });
    expect(placed.map(({ path }) => path.join('.'))).toEqual([
      'rootfsUrl',
      '',
      '',
      'extraArguments.0',
      'extraArguments.1',
    ]);
  });
});

describe.skipIf(sharedData === undefined)(`existing boot scripts${sharedDataNote}`, () => {
  const rootfsUrl = 'http://172.22.0.3:6180/images/ironic-python-agent.rootfs';
  it.each(['ocp-inspector.ipxe', 'ocp-inspector-multiarch.ipxe', 'ocp-ironic-kernel_append_params.txt'])(
    'the arguments of CoreOS are those of %s, in its order',
    (name) => {
      expect(readExisting(name)).toContain(kernelArguments({ ...bare, rootfsUrl, embedded: true }).join(' '));
    },
  );

  it.each([
    'ironic-node.pxelinux',
    'ocp-inspector.ipxe',
    'metal3-inspector.ipxe',
    'ocp-ironic-kernel_append_params.txt',
  ])('the arguments in %s pass the checks', (name) => {
    const words =
      readExisting(name).match(
        /(?<= )(?:ipa-|ip=|rd\.|console=|coreos\.|ignition\.|systemd\.)[^\s"]+(?=\s|$)/g,
      ) ?? [];
    const extraArguments = [...new Set(words)];
    expect(extraArguments.length).toBeGreaterThan(3);
    expect(checkBoot({ ...bare, rootfsUrl, embedded: true, extraArguments }, bootForms.plain)).toEqual([]);
  });
});

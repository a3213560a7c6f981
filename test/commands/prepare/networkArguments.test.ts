/** The kernel arguments of hosts are checked with and without boot scripts, and beside the keyfiles of a host. */

import { describe, expect, it } from 'vitest';
import { isoPair } from '../../support/minimalIso.ts';
import { place } from './support.ts';

const { run, write } = place();

async function prepare(boot: string, network: string, artifacts: string): ReturnType<typeof run> {
  const agent = 'agent:\n  ironic.apiUrls: https://192.0.2.1\n';
  const host = `  - name: worker-0\n    mac: 52:54:00:00:00:01\n    overrides: {${boot}}\n${network}`;
  await write('inventory.yaml', `${agent}hosts:\n${host}`);
  await write('live.iso', isoPair().full);
  const options = [
    '--iso',
    'live.iso',
    '--base-url',
    'http://192.0.2.1',
    '-o',
    'out',
    '--artifacts',
    artifacts,
  ];
  return run(['prepare', '--inventory', 'inventory.yaml', ...options]);
}

const keyfile = '[connection]\nid=eno1\ntype=ethernet\n';
const keyfiles = `    network: {keyfiles: {eno1.nmconnection: ${JSON.stringify(keyfile)}}}\n`;

describe.each(['iso', 'initramfs', 'initramfs,ipxe'])('prepare --artifacts %s', (artifacts) => {
  it.each([
    ['an invalid network', 'boot.ip: ["eno1:dhcp4"]', 1, 'ip=eno1:dhcp4: '],
    [
      'an open quote',
      `boot.kernelArguments: ['a="b']`,
      1,
      artifacts === 'initramfs,ipxe' ? 'a="b: ' : 'a quote',
    ],
  ])('reports %s', async (_title, boot, code, message) => {
    const result = await prepare(boot, '', artifacts);
    expect(result).toMatchObject({ code, stderr: expect.stringContaining(message) });
  });

  it('reports network arguments beside keyfiles', async () => {
    const ignored = 'the live system ignores the network of the kernel arguments';
    expect((await prepare('boot.ip: [dhcp]', keyfiles, artifacts)).stderr).toContain(`${ignored}, because`);
    expect((await prepare('', keyfiles, artifacts)).stderr).not.toContain(ignored);
  });
});

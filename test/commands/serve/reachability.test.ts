/**
 * Which networks reach the servers of which settings: the same verdict in every command that gets both, for a host of an
 * inventory, and for images with a config and the network of their initramfs.
 */

import { copyFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { KEYFILE_FOLDER } from '../../../src/agent/files.ts';
import { inputsNameImage } from '../../support/agentImage.ts';
import { place } from './support.ts';

const { path, run, serve, write } = place(inputsNameImage);

interface Network {
  /** With prefix lengths; none for DHCP. */
  readonly addresses?: readonly string[];
  readonly gateway?: string;
  readonly dns?: string;
}

const mac = '52:54:00:12:34:56';

/** As nmstate, in JSON. */
function nmstateOf({ addresses = [], dns, gateway }: Network): string {
  const ipOf = (family: 4 | 6) => {
    const own = addresses.filter((text) => text.includes(':') === (family === 6));
    const address = own.map((text) => ({
      ip: text.split('/')[0],
      'prefix-length': Number(text.split('/')[1]),
    }));
    if (addresses.length === 0) return { enabled: true, dhcp: true, ...(family === 6 && { autoconf: true }) };
    return { enabled: own.length > 0, ...(own.length > 0 && { dhcp: false, address }) };
  };
  const eth0 = { name: 'eth0', type: 'ethernet', state: 'up', identifier: 'mac-address', 'mac-address': mac };
  const destination = gateway?.includes(':') === true ? '::/0' : '0.0.0.0/0';
  const route = { destination, 'next-hop-address': gateway, 'next-hop-interface': 'eth0' };
  return JSON.stringify({
    interfaces: [{ ...eth0, ipv4: ipOf(4), ipv6: ipOf(6) }],
    ...(gateway !== undefined && { routes: { config: [route] } }),
    ...(dns !== undefined && { 'dns-resolver': { config: { server: [dns] } } }),
  });
}

/** Settings by name, in YAML. */
type Settings = Readonly<Record<string, string>>;

/** All of its servers are in the subnet of the host. */
const near: Settings = {
  'ironic.apiUrls': 'https://192.0.2.1:6385',
  'agent.image': '192.0.2.2:5000/ironic-agent:latest',
  'agent.insecureRegistry': 'true',
};

const alone: Network = { addresses: ['192.0.2.5/24'] };
const noServer = 'the connections of the host are static and have no DNS server, so the host cannot resolve';
const conf = (location: string, mirror: string): string =>
  `[[registry]]\nlocation = "${location}"\n[[registry.mirror]]\nlocation = "${mirror}"\n`;
write('mirror-by-name.conf', conf('192.0.2.2:5000', 'mirror.example.com'));
write('mirror-by-address.conf', conf('registry.example.com', '192.0.2.2:5000'));

const table: readonly (readonly [
  title: string,
  network: Network,
  settings: Settings,
  finding: string | undefined,
])[] = [
  ['servers in the subnet', alone, {}, undefined],
  [
    'Ironic, by name',
    alone,
    { 'ironic.apiUrls': 'https://ironic.example.com:6385' },
    `${noServer} ironic.example.com (Ironic)`,
  ],
  [
    'one of two Ironics, by name',
    alone,
    { 'ironic.apiUrls': 'https://ironic.example.com:6385,https://192.0.2.1:6385' },
    undefined,
  ],
  [
    'the inspector, by name',
    alone,
    { 'ironic.inspectionCallbackUrls': 'https://inspector.example.com:5050' },
    `${noServer} inspector.example.com (inspector)`,
  ],
  [
    'the registry, by name',
    alone,
    { 'agent.image': 'registry.example.com/ironic-agent' },
    `${noServer} registry.example.com (registry)`,
  ],
  [
    'a mirror by name, of a registry in the subnet',
    alone,
    { 'agent.registriesConf': 'mirror-by-name.conf' },
    `${noServer} mirror.example.com (registry)`,
  ],
  [
    'a registry by name, with a mirror in the subnet',
    alone,
    {
      'agent.image': 'registry.example.com/ironic-agent',
      'agent.registriesConf': 'mirror-by-address.conf',
    },
    undefined,
  ],
  [
    'the proxy, by name, with the registry behind it',
    alone,
    { 'agent.image': 'registry.example.com/ironic-agent', 'proxy.https': 'http://proxy.example.com:3128' },
    `${noServer} proxy.example.com (proxy)`,
  ],
  [
    'a registry by name, behind a proxy in the subnet',
    alone,
    { 'agent.image': 'registry.example.com/ironic-agent', 'proxy.https': 'http://192.0.2.3:3128' },
    undefined,
  ],
  [
    'a registry by name, that is an exception of the proxy',
    alone,
    {
      'agent.image': 'registry.example.com/ironic-agent',
      'proxy.https': 'http://192.0.2.3:3128',
      'proxy.none': '[.example.com]',
    },
    `${noServer} registry.example.com (registry)`,
  ],
  [
    'an NTP server, by name',
    alone,
    { 'host.ntpServers': '[ntp.example.com]' },
    `${noServer} ntp.example.com (NTP server)`,
  ],
  [
    'names, by a DNS server in the subnet',
    { ...alone, dns: '192.0.2.53' },
    { 'ironic.apiUrls': 'https://ironic.example.com:6385' },
    undefined,
  ],
  [
    'names, by a DNS server without a route',
    { ...alone, dns: '198.51.100.53' },
    { 'ironic.apiUrls': 'https://ironic.example.com:6385' },
    'no connection of the host has a route to the DNS server 198.51.100.53, so the host cannot resolve ironic.example.com',
  ],
  [
    'Ironic without a route',
    alone,
    { 'ironic.apiUrls': 'https://198.51.100.1:6385' },
    'Ironic: no connection of the host has a route to 198.51.100.1',
  ],
  [
    'Ironic by a gateway',
    { ...alone, gateway: '192.0.2.254' },
    { 'ironic.apiUrls': 'https://198.51.100.1:6385' },
    undefined,
  ],
  [
    'a proxy of the other IP version',
    alone,
    { 'proxy.https': 'http://[2001:db8::3]:3128' },
    'proxy: no connection of the host has an IPv6 address, so the host does not reach 2001:db8::3',
  ],
  [
    'IPv4 addresses from a network of IPv6',
    { addresses: ['2001:db8::5/64'] },
    {},
    'registry: no connection of the host has an IPv4 address, so the host does not reach 192.0.2.2',
  ],
  ['everything with DHCP', {}, { 'ironic.apiUrls': 'https://ironic.example.com:6385' }, undefined],
  [
    'Ironic with the address of the host',
    { addresses: ['192.0.2.1/24'] },
    {},
    'eth0 gives the host the address 192.0.2.1, which is that of Ironic',
  ],
  [
    'a gateway with the address of the host',
    { ...alone, gateway: '192.0.2.5' },
    {},
    'eth0 gives the host the address 192.0.2.5, which is that of its gateway',
  ],
  [
    'a DNS server with the address of the host',
    { ...alone, dns: '192.0.2.5' },
    {},
    'eth0 gives the host the address 192.0.2.5, which is that of its DNS server',
  ],
];

const anyFinding = /no connection |have no DNS server|gives the host the address/;

function inventoryOf(network: string, settings: Settings): string {
  const all = { ...near, ...settings };
  const lines = Object.entries(all).map(([name, value]) => `  ${name}: ${value}\n`);
  return `agent:\n${lines.join('')}hosts:\n- name: a\n  mac: ${mac}\n${network}`;
}

const commands: readonly (readonly [name: string, said: () => Promise<string>])[] = [
  ['render', async () => (await run('render', '--inventory', 'hosts.yaml', '-o', 'configs')).stderr],
  ['validate', async () => (await run('validate', 'configs/a.ign')).stdout],
  [
    'prepare',
    async () => {
      const base = ['--iso', 'live.iso', '--base-url', 'http://192.0.2.9', '--artifacts', 'iso'];
      return (await run('prepare', '--inventory', 'hosts.yaml', ...base, '-o', 'prepared')).stderr;
    },
  ],
  [
    'serve',
    async () => {
      const running = await serve({ inventory: 'hosts.yaml', publicUrl: 'http://192.0.2.9' });
      const said = running.said();
      await running.stop();
      return said;
    },
  ],
  [
    'pxe kargs',
    async () => {
      const ramdisk = ['--ignition-url', 'http://192.0.2.9/c', '--rootfs-url', 'http://192.0.2.9/r'];
      return (await run('pxe', 'kargs', '--inventory', 'hosts.yaml', '--host', 'a', '--static', ...ramdisk))
        .stderr;
    },
  ],
];

describe.each(table)('%s', (_title, network, settings, finding) => {
  it.each(commands)('%s', async (_name, said) => {
    write('hosts.yaml', inventoryOf(`  network: {nmstate: ${nmstateOf(network)}}\n`, settings));
    // Kernel arguments name the interface by its MAC address.
    const text = (await said()).replaceAll(mac.toUpperCase(), 'eth0');
    const isFound = anyFinding.test(text) && text.includes(finding ?? '');
    expect({ text, isFound }).toEqual({ text, isFound: finding !== undefined });
  });
});

describe('the network of an image', () => {
  const keyfile =
    '[connection]\nid=eth0\ntype=ethernet\ninterface-name=eth0\n[ipv4]\nmethod=manual\naddress1=192.0.2.5/24\n[ipv6]\nmethod=disabled\n';
  const finding = `${noServer} ironic.example.com (Ironic)`;

  async function makeImage(): Promise<void> {
    await serve().then((running) => running.stop()); // it writes live.iso
    write('eth0.nmconnection', keyfile);
    write('hosts.yaml', inventoryOf('', { 'ironic.apiUrls': 'https://ironic.example.com:6385' }));
    await run('render', '--inventory', 'hosts.yaml', '-o', 'configs');
    copyFileSync(path('live.iso'), path('image.iso'));
    const { code } = await run('iso', 'ignition', 'embed', '-i', 'configs/a.ign', 'image.iso');
    expect(code).toBe(0);
  }

  it.each<readonly [title: string, args: readonly string[]]>([
    [
      'keyfiles that iso network embed adds',
      ['iso', 'network', 'embed', '-k', 'eth0.nmconnection', 'image.iso'],
    ],
    [
      'arguments that iso kargs modify adds',
      ['iso', 'kargs', 'modify', '-a', 'ip=192.0.2.5:::24::eth0:none', 'image.iso'],
    ],
  ])('%s', async (_how, args) => {
    await makeImage();
    expect((await run(...args)).stderr).toContain(finding);
    expect((await run('validate', 'image.iso')).stdout).toContain(finding);
    expect((await run('inspect', 'image.iso')).stdout).toContain(finding);
    const again = await run('iso', 'ignition', 'embed', '-f', '-i', 'configs/a.ign', 'image.iso');
    expect(again.stderr).toContain(finding);
  });

  it('that iso customize gives it', async () => {
    await makeImage();
    const { code, stderr } = await run(
      'iso',
      'customize',
      '--live-ignition',
      'configs/a.ign',
      '--network-keyfile',
      'eth0.nmconnection',
      '-o',
      'customized.iso',
      'live.iso',
    );
    expect([code, stderr]).toEqual([0, expect.stringContaining(finding)]);
  });

  it('that pxe network wrap writes, without a config', async () => {
    write('eth0.nmconnection', keyfile.replace('5/24', '5/24,192.0.2.5'));
    const { code, stderr } = await run(
      'pxe',
      'network',
      'wrap',
      '-k',
      'eth0.nmconnection',
      '-o',
      'network.img',
    );
    expect([code, stderr]).toEqual([0, expect.stringContaining('which is that of its gateway')]);
    expect((await run('validate', 'network.img')).stdout).toContain('which is that of its gateway');
  });

  it('is not that of a config with a network of its own', async () => {
    await makeImage();
    const own = JSON.stringify({
      ignition: { version: '3.4.0' },
      storage: {
        files: [
          {
            path: `${KEYFILE_FOLDER}/eth0.nmconnection`,
            mode: 0o600,
            contents: {
              source: `data:,${encodeURIComponent(keyfile.replace('5/24', '5/24\ndns=192.0.2.53'))}`,
            },
          },
        ],
      },
    });
    write('own.ign', own);
    await run('render', '--inventory', 'hosts.yaml', '--merge', 'own.ign', '-o', 'configs');
    await run('iso', 'ignition', 'embed', '-f', '-i', 'configs/a.ign', 'image.iso');
    const { code, stderr } = await run('iso', 'network', 'embed', '-k', 'eth0.nmconnection', 'image.iso');
    expect([code, stderr]).toEqual([0, expect.not.stringContaining(finding)]);
  });
});

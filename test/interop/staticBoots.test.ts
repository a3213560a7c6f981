/**
 * Hosts without DHCP boot what `prepare` and `serve` make of their inventory, on a network without any DHCP server. The
 * initramfs of each has the real NetworkManager, brings the network up, and fetches its root filesystem through a gateway.
 * Without the keyfiles of the host, the same boot has to fail. A boot takes some ten seconds, so only those who ask get them.
 */

import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { preparedFile } from '../support/preparedFile.ts';
import { runCli } from '../support/runCli.ts';
import {
  bootOnNetwork,
  type BootSource,
  type NetworkBoot,
  PEER_ADDRESS,
  startPeer,
} from './boot/staticNetwork.ts';
import { type ServeProcess, startServe } from './serve/startServe.js';
import { have, oracleNote } from '../support/programs.ts';
import * as bootIso from './boot/bootIso.js';
import { serveFolder } from './boot/folderServer.js';

interface Host {
  readonly name: string;
  readonly macs: readonly string[];
  /** The document of its network in nmstate's format. */
  readonly nmstate: object;
  /** What the init prints if the network is as the document says. */
  readonly expected: readonly string[];
  /** Why kernel arguments cannot describe the network; undefined if they can. */
  readonly refusal?: string;
}

const dns = { config: { server: ['192.0.2.53'] } };
const route = (gateway: string, device: string): object => ({
  config: [{ destination: '0.0.0.0/0', 'next-hop-address': gateway, 'next-hop-interface': device }],
});
const address = (ip: string): object => ({
  ipv4: { enabled: true, dhcp: false, address: [{ ip, 'prefix-length': 24 }] },
  ipv6: { enabled: false },
});
const card = (name: string, mac: string): object => ({
  name,
  type: 'ethernet',
  state: 'up',
  identifier: 'mac-address',
  'mac-address': mac,
});

const activeBackup = {
  name: 'bond0',
  type: 'bond',
  state: 'up',
  'link-aggregation': { mode: 'active-backup', options: { miimon: '100' }, port: ['port0', 'port1'] },
};

const hosts: readonly Host[] = [
  {
    name: 'static',
    macs: ['52:54:00:00:00:01'],
    nmstate: {
      interfaces: [{ ...card('port0', '52:54:00:00:00:01'), ...address('192.0.2.51') }],
      routes: route('192.0.2.1', 'port0'),
      'dns-resolver': dns,
    },
    expected: ['ADDRESS ens3 192.0.2.51/24', 'GATEWAY 192.0.2.1 ens3'],
  },
  {
    name: 'bond',
    macs: ['52:54:00:00:00:02', '52:54:00:00:00:03'],
    nmstate: {
      interfaces: [
        card('port0', '52:54:00:00:00:02'),
        card('port1', '52:54:00:00:00:03'),
        { ...activeBackup, ...address('192.0.2.52') },
      ],
      routes: route('192.0.2.1', 'bond0'),
      'dns-resolver': dns,
    },
    expected: ['ADDRESS bond0 192.0.2.52/24', 'BOND active-backup 1 ens3 ens4', 'GATEWAY 192.0.2.1 bond0'],
  },
  {
    name: 'vlan',
    macs: ['52:54:00:00:00:04'],
    nmstate: {
      interfaces: [
        card('port0', '52:54:00:00:00:04'),
        {
          name: 'vlan42',
          type: 'vlan',
          state: 'up',
          ...address('203.0.113.53'),
          vlan: { 'base-iface': 'port0', id: 42 },
        },
      ],
      routes: route('203.0.113.1', 'vlan42'),
      'dns-resolver': dns,
    },
    expected: ['ADDRESS vlan42 203.0.113.53/24', 'GATEWAY 203.0.113.1 vlan42', 'VLAN vlan42 42'],
    refusal: 'they cannot refer to the parent of a VLAN by its MAC address',
  },
  {
    name: 'vlan-on-bond',
    macs: ['52:54:00:00:00:05', '52:54:00:00:00:06'],
    nmstate: {
      interfaces: [
        card('port0', '52:54:00:00:00:05'),
        card('port1', '52:54:00:00:00:06'),
        activeBackup,
        {
          name: 'bond0.42',
          type: 'vlan',
          state: 'up',
          ...address('203.0.113.54'),
          vlan: { 'base-iface': 'bond0', id: 42 },
        },
      ],
      routes: route('203.0.113.1', 'bond0.42'),
      'dns-resolver': dns,
    },
    expected: [
      'ADDRESS bond0.42 203.0.113.54/24',
      'BOND active-backup 1 ens3 ens4',
      'GATEWAY 203.0.113.1 bond0.42',
      'VLAN bond0.42 42',
    ],
  },
];

const FOLDER_PORT = 8080;
const SERVE_PORT = 8081;
const folderUrl = `http://${PEER_ADDRESS}:${FOLDER_PORT}`;
const serveUrl = `http://${PEER_ADDRESS}:${SERVE_PORT}`;

/** Nothing listens there, as long as these are the only tests that run. */
const servePort = 26_387;

/** The full ISO does not fetch its root filesystem, so the test has its own argument. */
const inventory = {
  agent: {
    'ironic.apiUrls': 'https://192.0.2.1',
    'agent.image': 'registry.example.com/ironic-agent',
    'boot.kernelArguments': [
      'console=ttyS0',
      'quiet',
      'rd.net.timeout.dhcp=3',
      `test.url=${folderUrl}/hosts/unconfigured/config.ign`,
    ],
  },
  hosts: [
    ...hosts.map(({ macs, name, nmstate }) => ({ name, mac: macs[0], network: { nmstate } })),
    { name: 'unconfigured' },
  ],
};

const digest = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** What a machine with its network says, in the order of the alphabet. */
const whole = ({ expected }: Host, ...fetched: readonly string[]): string[] =>
  [...expected, 'DNS 192.0.2.53', ...fetched, 'END'].toSorted();

/** What a machine says whose interfaces wait for DHCP in vain. */
const unreachable = ({ macs }: Host): unknown[] => [
  ...macs.map((_mac, index) => `COMPLAINT device (ens${3 + index}): ${failedActivation}`),
  'END',
  expect.stringMatching(/^FAILED curl: /),
];
const failedActivation = "Activation: failed for connection 'Wired Connection'";

describe.skipIf(!have('boots without DHCP'))(
  `a host boots without DHCP${oracleNote('boots without DHCP')}`,
  { timeout: 360_000 },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'static-'));
    const path = (...names: string[]): string => join(folder, ...names);
    let server: { readonly port: number; readonly close: () => void } | undefined;
    let serve: ServeProcess | undefined;
    let peer: ChildProcess | undefined;

    beforeAll(async () => {
      for (const name of ['work', 'peer']) mkdirSync(path(name));
      bootIso.makePackedIso(path('live.iso'), path('work'), bootIso.staticSystem);
      bootIso.makeInitramfs(path('peer.img'), path('peer'), bootIso.peerSystem);
      writeFileSync(path('hosts.json'), JSON.stringify(inventory));
      const input = ['--inventory', 'hosts.json', '--iso', 'live.iso'];
      const artifacts = ['--artifacts', 'iso,minimal-iso,initramfs,archive,ign,ipxe'];
      await run('prepare', ...input, '--base-url', folderUrl, '-o', 'boot', ...artifacts);
      server = await serveFolder(path('boot'));
      const addresses = ['--listen', `127.0.0.1:${servePort}`, '--public-url', serveUrl];
      serve = await startServe([...input, ...addresses, '--open'], { cwd: folder });
      const relays = { [FOLDER_PORT]: server.port, [SERVE_PORT]: servePort };
      const files = { kernel: bootIso.kernelFile(), initramfs: path('peer.img') };
      peer = await startPeer(folder, files, relays);
    });

    afterAll(async () => {
      peer?.kill();
      serve?.signal('SIGTERM');
      server?.close();
      await serve?.ended;
      rmSync(folder, { recursive: true, force: true });
    });

    async function run(...args: string[]): Promise<void> {
      const { code, stderr } = await runCli(args, { cwd: folder });
      if (code !== 0) throw new Error(stderr);
    }

    /** From the boot script of a host: its kernel, its arguments, and an initramfs. */
    function networkBoot({ macs, name }: Host, initramfs: string): NetworkBoot {
      const script = readFileSync(path('boot', 'ipxe', `${name}.ipxe`), 'utf8');
      const [, kernel = '', args = ''] = /^kernel .*?(http:\S+) (.*) \|\|/m.exec(script) ?? [];
      const own = args.replace('${mac}', macs[0] ?? '').split(' ');
      return {
        kernel: path('boot', new URL(kernel).pathname),
        initramfs,
        args: own.filter((arg) => !arg.startsWith('initrd=')),
      };
    }

    /** The firmware loads the two files one behind the other. */
    function archiveBoot(host: Host): NetworkBoot {
      const script = readFileSync(path('boot', 'ipxe', `${host.name}.ipxe`), 'utf8');
      const files = [...script.matchAll(/^initrd .*(http:\S+)/gm)].map(([, url = '']) =>
        readFileSync(path('boot', new URL(url).pathname)),
      );
      expect(files).toHaveLength(2);
      writeFileSync(path('both.img'), Buffer.concat(files));
      return networkBoot(host, path('both.img'));
    }

    const hostFile = (name: string, file: string): string => preparedFile(path('boot'), name, file);
    /** The root filesystem, and the file that the full ISO fetches in its place. */
    function images(): { readonly rootfs: string; readonly config: string } {
      const [name = ''] = readdirSync(path('boot', 'images'));
      return {
        rootfs: path('boot', 'images', name, 'ironic-python-agent.rootfs'),
        config: hostFile('unconfigured', 'config.ign'),
      };
    }

    const staticKargs = ({ name }: Host, rootfsUrl: string): ReturnType<typeof runCli> => {
      const host = ['--inventory', 'hosts.json', '--host', name];
      return runCli(['pxe', 'kargs', '--static', '--embedded', '--rootfs-url', rootfsUrl, ...host], {
        cwd: folder,
      });
    };

    /** What a machine says of its network and of what it fetched; other lines are complaints. */
    async function bootHost({ macs }: Host, source: BootSource): Promise<readonly string[]> {
      const { lines, text } = await bootOnNetwork(folder, source, macs);
      onTestFailed(() => console.error(text));
      return lines.filter((line) => !/^(CMDLINE|CONNECTION) /.test(line)).toSorted();
    }

    async function withoutKeyfiles(iso: string): Promise<BootSource> {
      await run('iso', 'network', 'remove', '--overwrite', '-o', 'removed.iso', iso);
      return { iso: path('removed.iso') };
    }

    async function servedIso(name: string): Promise<BootSource> {
      const url = serve?.url(name, 'minimal-iso').replace(serveUrl, `http://127.0.0.1:${servePort}`) ?? '';
      writeFileSync(path('served.iso'), new Uint8Array(await (await fetch(url)).arrayBuffer()));
      return { iso: path('served.iso') };
    }

    async function kargsBoot(host: Host): Promise<BootSource> {
      const url = `${folderUrl}${images().rootfs.slice(path('boot').length)}`;
      const { stdout } = await staticKargs(host, url);
      return {
        ...networkBoot(host, hostFile('unconfigured', 'initramfs.img')),
        args: stdout.trim().split(' '),
      };
    }

    describe.each(hosts)('$name', (host) => {
      const { name, refusal } = host;

      it.each<readonly [title: string, source: () => BootSource | Promise<BootSource>]>([
        ['the minimal ISO of prepare', () => ({ iso: hostFile(name, 'minimal.iso') })],
        ['the initramfs of prepare', () => networkBoot(host, hostFile(name, 'initramfs.img'))],
        ['the archive of prepare behind the initramfs', () => archiveBoot(host)],
        ['the minimal ISO of serve', () => servedIso(name)],
      ])('fetches its root filesystem from %s', async (_title, source) => {
        const found = await bootHost(host, await source());
        expect(found).toEqual(whole(host, `FETCHED ${digest(images().rootfs)}`));
      });

      it('reads its root filesystem from the full ISO, and fetches a file', async () => {
        const { config, rootfs } = images();
        const found = await bootHost(host, { iso: hostFile(name, 'live.iso') });
        expect(found).toEqual(whole(host, `MEDIUM ${digest(rootfs)}`, `FETCHED ${digest(config)}`));
      });

      const refused = refusal === undefined ? '' : ` (skipped: ${refusal})`;
      it.skipIf(refusal !== undefined)(
        `fetches it with the arguments of pxe kargs --static${refused}`,
        async () => {
          const found = await bootHost(host, await kargsBoot(host));
          expect(found).toEqual(whole(host, `FETCHED ${digest(images().rootfs)}`));
        },
      );

      it('has no network without its keyfiles: minimal ISO', async () => {
        const found = await bootHost(host, await withoutKeyfiles(hostFile(name, 'minimal.iso')));
        expect(found).toEqual(unreachable(host));
      });

      it('has no network without its keyfiles: initramfs', async () => {
        const found = await bootHost(host, networkBoot(host, hostFile('unconfigured', 'initramfs.img')));
        expect(found).toEqual(unreachable(host));
      });

      it('has no network without its keyfiles: full ISO', async () => {
        const found = await bootHost(host, await withoutKeyfiles(hostFile(name, 'live.iso')));
        expect(found).toEqual([...unreachable(host), `MEDIUM ${digest(images().rootfs)}`]);
      });
    });
  },
);

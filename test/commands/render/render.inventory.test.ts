/** `render --inventory`: settings from a file, and one config for each host. */

import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeDataUrl } from '../../../src/formats/dataUrl.ts';
import type { Config } from '../../../src/ignition/config.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';

const key =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9zIsVJMfhacIuKONUMGEmrH10rGh7UkLGfneQkUQH0 ipa-test@example';

let folder: string;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'render inventory '));
  await mkdir(join(folder, 'site'));
  await writeFile(join(folder, 'site/core.pub'), `${key}\n`);
  await writeFile(join(folder, 'site/auth.json'), '{"auths":{"quay.io":{"auth":"aHVudGVyMjp4"}}}');
  await writeFile(join(folder, 'site/eth1.nmconnection'), '[connection]\nid=eth1\ntype=ethernet\n');
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

interface Run extends RunResult {
  readonly written: readonly string[];
  readonly config: (host: string) => Promise<Config>;
  readonly output: string;
}

const shared = 'agent:\n  ironic.apiUrls: https://192.0.2.1\n  host.sshKeys: [core.pub]\n';

async function render(text: string, args: readonly string[] = [], env = {}): Promise<Run> {
  const output = `out-${(count += 1)}`;
  await writeFile(join(folder, 'site/ramdisk.yaml'), text);
  const result = await runCli(
    [
      'render',
      '--inventory',
      'site/ramdisk.yaml',
      ...(args.includes('--show-settings') ? [] : ['-o', output]),
      ...args,
    ],
    {
      cwd: folder,
      env,
    },
  );
  const written = (await readdir(join(folder, output)).catch(() => [])).toSorted((a, b) => (a < b ? -1 : 1));
  const config = async (host: string): Promise<Config> =>
    JSON.parse(await readFile(join(folder, output, `${host}.ign`), 'utf8'));
  return { ...result, written, config, output };
}

function fileOf(config: Config | undefined, path: string): string | undefined {
  const source = config?.storage?.files?.find((file) => file.path === path)?.contents?.source;
  if (typeof source !== 'string') return undefined;
  return Buffer.from(decodeDataUrl(source)).toString();
}

const staticHost = (name: string, address: string, more = ''): string =>
  `- name: ${name}\n${more}  network:\n    nmstate: {interfaces: [{name: eth0, type: ethernet, state: up, ` +
  `ipv4: {enabled: true, dhcp: false, address: [{ip: ${address}, prefix-length: 24}]}}], dns-resolver: {config: {server: [192.0.2.53]}}}\n`;

describe('render --inventory', () => {
  it('writes one config per host, with what is different', async () => {
    const hosts = `hosts:
- name: worker-0
  mac: 52-54-00-12-34-56
  architecture: aarch64
  network:
    nmstate:
      interfaces:
      - {name: eth0, type: ethernet, state: up, ipv4: {enabled: true, dhcp: true}}
- name: worker-1
  network: {keyfiles: [eth1.nmconnection]}
  overrides: {agent.pullSecret: auth.json, agent.debug: true}
- name: worker-2
  network:
    keyfiles:
      eth2.nmconnection: "[connection]\\nid=eth2\\ntype=ethernet\\n"
  overrides: {host.hostname: other.example.com}
- name: worker-3
  network:
    networkData:
      links: [{id: eth3, type: phy, ethernet_mac_address: "52:54:00:12:34:03"}]
      networks: [{id: n, link: eth3, type: ipv4, ip_address: 192.0.2.3/24}]
      services: [{type: dns, address: 192.0.2.53}]
`;
    const { code, stderr, written, config, output } = await render(shared + hosts);
    expect(stderr).toBe(`${output}: 4 written, 0 unchanged, 0 invalid\n`);
    expect(code).toBe(0);
    expect(written).toEqual(['worker-0.ign', 'worker-1.ign', 'worker-2.ign', 'worker-3.ign']);
    const folderOfKeyfiles = '/etc/NetworkManager/system-connections';
    const hostname = '/etc/NetworkManager/dispatcher.d/01-hostname';
    const configs = await Promise.all(['worker-0', 'worker-1', 'worker-2', 'worker-3'].map(config));
    const paths = configs.map((one) => one.storage?.files?.map(({ path }) => path));
    expect(paths[0]).toContain(`${folderOfKeyfiles}/eth0.nmconnection`);
    expect(paths[1]).toContain(`${folderOfKeyfiles}/eth1.nmconnection`);
    expect(paths[2]).toContain(`${folderOfKeyfiles}/eth2.nmconnection`);
    expect(paths[3]).toContain(`${folderOfKeyfiles}/eth3.nmconnection`);
    expect(configs.map((one) => JSON.stringify(one).includes(key))).toEqual([true, true, true, true]);
    expect(fileOf(configs[0], hostname)).toContain('worker-0');
    expect(fileOf(configs[2], hostname)).toContain('other.example.com');
    const modes = await Promise.all(written.map((name) => stat(join(folder, output, name))));
    expect((modes[1]?.mode ?? 0) & 0o777).toBe(0o600);
  });

  it('equals what the flags give', async () => {
    const { config } = await render(`${shared}hosts: [{name: a}]\n`);
    const args = [
      'render',
      '--api-url',
      'https://192.0.2.1',
      '--ssh-key',
      'site/core.pub',
      '--hostname',
      'a',
    ];
    const { stdout } = await runCli(args, { cwd: folder, env: {} });
    expect(await config('a')).toEqual(JSON.parse(stdout));
  });

  it('leaves alone what would stay the same', async () => {
    const text = `${shared}hosts: [{name: a}, {name: b}]\n`;
    const { output } = await render(text);
    const [a, b] = [join(folder, output, 'a.ign'), join(folder, output, 'b.ign')];
    await utimes(a, 1000, 1000);
    await writeFile(b, 'other');
    const again = await runCli(['render', '--inventory', 'site/ramdisk.yaml', '-o', output], {
      cwd: folder,
      env: {},
    });
    expect(again.stderr).toBe(`${output}: 1 written, 1 unchanged, 0 invalid\n`);
    expect((await stat(a)).mtimeMs).toBe(1_000_000);
    expect(await readFile(b, 'utf8')).not.toBe('other');
  });

  it.each([
    ['name', '{name: "../b"}', '"../b" is not a valid host name'],
    [
      'MAC address',
      '{name: b, mac: "01:00:5e:00:00:01"}',
      '5:18: "01:00:5e:00:00:01" is not a valid MAC address',
    ],
    ['key', '{name: b, overides: {}}', 'use "overrides"'],
    ['setting', '{name: b, overrides: {agent.imgae: x}}', 'use "agent.image"'],
    ['flag', '{name: b, overrides: {ca-fle: x}}', 'use "ironic.caFiles"'],
    ['option outside', '{name: b, ssh-key: x}', 'write settings below "overrides"'],
    ['agent', '{name: b, agent: {host.hostname: x}}', 'write settings below "overrides"'],
    ['setting outside', '{name: b, host.hostname: x}', 'write settings below "overrides"'],
    ['nested', '{name: b, host: {hostname: x}}', 'write settings below "overrides"'],
    ['nmstate', '{name: b, network: {routes: {}}}', 'indent the description of the network below "nmstate:"'],
    [
      'network data',
      '{name: b, network: {links: []}}',
      'indent the description of the network below "networkData:"',
    ],
    ['nested override', '{name: b, overrides: {host: {hostnam: x}}}', 'use "host.hostname"\n'],
    ['missing name', '{mac: "52:54:00:12:34:56"}', '"name" is missing\nhint: add "name: …"\n'],
    ['architecture', '{name: b, architecture: arm}', 'use one of x86_64, aarch64, ppc64le, s390x'],
    [
      'type',
      '{name: b, overrides: {agent.debug: "x"}}',
      '"agent.debug" must be true or false or null\nhint: write true or false without quotes\n',
    ],
    ['text for a mapping', '{name: b, network: x}', '"network" must be a mapping\nhint: write each entry as'],
    ['mapping for a text', '{name: b, mac: {a: b}}', '"mac" must be'],
    [
      'value',
      '{name: b, overrides: {host.hostname: a_b}}',
      'ramdisk.yaml:5:40: host.hostname is not a valid host name',
    ],
    ['file', '{name: b, overrides: {agent.pullSecret: no.json}}', 'not found: site/no.json'],
    [
      'network twice',
      '{name: b, network: {}, overrides: {host.nmstate: x}}',
      'cannot be combined with "network"',
    ],
    [
      'nmstate',
      '{name: b, network: {nmstate: {interfaces: [{name: e, type: vxlan}]}}}',
      'error: b is not written (site/ramdisk.yaml:5): site/ramdisk.yaml:5:',
    ],
    [
      'network data',
      '{name: b, network: {networkData: {links: [{id: a, type: bond}]}}}',
      '"bond_links" is missing',
    ],
    [
      'network in two formats',
      '{name: b, network: {nmstate: {}, networkData: {}}}',
      'ramdisk.yaml:5:49: host.networkData cannot be combined with site/ramdisk.yaml:5:32: host.nmstate',
    ],
    [
      'network in two places',
      '{name: b, overrides: {host.nmstate: x, host.networkData: y}}',
      'host.networkData cannot be combined with site/ramdisk.yaml',
    ],
    [
      'network data twice',
      '{name: b, network: {}, overrides: {host.networkData: x}}',
      'host.networkData cannot be combined with "network"',
    ],
    ['keyfile', '{name: b, network: {keyfiles: {"../x": "[connection]"}}}', 'is not a valid keyfile name'],
    ['no mapping', '7', 'must be a mapping'],
    [
      'host name beside the name',
      '{name: b, hostname: c}',
      'unknown key "hostname"\nhint: write settings below "overrides"\n',
    ],
    [
      'content in place of a file',
      '{name: b, overrides: {agent.pullSecret: {auths: {}}}}',
      '"agent.pullSecret" must be a text or null\nhint: write the value to a file, and set its path: "agent.pullSecret: FILE"\n',
    ],
  ])('reports a wrong %s with host and line, and writes the others', async (_title, host, message) => {
    const { code, stderr, written } = await render(`${shared}hosts:\n- ${host}\n- name: c\n`);
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/error: (?:b|nul|host 1|\.\.\/b) is not written \(site\/ramdisk\.yaml:5\)/);
    expect(code).toBe(1);
    expect(written).toEqual(['c.ign']);
  });

  it.each([
    ['names', '- name: a\n- name: A\n- name: c\n', '5:9', '2 hosts have the same name: lines 5, 6'],
    [
      'MAC addresses',
      '- {name: a, mac: "52:54:00:00:00:01"}\n- {name: b, mac: 52-54-00-00-00-01}\n- name: c\n',
      '5:18',
      '2 hosts have the same MAC address: lines 5, 6',
    ],
  ])('refuses both of two equal %s, and says so once', async (_title, hosts, place, message) => {
    const { code, stderr, written } = await render(`${shared}hosts:\n${hosts}`);
    expect(stderr).toMatch(new RegExp(`^error: 2 hosts are not written: ${message}\n.*:${place}: a, [Ab]\n`));
    expect(stderr.match(/have the same/g)).toHaveLength(1);
    expect([code, written]).toEqual([1, ['c.ign']]);
  });

  it('refuses both of two hosts with the same name in the same case, and says so once', async () => {
    const { code, stderr, written } = await render(`${shared}hosts:\n- name: a\n- name: a\n- name: c\n`);
    expect(stderr).toContain('error: a is not written (site/ramdisk.yaml:5): ');
    expect(stderr.match(/have the same/g)).toHaveLength(1);
    expect([code, written]).toEqual([1, ['c.ign']]);
  });

  it('needs a folder for several hosts, and not standard output', async () => {
    await render(`${shared}hosts:\n- name: a\n`);
    const args = ['render', '--inventory', 'site/ramdisk.yaml', '-o', '-'];
    const { code, stderr } = await runCli(args, { cwd: folder });
    expect([code, stderr]).toEqual([2, expect.stringContaining('an inventory with hosts requires --output')]);
  });

  it.each([
    ['is not described right', '_', [], 'hosts: 0 written, 0 unchanged, 1 invalid; stopped (--fail-fast)'],
    ['names a file that is missing', 'b, overrides: {agent.pullSecret: no}', ['a.ign'], '1 written'],
    [
      'has a value that is wrong',
      'b, overrides: {host.hostname: "a b"}',
      ['a.ign'],
      '1 invalid; stopped (--fail-fast)',
    ],
  ])('stops with --fail-fast at a host that %s; what is written stays', async (_title, host, files, end) => {
    const hosts = `hosts: [{name: a}, {name: ${host}}, {name: c}]\n`;
    const { code, stderr, written, config } = await render(shared + hosts, ['--fail-fast']);
    expect([code, written]).toEqual([1, files]);
    expect(stderr).toContain(end.replace('hosts', `out-${count}`));
    for (const file of files) expect(await config(file.replace('.ign', ''))).toHaveProperty('ignition');
  });

  it.each([
    [
      'file',
      'ironic.caFiles: [no.pem]',
      'CA certificates (ironic.caFiles) not found: site/no.pem\n  --> site/ramdisk.yaml:4:20: a, b, c, d, e, f\n',
    ],
    ['option', 'agent.options: ["api_url = x"]', '\n  --> site/ramdisk.yaml:4:19: a, b, c, d, e, f\n'],
    [
      'value',
      'agent.pullPolicy: always\n  host.consoles: ["/"]',
      'host.consoles is not a console\n  --> site/ramdisk.yaml:5:19: a, b, c, d, e, f\n',
    ],
  ])('tells a wrong %s of all hosts once', async (_title, setting, message) => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const hosts = names.map((name) => `- name: ${name}\n`).join('');
    const { code, stderr, written } = await render(`${shared}  ${setting}\nhosts:\n${hosts}`);
    expect(stderr.split(message)).toHaveLength(2);
    expect(stderr).toMatch(/^error: 6 hosts are not written: /);
    expect(stderr).toContain('0 written, 0 unchanged, 6 invalid\n');
    expect([code, written]).toEqual([1, []]);
  });

  it.each([
    ['ironic.apiUrls', 'https://192.0.2.1', 'https://[2001:db8::1]', 'x y'],
    ['ironic.inspectionCallbackUrls', 'https://192.0.2.1/v1', 'https://192.0.2.2/v1', 'ftp://x'],
    ['ironic.inspectorUrls', 'https://192.0.2.1', 'https://192.0.2.2', ''],
    ['agent.vlanInterfaces', 'eno1', 'eno2.100', 'a/b'],
    ['proxy.none', 'localhost', '.example.com', 'a b'],
  ])('takes %s as a list, or as one text', async (name, one, other, wrong) => {
    const line = name === 'ironic.apiUrls' ? 5 : 6;
    const base = name === 'ironic.apiUrls' ? 'agent:\n  agent.debug: true\n' : shared;
    const proxy = name === 'proxy.none' ? '  proxy.http: http://192.0.2.9:3128\n' : '';
    const list = `${base}  ${name}:\n  - ${one}\n  - "${other}"\n${proxy}hosts: [{name: a}]\n`;
    const text = `${base}  ${name}: "${one},${other}"\n${proxy}hosts: [{name: a}]\n`;
    const asList = await render(list);
    expect(asList.stderr).toMatch(/^out-\d+: 1 written/m);
    expect(await asList.config('a')).toEqual(await (await render(text)).config('a'));
    const { code, stderr } = await render(list.replace(`"${other}"`, `"${wrong}"`));
    expect(stderr).toContain(`: site/ramdisk.yaml:${line}:5: ${name}`);
    expect(code).toBe(1);
  });

  it('knows a wrong combination of items of a list', async () => {
    const urls = 'agent:\n  ironic.apiUrls: [mdns, https://192.0.2.1]\nhosts: [{name: a}]\n';
    expect((await render(urls)).stderr).toContain('2:20: ironic.apiUrls: "mdns" is combined with URLs');
  });

  it.each([
    ['an unknown key', 'agnet: {}\n', 'ramdisk.yaml:1:8: unknown key "agnet"'],
    ['nested settings outside', 'proxy: {http: x}\n', 'write settings below "agent"'],
    ['a section of what is not known', 'agent: {proxy: {url: x}}\n', 'unknown key "proxy.url"'],
    ['a setting outside', 'ironic.apiUrls: x\n', 'write settings below "agent"'],
    ['a setting without its section', 'apiUrls: x\n', 'write settings below "agent"'],
    ['an unknown key of deploy', 'deploy: {x: 1}\n', 'use one of bmcAddress, '],
    ['a key of deploy with a similar name', 'deploy: {iso: x}\n', 'hint: use "deployIso"\n'],
    ['a longer name of a key', 'hosts: [{name: a, macAddress: x}]\n', 'hint: use "mac"\n'],
    [
      'a network in place of its file',
      'hosts: [{name: a, overrides: {host.nmstate: {interfaces: []}}}]\n',
      'hint: write the value to a file, and set its path: "host.nmstate: FILE"\n',
    ],
    ['an unknown setting', 'agent: {ironic.apiUris: x}\n', 'use "ironic.apiUrls"'],
    ['a text', 'x\n', 'must be a mapping'],
    ['bad YAML', 'agent: [\n', 'site/ramdisk.yaml:2:1: Invalid YAML'],
    [
      'a setting twice',
      'agent: {ironic.apiUrls: x,\n ironic: {api-url: y}}\n',
      '2:20: ironic.apiUrls is set twice: lines 1 and 2',
    ],
    ['a contradiction', 'agent: {agent.standalone: true, ironic.apiUrls: x}\n', 'cannot be combined with'],
  ])('refuses a file with %s', async (_title, text, message) => {
    const { code, stderr, written } = await render(text);
    expect(stderr).toContain(message);
    expect(code).toBeGreaterThan(0);
    expect(written).toEqual([]);
  });

  it.each([
    ['the place', 'agent:\n  agent.debug: true\n hosts:\n', ' 3 |  hosts:\n   |  ^\n'],
    ['no password', 'agent:\n  host.passwordHash: "hunter2" x\n', 'host.passwordHash: ********* *'],
    ['no text without a key', 'hosts: [\n hunter2 }\n', ' 2 |  ******* *\n'],
    ['no password in a URL', 'a: {b: http://u:hunter2@x ]\n', 'a: *** ****************** *'],
  ])('shows the line of bad YAML: %s', async (_title, text, frame) => {
    const { code, stderr } = await render(text);
    expect(stderr).toContain(frame);
    expect(stderr).toMatch(
      /^error: site\/ramdisk\.yaml:\d+:\d+: Invalid YAML: .*\n +\|\n \d+ \|.*\n +\| +\^\nhint: /,
    );
    expect(stderr).not.toContain('hunter2');
    expect(code).toBe(1);
  });

  it.each([
    ['flag', ['--api-url', 'https://192.0.2.3'], { IRONIC_BASE_URL: 'https://192.0.2.2' }, '192.0.2.3'],
    ['environment', [], { IRONIC_BASE_URL: 'https://192.0.2.2' }, '192.0.2.2'],
    ['file', [], {}, '192.0.2.1'],
  ])('lets the %s win', async (origin, args, env, address) => {
    const { stdout } = await render(shared, ['--show-settings', ...args], env);
    const place = { flag: '--api-url', environment: 'IRONIC_BASE_URL', file: 'site/ramdisk.yaml:2:19' }[
      origin
    ];
    expect(stdout).toMatch(new RegExp(`^ironic\\.apiUrls +https://${address} +${place}$`, 'm'));
  });

  it('renders one config where no hosts are listed', async () => {
    const { code, output } = await render(shared);
    expect(code).toBe(0);
    expect((await stat(join(folder, output))).isFile()).toBe(true);
  });

  it('warns of an address that another host has, unless it is ignored', async () => {
    const { code, stderr, written } = await render(
      `${shared}hosts:\n${staticHost('a', '192.0.2.7')}${staticHost('b', '192.0.2.7')}${staticHost('c', '192.0.2.8')}` +
        `${staticHost('d', '169.254.0.7')}${staticHost('e', '169.254.0.7')}` +
        staticHost('f', '192.0.2.8', '  ignore: [agent-network, agent-network-reach]\n'),
    );
    expect(stderr).toMatch(
      /^warning: a has the same address 192\.0\.2\.7 \(agent-network\)\n {2}for b\nhint: set a unique address for each host\n/m,
    );
    expect(stderr).not.toContain('192.0.2.8');
    expect(stderr).not.toContain('169.254');
    expect([code, written.length]).toEqual([0, 6]);
  });

  it('warns of a MAC address that another host has, in each format of its network', async () => {
    const networks: Readonly<Record<string, string>> = {
      a: '{nmstate: {interfaces: [{name: nic, type: ethernet, state: up, identifier: mac-address, mac-address: "52:54:00:00:00:0a"}]}}',
      b: '{keyfiles: {nic.nmconnection: "[connection]\\ntype=ethernet\\n[ethernet]\\nmac-address=52-54-00-00-00-0A\\n"}}',
      c: '{networkData: {links: [{id: nic, type: phy, ethernet_mac_address: "52:54:00:00:00:0a"}], networks: [{id: n, link: nic, type: ipv4_dhcp}]}}',
    };
    const hosts = Object.entries(networks).map(
      ([name, network]) => `- name: ${name}\n  network: ${network}\n`,
    );
    const { code, stderr, written } = await render(
      `${shared}hosts:\n${hosts.join('')}- {name: d, mac: "52:54:00:00:00:0A"}\n- {name: e, mac: "52:54:00:00:00:0B"}\n`,
    );
    expect(stderr).toMatch(
      /^warning: 3 hosts: a has the same MAC address 52:54:00:00:00:0A \(agent-network\)\n {2}for b, c, d\nhint: set a unique MAC address for each host\n/m,
    );
    expect(stderr).not.toContain('0B');
    expect([code, written.length]).toEqual([0, 5]);
  });

  it('renders one of its hosts for --host', async () => {
    const hosts = 'hosts:\n- name: worker-0\n- name: worker-1\n';
    const { code, written } = await render(`${shared}${hosts}`, ['--host', 'worker-1']);
    expect([code, written]).toEqual([0, ['worker-1.ign']]);
    const mistyped = await render(`${shared}${hosts}`, ['--host', 'worker-2']);
    expect(mistyped.code).toBe(2);
    expect(mistyped.stderr).toContain('has no host "worker-2"\nhint: use worker-0 or worker-1\n');
  });

  it('reports mistakes in the order of the document', async () => {
    const { stderr } = await render(
      'agent:\n  ironic.insecure: "yes"\n  agent.debug: "no"\n  host.ntpServers: 1\n  agent.options: 2\n',
    );
    expect(stderr.match(/(?<=yaml:)\d+(?=:)/g)).toEqual(['2', '3', '4', '5']);
  });

  it('names the setting of a key that is missing', async () => {
    const { stderr } = await render(
      `agent: {ironic.apiUrls: https://192.0.2.1, host.sshKeys: [no.pub]}\nhosts: [{name: a}]\n`,
    );
    expect(stderr).toContain('SSH public key (host.sshKeys) not found: site/no.pub');
  });

  it('explains a path that only a shell expands', async () => {
    const { code, stderr } = await render(`${shared}  agent.pullSecret: ~/auth.json\n`);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'error: site/ramdisk.yaml:4:21: agent.pullSecret: "~" is not expanded in ~/auth.json\nhint: write the full path, such as /root/auth.json',
    );
  });

  it.each([
    ['agent.confFile', '[DEFAULT]\n    password = hunter2'],
    ['host.nmstate', 'interfaces:\n    - {name: eno1, 802.1x: {private-key-password: hunter2}}'],
    ['ignition.merge', '{\n    "passwordHash": "hunter2"}'],
  ])('does not show the content of a file in place of the path of %s', async (name, content) => {
    const { code, stderr } = await render(`${shared}  ${name}: |\n    ${content}\n`);
    expect(code).toBe(1);
    expect(stderr).not.toContain('hunter2');
    expect(stderr).toContain(
      `error: site/ramdisk.yaml:4:3: ${name} requires the path of a file, without line breaks and control characters\nhint: write content to a file, and set its path; `,
    );
  });
});

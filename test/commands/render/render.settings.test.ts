/** The settings of `render` beyond the address of Ironic: what each makes of the config, and where it may come from. */

import { copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeDataUrl } from '../../../src/formats/dataUrl.ts';
import type { Config } from '../../../src/ignition/config.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';

const key =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9zIsVJMfhacIuKONUMGEmrH10rGh7UkLGfneQkUQH0 ipa-test@example';
const otherKey = key.replace('ipa-test@example', 'other');
const hash =
  '$6$CNAouiRbBHWXbxpk$7kVpvjzuSg/GpFxb9DaNUAQWghqZI.EtnyG7ZXmLo4PhXZBnrzak09s5JGSAw6oN0S4jtZQI6Yr9jPoA7wOo81';
const connection = '[connection]\nid=wifi\ntype=wifi\n\n[wifi-security]\npsk=hunter2\n\n[wifi]\nssid=x\n';
const entryPoints = '[ironic_python_agent.hardware_managers]\nburnin = burnin:Manager\n';

const files: Readonly<Record<string, string>> = {
  'eyecatcher.json': '{"auths":{"quay.io":{"auth":"aHVudGVyMjp4"}}}',
  'auth.json': '{"auths":{"quay.io":{"auth":"aHVudGVyMjp4"}}}',
  'registries.conf': '[[registry]]\nlocation = "quay.io"\n',
  'state.yaml':
    'interfaces:\n- name: eth1\n  type: ethernet\n  state: up\n  ipv4: {enabled: true, dhcp: true}\n',
  'network_data.json':
    '{"links": [{"id": "nic1", "type": "phy", "ethernet_mac_address": "52:54:00:12:34:56"}],\n' +
    ' "networks": [{"id": "n", "link": "nic1", "type": "ipv4_dhcp"}]}\n',
  'bad-data.json': '{"links": [{"id": "nic1", "type": "phy"}]}\n',
  'empty-state.yaml': '{}\n',
  'bad-state.yaml': 'interfaces:\n- name: eth1\n  type: [\n',
  'wifi.nmconnection': connection,
  'eth0.backup': connection,
  'no.nmconnection': '[wifi]\nssid=x\n',
  hash: `${hash}\n`,
  password: 'hunter2\n',
  md5: '$1$abcdefgh$0123456789012345678901\n',
  'burn-in.service': '[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n',
  'ironic-agent.service': '[Service]\nExecStart=/bin/true\n',
  'note.txt': 'Do not touch.\n',
  'managers/burnin.py': 'class Manager: pass\n',
  'managers/burnin-1.0.dist-info/entry_points.txt': entryPoints,
  'managers/__pycache__/burnin.pyc': 'x',
  'no-entry/burnin.py': 'x = 1\n',
  'user.ign': JSON.stringify({
    ignition: { version: '3.4.0' },
    passwd: { users: [{ name: 'core', sshAuthorizedKeys: [otherKey] }] },
    storage: { files: [{ path: '/etc/new', contents: { source: 'data:,x' } }] },
    systemd: {
      units: [
        {
          name: 'ironic-agent.service',
          dropins: [{ name: 'a.conf', contents: '[Service]\nRestartSec=9\n' }],
        },
      ],
    },
  }),
  'conflict.ign': JSON.stringify({
    ignition: { version: '3.0.0' },
    storage: {
      files: [{ path: '/etc/ironic-python-agent.conf', contents: { source: 'data:,%5BDEFAULT%5D%0A' } }],
    },
    systemd: { units: [{ name: 'ironic-agent.service', enabled: false }] },
  }),
  'invalid.ign': JSON.stringify({ ignition: { version: '3.0.0' }, storage: { files: [{ path: 'x' }] } }),
};

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'render settings '));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(resolve(cwd, name, '..'), { recursive: true });
    await writeFile(join(cwd, name), text);
  }
  const certificate = resolve(import.meta.dirname, '../../support/certificates/test-ca.pem');
  await copyFile(certificate, join(cwd, 'ca.pem'));
});
afterAll(async () => {
  await rm(cwd, { recursive: true });
});

type Environment = Readonly<Record<string, string | undefined>>;

const run = (args: readonly string[], env: Environment = {}): Promise<RunResult> =>
  runCli(['render', ...args], { cwd, env });
const renderDefault = (...args: readonly string[]): Promise<RunResult> =>
  run(['--api-url', 'https://192.0.2.1:6385', '--ssh-key', key, ...args]);

const parseConfig = ({ stdout }: RunResult): Config => JSON.parse(stdout);

function contentsOf(config: Config, path: string): string {
  const source = config.storage?.files?.find((file) => file.path === path)?.contents?.source;
  return source === undefined ? '' : Buffer.from(decodeDataUrl(source)).toString();
}

const confOf = (config: Config): string => contentsOf(config, '/etc/ironic-python-agent.conf');
const modeOf = (config: Config, path: string): unknown =>
  config.storage?.files?.find((file) => file.path === path)?.mode;
const unitOf = (config: Config, name = 'ironic-agent.service'): string => {
  const unit = config.systemd?.units?.find((candidate) => candidate.name === name);
  return [unit?.contents ?? '', ...(unit?.dropins ?? []).map(({ contents = '' }) => contents)].join('');
};

const managers = '/var/lib/ironic-python-agent/hardware-managers/managers';

describe('render: settings', () => {
  it.each<[string, readonly string[], (config: Config) => unknown, unknown]>([
    ['standalone', ['--standalone'], confOf, '[DEFAULT]\ninsecure = False\n'],
    [
      'standalone, without verification',
      ['--standalone', '--insecure'],
      confOf,
      '[DEFAULT]\ninsecure = True\n',
    ],
    [
      'debug, in the conf',
      ['--debug'],
      confOf,
      expect.stringContaining('\ndebug = True\nuse_stderr = True\n'),
    ],
    ['debug, in the unit', ['--debug'], unitOf, expect.stringContaining(' --log-driver=journald ')],
    [
      'ironic-inspector by its address',
      ['--inspector-url', 'https://192.0.2.2,https://[2001:db8::2]/'],
      confOf,
      expect.stringContaining(
        '\ninspection_callback_url = https://192.0.2.2:5050/v1/continue,https://[2001:db8::2]:5050/v1/continue\n',
      ),
    ],
    ['VLANs always', ['--vlan-interfaces', 'Always'], confOf, expect.stringContaining('_interfaces = all\n')],
    ['VLANs never', ['--vlan-interfaces', 'never'], confOf, expect.stringContaining('_interfaces =\n')],
    [
      'VLANs of interfaces',
      ['--vlan-interfaces', 'eno1, eno2.100'],
      confOf,
      expect.stringContaining('= eno1,eno2.100\n'),
    ],
    [
      'VLANs by themselves',
      ['--vlan-interfaces', 'auto'],
      confOf,
      expect.stringContaining('_interfaces = all\n'),
    ],
    [
      'VLANs by themselves, with a network',
      ['--vlan-interfaces', 'auto', '--nmstate', 'state.yaml'],
      confOf,
      expect.stringContaining('_interfaces =\n'),
    ],
    [
      'pull policy missing',
      ['--pull-policy', 'missing', '--insecure-registry'],
      unitOf,
      expect.stringMatching(/^(?![^]*podman pull)[^]*--pull=missing [^]*--tls-verify=false /),
    ],
    [
      'pull policy never',
      ['--pull-policy', 'never'],
      unitOf,
      expect.stringMatching(/^(?![^]*podman pull)[^]*--pull=never /),
    ],
    [
      'flags for pulling',
      ['--podman-pull-arg', '--retry=5'],
      unitOf,
      expect.stringContaining('ExecStartPre=/bin/podman pull --retry=5 quay.io/'),
    ],
    [
      'arguments of podman',
      ['--podman-arg', '--mount=type=tmpfs,dst=/a b', '--podman-arg', '--env=A="%n" $B'],
      unitOf,
      expect.stringContaining(
        '--uts=host \\\n    "--mount=type=tmpfs,dst=/a b" \\\n    "--env=A=\\"%%n\\" $$B" \\\n    --name ironic-agent quay.io',
      ),
    ],
    [
      'mirrors',
      ['--registries-conf', 'registries.conf'],
      (config) => contentsOf(config, '/etc/containers/registries.conf'),
      files['registries.conf'],
    ],
    [
      'hardware managers, as files',
      ['--hardware-manager', 'managers'],
      (config) => config.storage?.files?.map(({ path }) => path).filter((path) => path?.startsWith(managers)),
      [`${managers}/burnin-1.0.dist-info/entry_points.txt`, `${managers}/burnin.py`],
    ],
    [
      'hardware managers, in the container',
      ['--hardware-manager', './managers/'],
      unitOf,
      expect.stringContaining(
        '--env PYTHONPATH=/usr/local/lib/ironic-python-agent/hardware-managers/managers ',
      ),
    ],
    [
      'a connection from nmstate',
      ['--nmstate', 'state.yaml'],
      (config) => modeOf(config, '/etc/NetworkManager/system-connections/eth1.nmconnection'),
      0o600,
    ],
    [
      'a connection from network data',
      ['--network-data', 'network_data.json'],
      (config) => contentsOf(config, '/etc/NetworkManager/system-connections/nic1.nmconnection'),
      expect.stringContaining('\n[ethernet]\nmac-address=52:54:00:12:34:56\n'),
    ],
    [
      'a connection',
      ['--keyfile', 'wifi.nmconnection'],
      (config) => contentsOf(config, '/etc/NetworkManager/system-connections/wifi.nmconnection'),
      connection,
    ],
    [
      'the network for the installed system',
      ['--keyfile', 'wifi.nmconnection'],
      unitOf,
      expect.stringContaining('--env IPA_COREOS_COPY_NETWORK=true '),
    ],
    [
      'no network for the installed system',
      ['--keyfile', 'wifi.nmconnection', '--no-copy-network'],
      unitOf,
      expect.stringContaining('--env IPA_COREOS_COPY_NETWORK=false '),
    ],
    [
      'a network that comes from elsewhere',
      ['--copy-network'],
      unitOf,
      expect.stringContaining('--env IPA_COREOS_COPY_NETWORK=true '),
    ],
    [
      'IP options',
      ['--install-ip-options', 'ip=dhcp6'],
      unitOf,
      expect.stringContaining('--env IPA_COREOS_IP_OPTIONS=ip=dhcp6 '),
    ],
    ['a password', ['--password-hash', 'hash'], (config) => config.passwd?.users?.[0]?.passwordHash, hash],
    [
      'autologin',
      ['--autologin'],
      (config) => unitOf(config, 'getty@.service'),
      expect.stringContaining('--autologin core'),
    ],
    [
      'autologin on serial lines',
      ['--autologin'],
      (config) => unitOf(config, 'serial-getty@.service'),
      expect.stringContaining('\nExecStart=\nExecStart=-/usr/sbin/agetty --autologin core'),
    ],
    [
      'a serial console',
      ['--console', 'ttyS1,115200n8'],
      (config) => config.systemd?.units?.[1],
      { name: 'serial-getty@ttyS1.service', enabled: true },
    ],
    [
      'a file',
      ['--file', '/etc/note=note.txt,mode=0400'],
      (config) => [contentsOf(config, '/etc/note'), modeOf(config, '/etc/note')],
      ['Do not touch.\n', 0o400],
    ],
    [
      'a unit',
      ['--unit', 'burn-in.service'],
      (config) => config.systemd?.units?.[1],
      { contents: files['burn-in.service'], enabled: true, name: 'burn-in.service' },
    ],
    [
      'a pull secret in a file whose name begins as base64 of JSON does',
      ['--pull-secret', 'eyecatcher.json'],
      (config) => contentsOf(config, '/etc/authfile.json'),
      files['auth.json'],
    ],
    [
      'a name of the host',
      ['--hostname', 'worker-0'],
      (config) => contentsOf(config, '/etc/NetworkManager/dispatcher.d/01-hostname'),
      expect.stringMatching(/^#!\/bin\/bash\n[^]*"worker-0"\n/),
    ],
  ])('%s', async (_title, args, read, expected) => {
    const result = args.includes('--standalone')
      ? await run([...args, '--ssh-key', key])
      : await renderDefault(...args);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(read(parseConfig(result))).toEqual(expected);
  });

  it('gives a config without a warning where everything is set', async () => {
    const args = [
      ['--inspector-url', 'https://192.0.2.2'],
      ['--ca-file', 'ca.pem'],
      ['--agent-image', 'quay.io/example/ironic-agent:v1'],
      ['--pull-secret', 'auth.json'],
      ['--podman-pull-arg', '--retry=5'],
      ['--registries-conf', 'registries.conf'],
      ['--vlan-interfaces', 'auto'],
      ['--hardware-manager', 'managers'],
      ['--podman-arg', '--mount=type=bind,src=/etc/note,dst=/etc/note'],
      ['--podman-arg', '--env=A=100% "b" $c'],
      ['--podman-arg', '--memory=4g'],
      ['--password-hash', 'hash'],
      ['--console', 'ttyS0'],
      ['--hostname', 'worker-0.example.com'],
      ['--nmstate', 'state.yaml'],
      ['--keyfile', 'wifi.nmconnection'],
      ['--install-ip-options', 'ip=dhcp'],
      ['--ntp-server', '192.0.2.5,ntp.example.com'],
      ['--http-proxy', 'http://u:p%40ss@proxy.example.com:3128'],
      ['--https-proxy', 'https://proxy.example.com:3129'],
      ['--no-proxy', 'localhost,.example.com'],
      ['--file', '/etc/note=note.txt'],
      ['--unit', 'burn-in.service'],
      ['--debug', '--autologin', '-o', 'full.ign'],
    ].flat();
    const result = await renderDefault(
      ...args.filter((arg) => arg !== '--option' && arg !== 'collect_lldp = False'),
    );
    expect(result.code).toBe(0);
    expect(result.stderr).toMatch(/^full\.ign written .* a pull secret, and a network password\n$/);
    expect((await stat(join(cwd, 'full.ign'))).mode & 0o777).toBe(0o600);
    const verdict = await runCli(['validate', 'full.ign'], { cwd });
    expect(verdict).toMatchObject({ code: 0, stderr: expect.not.stringContaining('warning') });
    expect(verdict.stdout).not.toContain('warning');
  });

  it.each<[string, 1 | 2, readonly string[], string]>([
    ['an unknown profile', 2, ['--profile', 'icd'], 'invalid value "icd" for --profile'],
    [
      'a flag that another profile has',
      2,
      ['--discovery', 'user.ign'],
      'profile default does not support --discovery',
    ],
    ['an unknown pull policy', 2, ['--pull-policy', 'often'], 'invalid value "often" for --pull-policy'],
    ['an argument of podman that is none', 2, ['--podman-arg', 'memory'], '--podman-arg is not a flag'],
    ['VLANs of a file', 2, ['--vlan-interfaces', 'a/b'], '--vlan-interfaces is neither'],
    [
      'IP options with a quote',
      2,
      ['--install-ip-options', 'ip="dhcp"'],
      '--install-ip-options is not a kernel',
    ],
    ['a console that is none', 2, ['--console', 'tty S0'], '--console is not a console'],
    [
      'a plain password',
      1,
      ['--password-hash', 'password'],
      '--password-hash: password is not a password hash',
    ],
    ['an MD5 hash', 1, ['--password-hash', 'md5'], '--password-hash: md5 is an MD5 hash'],
    [
      'a pull secret as base64 instead of its file',
      2,
      ['--pull-secret', Buffer.from('{"auths":{}}').toString('base64')],
      '--pull-secret requires the path of a file, not the secret',
    ],
    [
      'a pull secret as indented JSON in base64',
      2,
      ['--pull-secret', Buffer.from('{\n  "auths": {}}').toString('base64')],
      '--pull-secret requires the path of a file, not the secret',
    ],
    [
      'a hash instead of its file',
      2,
      ['--password-hash', hash],
      '--password-hash requires the path of a file',
    ],
    [
      'hardware managers that nobody announces',
      1,
      ['--hardware-manager', 'no-entry'],
      'does not contain NAME.dist-info',
    ],
    ['a folder that is not there', 1, ['--hardware-manager', 'nowhere'], 'nowhere'],
    [
      'a file as a folder',
      1,
      ['--hardware-manager', 'auth.json'],
      'hint: pass the path of a folder: auth.json is a file',
    ],
    [
      'a network state that is no YAML',
      1,
      ['--nmstate', 'bad-state.yaml'],
      'error: bad-state.yaml:4:1: Invalid YAML',
    ],
    ['a network state that is not there', 1, ['--nmstate', 'none.yaml'], 'Network state (--nmstate)'],
    [
      'network data that is not there',
      1,
      ['--network-data', 'none.json'],
      'Network data (--network-data) not found: none.json',
    ],
    [
      'wrong network data',
      1,
      ['--network-data', 'bad-data.json'],
      'error: bad-data.json:1:12: "ethernet_mac_address" is missing',
    ],
    [
      'network data beside nmstate',
      2,
      ['--network-data', 'network_data.json', '--nmstate', 'state.yaml'],
      '--network-data cannot be combined with --nmstate',
    ],
    [
      'nmstatectl that is not there',
      1,
      ['--nmstate', 'state.yaml', '--nmstatectl', 'no/nmstatectl'],
      'no/nmstatectl',
    ],
    [
      'a connection without its section',
      1,
      ['--keyfile', 'no.nmconnection'],
      'no.nmconnection: the keyfile has no section',
    ],
    [
      'a connection in a file that NetworkManager skips',
      1,
      ['--keyfile', 'eth0.backup'],
      '--keyfile: NetworkManager skips a keyfile with the name "eth0.backup"',
    ],
    [
      'the same connection twice',
      1,
      ['--keyfile', 'wifi.nmconnection', '--keyfile', 'wifi.nmconnection'],
      'wifi.nmconnection',
    ],
    ['a file without a place', 2, ['--file', 'note.txt'], '--file "note.txt" is not PATH=FILE'],
    ['a file that is not there', 1, ['--file', '/etc/a=none.txt'], 'File (--file)'],
    [
      'a unit without its name',
      1,
      ['--unit', 'note.txt'],
      '--unit: the file name of note.txt is not a valid unit name',
    ],
    ['a unit in place of the agent', 1, ['--unit', 'ironic-agent.service'], 'is the unit of the agent'],
    [
      'a config for --merge that is not valid',
      1,
      ['--merge', 'invalid.ign'],
      'not a valid Ignition config: invalid.ign',
    ],
    [
      'two places of a file',
      1,
      ['--file', '/etc/a=note.txt', '--file', '/etc/a=note.txt'],
      '$.storage.files',
    ],
    ['--standalone beside an address', 2, ['--standalone'], '--standalone'],
  ])('refuses %s', async (_title, code, args, text) => {
    const result = await renderDefault(...args);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toMatch(/^error: /m);
    expect(result.stderr).toContain(text);
    expect(result.stderr).not.toContain('hunter2');
    expect(result.stderr).not.toContain('7kVpvjzuSg');
  });

  it.each([
    ['--nmstate', ''],
    ['--network-data', ''],
    ['--nmstate', '# nothing\n'],
  ])('warns of an empty file: %s %j', async (flag, text) => {
    await writeFile(join(cwd, 'nothing'), text);
    const { code, stderr } = await renderDefault(flag, 'nothing');
    expect([code, stderr]).toEqual([
      0,
      `warning: ${flag}: nothing contains no connections\nhint: leave out the description\n`,
    ]);
  });

  it('warns of a network state that describes nothing', async () => {
    const result = await renderDefault('--nmstate', 'empty-state.yaml');
    expect(result.code).toBe(0);
    expect(result.stderr).toContain('warning: --nmstate: empty-state.yaml contains no connections');
    expect(unitOf(parseConfig(result))).not.toContain('COPY_NETWORK');
  });
});

describe('render --merge', () => {
  it('merges configs last, in the newer version', async () => {
    const result = await renderDefault('--merge', 'user.ign');
    expect(result).toMatchObject({
      code: 0,
      stderr:
        'info: user.ign raises the version of the rendered config from 3.2.0 to 3.4.0: ' +
        'images whose Ignition does not support 3.4.0 do not boot with it\n' +
        'hint: if the image is older, run: ironic-coreos ignition translate --to 3.2.0 user.ign\n',
    });
    const config = parseConfig(result);
    expect(config.ignition?.version).toBe('3.4.0');
    expect(config.passwd?.users?.[0]?.sshAuthorizedKeys).toEqual([key, otherKey]);
    expect(unitOf(config)).toMatch(/^\[Unit\][^]*\[Service\]\nRestartSec=9\n$/);
    expect(contentsOf(config, '/etc/new')).toBe('x');
  });

  it('says nothing about the version of a config that its hint translates', async () => {
    const translate = ['ignition', 'translate', '--to', '3.2.0', 'user.ign', '-o', 'older.ign'];
    expect((await runCli(translate, { cwd })).code).toBe(0);
    const result = await renderDefault('--merge', 'older.ign');
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(parseConfig(result).ignition?.version).toBe('3.2.0');
  });

  it.each<[string, readonly string[], boolean]>([
    ['a file of the user that is a secret', ['--file', '/etc/key=note.txt,mode=0600'], true],
    ['a file of the user that is none', ['--file', '/etc/key=note.txt'], false],
    ['a connection without a password', ['--nmstate', 'state.yaml'], false],
    ['a connection with a password', ['--keyfile', 'wifi.nmconnection'], true],
    ['a password hash', ['--password-hash', 'hash'], true],
  ])('lets only the owner read a config with %s', async (_title, args, isSecret) => {
    const result = await renderDefault(...args, '-o', 'out.ign');
    expect(result.code).toBe(0);
    expect(result.stderr.includes('mode 0600')).toBe(isSecret);
    await rm(join(cwd, 'out.ign'));
  });

  it('has what a merged config replaces, and checks the result', async () => {
    const args = ['--merge', 'conflict.ign'];
    const { stderr } = await renderDefault(...args);
    expect(stderr).toContain('(agent-unit-not-enabled)');
    expect(stderr).toContain('--> conflict.ign:1:');
    const result = await renderDefault(...args, '--ignore', 'agent-unit-not-enabled');
    expect(result.code).toBe(0);
    expect(confOf(parseConfig(result))).toBe('[DEFAULT]\n');
  });
});

describe('render: environment', () => {
  const icc: Environment = { IRONIC_BASE_URL: 'https://192.0.2.9', IRONIC_AGENT_IMAGE: 'quay.io/a/b:c' };
  const quiet = ['--ssh-key', key];

  it('gives what flags do', async () => {
    const env: Environment = {
      ...icc,
      IRONIC_INSPECTOR_BASE_URL: 'https://192.0.2.8',
      IRONIC_AGENT_PULL_SECRET: files['auth.json'] ?? '',
      IRONIC_AGENT_VLAN_INTERFACES: 'never',
      IRONIC_RAMDISK_SSH_KEY: `${key}\n\n${key.replace('ipa-test', 'other')}\n`,
      IRONIC_AGENT_PODMAN_FLAGS: '--tls-verify=false  --retry=2',
      IP_OPTIONS: 'ip=dhcp',
      HTTPS_PROXY: 'https://proxy:3128',
      NO_PROXY: 'localhost',
      ADDITIONAL_NTP_SERVERS: ' 192.0.2.5 ,,ntp.example.com',
      CA_BUNDLE: 'ca.pem',
      REGISTRIES_CONF_PATH: 'registries.conf',
    };
    const fromEnvironment = await run([], env);
    const flags = [
      ['--api-url', 'https://192.0.2.9', '--agent-image', 'quay.io/a/b:c'],
      ['--inspector-url', 'https://192.0.2.8', '--pull-secret', 'auth.json', '--vlan-interfaces', 'never'],
      ['--ssh-key', key, '--ssh-key', key.replace('ipa-test', 'other'), '--install-ip-options', 'ip=dhcp'],
      ['--podman-pull-arg', '--tls-verify=false', '--podman-pull-arg', '--retry=2'],
      ['--https-proxy', 'https://proxy:3128', '--no-proxy', 'localhost', '--ca-file', 'ca.pem'],
      ['--ntp-server', '192.0.2.5', '--ntp-server', 'ntp.example.com'],
      ['--registries-conf', 'registries.conf'],
    ];
    const fromFlags = await run(flags.flat());
    expect(fromEnvironment).toMatchObject({ code: 0, stderr: '' });
    expect(fromEnvironment.stdout).toBe(fromFlags.stdout);
  });

  it.each<[string, readonly string[], Environment, string]>([
    ['a flag beats it', ['--api-url', 'https://192.0.2.7'], icc, 'api_url = https://192.0.2.7:6385\n'],
    ['its port is taken', [], { ...icc, IRONIC_ACCESS_PORT: '8443' }, 'api_url = https://192.0.2.9:8443\n'],
    [
      'an empty variable is none',
      ['--api-url', 'https://192.0.2.7'],
      { IRONIC_BASE_URL: '' },
      '= https://192.0.2.7:6385\n',
    ],
    ['with --standalone the address does not count', ['--standalone'], icc, '[DEFAULT]\n'],
  ])('%s', async (_title, args, env, text) => {
    const result = await run([...quiet, ...args], env);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(confOf(parseConfig(result))).toContain(text);
  });

  it.each<[string, readonly string[], Environment, boolean]>([
    ['alone, a proxy of the shell does not count', ['--api-url', 'https://192.0.2.7'], {}, false],
    ['beside an address of Ironic it does', [], { IRONIC_BASE_URL: 'https://192.0.2.7' }, true],
    ['with build.py it does not', ['--host', '192.0.2.7'], { IRONIC_BASE_URL: 'https://192.0.2.7' }, false],
  ])('%s', async (_title, args, env, counts) => {
    const image = ['--agent-image', 'registry.example.com/a'];
    const result = await run([...quiet, ...image, ...args], {
      IRONIC_AGENT_IMAGE: undefined,
      ...env,
      HTTP_PROXY: 'http://proxy:3128',
    });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(unitOf(parseConfig(result)).includes('HTTP_PROXY')).toBe(counts);
  });

  it.each<[string, Environment, string]>([
    ['an image', { ...icc, IRONIC_AGENT_IMAGE: 'a b' }, 'IRONIC_AGENT_IMAGE is not an image reference'],
    ['an address', { ...icc, IRONIC_BASE_URL: '192.0.2.1' }, 'IRONIC_BASE_URL: the URL'],
    [
      'a pull secret',
      { ...icc, IRONIC_AGENT_PULL_SECRET: 'hunter2!' },
      'IRONIC_AGENT_PULL_SECRET is neither',
    ],
    ['a proxy', { ...icc, HTTP_PROXY: 'ftp://u:hunter2@p' }, 'HTTP_PROXY is neither'],
    ['a port', { ...icc, IRONIC_ACCESS_PORT: '0' }, 'IRONIC_ACCESS_PORT is not a valid port'],
  ])('refuses %s by the name of the variable', async (_title, env, text) => {
    const result = await run(quiet, env);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(`error: ${text}`);
    expect(result.stderr).not.toContain('hunter2');
  });
});

describe('options that would have no effect', () => {
  it.each([
    [['--show-settings', '-o', 'x.ign'], '--output cannot be combined with --show-settings'],
    [['--show-settings', '--output', '-'], '--output cannot be combined with --show-settings'],
    [['--show-settings', '--fail-fast'], '--fail-fast cannot be combined with --show-settings'],
    [['--fail-fast'], '--fail-fast requires --inventory'],
  ])('%j is refused', async (args, message) => {
    const result = await run(['--api-url', 'http://h', ...args], {});
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(message);
  });
});

describe('render --show-settings', () => {
  it('tells values and where they come from', async () => {
    const args = ['--api-url', 'https://192.0.2.7', '--insecure', '--ntp-server', 'a', '--ntp-server', 'b'];
    const env = {
      IRONIC_AGENT_IMAGE: 'quay.io/a/b:c',
      IRONIC_BASE_URL: 'https://192.0.2.9',
      IP_OPTIONS: 'ip=dhcp',
    };
    const result = await run([...args, '--show-settings'], env);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout.replaceAll(/ {2,}/g, ' | ')).toBe(
      `${[
        'setting | value | source',
        'profile | default',
        'ironic.apiUrls | https://192.0.2.7 | --api-url',
        'ironic.port | 6385 | default',
        'ironic.inspectorPort | 5050 | default',
        'ironic.insecure | yes | --insecure',
        'agent.image | quay.io/a/b:c | IRONIC_AGENT_IMAGE',
        'agent.pullPolicy | always | default',
        'host.installIpOptions | ip=dhcp | IP_OPTIONS',
        'host.ntpServers | a | --ntp-server',
        'host.ntpServers | b | --ntp-server',
      ].join('\n')}\n`,
    );
  });

  it('tells the same as JSON', async () => {
    const args = ['--api-url', 'http://me:hunter2@h', '--option', 'agent_token = hunter2', '--show-settings'];
    const { code, stderr, stdout } = await run([...args, '--format', 'json'], {
      IRONIC_AGENT_IMAGE: undefined,
      HTTP_PROXY: 'http://p',
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).not.toContain('hunter2');
    expect(JSON.parse(stdout)).toMatchObject({
      profile: 'default',
      settings: expect.arrayContaining([
        { setting: 'ironic.apiUrls', value: 'http://(secret)@h', source: '--api-url' },
        { setting: 'ironic.port', value: '6385', source: 'default' },
      ]),
      ignored: [{ name: 'HTTP_PROXY', reason: expect.any(String) }],
    });
  });

  it('says which variables do not count, and why', async () => {
    const { stdout } = await run(
      ['--api-url', 'http://h', '--agent-image', 'r.example.com/a', '--show-settings'],
      {
        IRONIC_AGENT_IMAGE: undefined,
        HTTP_PROXY: 'http://p',
      },
    );
    expect(stdout).toMatch(
      /\n\nHTTP_PROXY is set, but it has an effect only together with IRONIC_BASE_URL or IRONIC_AGENT_IMAGE\n$/,
    );
    const buildpy = await run(['--host', 'h', '--registry', 'r:5000', '--show-settings'], {
      IRONIC_BASE_URL: 'http://h',
    });
    expect(buildpy.stdout).toMatch(/^host +h +--host\nregistry +r:5000 +--registry\n/m);
    expect(buildpy.stdout).toContain('IRONIC_BASE_URL is set, but --host disables environment variables\n');
  });

  it('masks secrets', async () => {
    const args = [
      ['--option', 'agent_token = hunter2', '--option', 'image_server_password=hunter2'],
      ['--podman-arg', '--env=API_TOKEN=hunter2', '--podman-arg', '--secret=hunter2'],
      ['--podman-arg', '--env=PASSWORD=hunter2'],
      ['--podman-pull-arg', '--creds=user:hunter2', '--https-proxy', 'https://user:hunter2@proxy'],
    ].flat();
    const env = {
      IRONIC_BASE_URL: 'https://user:hunter2@192.0.2.9',
      IRONIC_AGENT_PULL_SECRET: 'hunter2',
      HTTP_PROXY: 'http://user:hunter2@proxy',
    };
    const result = await run([...args, '--show-settings'], env);
    expect(result.code).toBe(0);
    expect(result.stdout).not.toContain('hunter2');
    expect(result.stdout).toContain('http://(secret)@proxy');
    expect(result.stdout.match(/\(secret\)/g)).toHaveLength(10);
  });
});

describe('proxies of profile icc', () => {
  it.each<[string, string, boolean]>([
    ['no list', '', true],
    ['other hosts', 'localhost,.example.com', true],
    ['the host of Ironic', '192.0.2.9', false],
    ['its network', '192.0.2.0/24', false],
    ['another network', '10.0.0.0/8', true],
    ['everything', '*', false],
  ])('that may come between the agent and Ironic draw a warning: %s', async (_title, NO_PROXY, warns) => {
    const env = {
      IRONIC_BASE_URL: 'https://192.0.2.9',
      IRONIC_AGENT_IMAGE: 'quay.io/a/b',
      HTTPS_PROXY: 'http://p',
      NO_PROXY,
    };
    const result = await run(['--profile', 'icc'], env);
    expect(result.code).toBe(0);
    expect(result.stderr.includes('the agent uses the proxy to reach Ironic at 192.0.2.9')).toBe(warns);
  });
});

/** `pxe kargs` from an inventory and environment variable what counts, and what a mistake is called. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lintConfig } from '../../../src/agent/lint/lintConfig.ts';
import { validateConfig } from '../../../src/ignition/validate.ts';
import { inputsNameImage } from '../../support/agentImage.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';

const inventory = `agent:
  ironic.apiUrls: https://192.0.2.1,https://[2001:db8::1]
  host.sshKeys:
    - ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9zIsVJMfhacIuKONUMGEmrH10rGh7UkLGfneQkUQH0 a@b
  host.consoles: [tty0, 'ttyS0,115200n8']
  boot.baseUrl: http://192.0.2.1/images
  boot.ignitionUrl: https://192.0.2.1/agent.ign
  boot.ip: [dhcp]
  boot.ipaParameters: [debug=1]
  boot.kernelArguments: [nomodeset]
hosts:
  - name: worker-0
  - name: worker-1
    overrides:
      boot.rootfsUrl: http://192.0.2.2/rootfs
      boot.ignitionUrl: null
      boot.embedded: true
      boot.ip: null
      host.consoles: [hvc0]
  - name: worker-2
    overrides:
      boot.ip: [dhcp, 'x:y']
      boot.embedded: true
  - name: worker-3
    mac: none
  - name: worker-4
    overrides:
      proxy.http: http://me:hunter2@proxy:3128
      proxy.none: localhost
`;

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'pxe inventory '));
  await writeFile(join(cwd, 'r.yaml'), inventory);
  await writeFile(
    join(cwd, 'icc.yaml'),
    'profile: icc\nagent: { boot.rootfsUrl: http://h/r, boot.embedded: true }\n',
  );
  await writeFile(join(cwd, 'wrong.yaml'), 'agent:\n  boot.rootfs: x\n');
});
afterAll(async () => rm(cwd, { recursive: true }));

const kargs = (args: readonly string[], env = {}): Promise<RunResult> =>
  runCli(['pxe', 'kargs', ...args], { cwd, env });
const ofFile = ['--inventory', 'r.yaml'];
const ofHost = (name: string): string[] => [...ofFile, '--host', name];

const start = 'coreos.live.rootfs_url=http://192.0.2.1/images/ironic-python-agent.rootfs';
const fetched =
  'ignition.config.url=https://192.0.2.1/agent.ign ignition.firstboot ignition.platform.id=metal';
const end = 'console=tty0 console=ttyS0,115200n8 ipa-debug=1 nomodeset';
const embedded = 'ignition.firstboot ignition.platform.id=metal';
const whole = `${start} ${fetched} ip=dhcp rd.neednet=1 ${end}`;

describe('pxe kargs --inventory', () => {
  it.each<[string, readonly string[], Record<string, string>, string]>([
    ['what all hosts have in common', ofFile, {}, whole],
    ['a host without settings of its own', ofHost('worker-0'), {}, whole],
    [
      'a host that overrides',
      ofHost('worker-1'),
      {},
      `coreos.live.rootfs_url=http://192.0.2.2/rootfs ${embedded} console=hvc0 ipa-debug=1 nomodeset`,
    ],
    [
      'a list by flag',
      [...ofHost('worker-0'), '--ip', 'eno1:dhcp'],
      {},
      whole.replace('ip=dhcp', 'ip=eno1:dhcp'),
    ],
    [
      'a URL by flag before the folder of the file',
      [...ofFile, '--rootfs-url', 'http://h/r'],
      {},
      whole.replace(start, 'coreos.live.rootfs_url=http://h/r'),
    ],
    [
      'a folder by flag before the URL of the file',
      [...ofHost('worker-1'), '--base-url', 'http://h'],
      {},
      `coreos.live.rootfs_url=http://h/ironic-python-agent.rootfs ${embedded} console=hvc0 ipa-debug=1 nomodeset`,
    ],
    [
      '--embedded before the URL of the file',
      [...ofFile, '--embedded'],
      {},
      whole.replace(fetched, embedded),
    ],
    [
      '--ignition-url before the embedded config of the file',
      [...ofHost('worker-1'), '--ignition-url', 'https://192.0.2.1/agent.ign'],
      {},
      `coreos.live.rootfs_url=http://192.0.2.2/rootfs ${fetched} console=hvc0 ipa-debug=1 nomodeset`,
    ],
    [
      'the environment before the file',
      ofFile,
      { IRONIC_ROOTFS_URL: 'http://e/r' },
      whole.replace(start, 'coreos.live.rootfs_url=http://e/r'),
    ],
    [
      'a flag before the environment',
      [...ofFile, '--base-url', 'http://192.0.2.1/images'],
      { IRONIC_ROOTFS_URL: 'http://e/r' },
      whole,
    ],
    [
      'an inventory for another profile, and a flag that this one has not',
      ['--inventory', 'icc.yaml', '--console', 'tty0'],
      {},
      `coreos.live.rootfs_url=http://h/r ${embedded} console=tty0`,
    ],
    [
      'the environment alone',
      ['--embedded'],
      { IRONIC_ROOTFS_URL: 'http://e/r' },
      `coreos.live.rootfs_url=http://e/r ${embedded}`,
    ],
  ])('writes %s', async (_title, args, env, expected) => {
    expect(await kargs(args, env)).toMatchObject({ code: 0, stdout: `${expected}\n`, stderr: '' });
  });

  it.each<[string, number, readonly string[], string]>([
    ['a value', 1, ofHost('worker-2'), 'error: r.yaml:22:23: boot.ip x:y: '],
    ['a host that is wrong', 1, ofHost('worker-3'), 'error: r.yaml:25:10: "none" is not a valid MAC address'],
    [
      'a config for another ramdisk',
      2,
      ['--no-coreos', ...ofFile],
      'error: r.yaml:7:21: boot.ignitionUrl cannot',
    ],
    ['a host that is not there', 2, ofHost('worker'), 'hint: use worker-'],
    ['a host without a file', 2, ['--host', 'worker-0'], 'hint: pass the inventory: --inventory FILE'],
    ['a file that is wrong', 1, ['--inventory', 'wrong.yaml'], 'wrong.yaml:2:16: '],
    ['a file that is missing', 1, ['--inventory', 'no.yaml'], 'no.yaml'],
  ])('refuses %s', async (_title, code, args, expected) => {
    const result = await kargs(args);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(expected);
  });
});

interface Written {
  /** To the line. */
  readonly added: string;
  readonly said: string;
}

describe('pxe kargs with a proxy', () => {
  const own = ['--rootfs-url', 'http://h/r', '--embedded'];

  it('adds the hosts of Ironic, warns of the password and does not show it', async () => {
    const { code, stdout, stderr } = await kargs(ofHost('worker-4'));
    expect(code).toBe(0);
    expect(stdout).toContain(
      ' systemd.setenv=http_proxy=http://me:hunter2@proxy:3128 systemd.setenv=no_proxy=localhost,192.0.2.1,2001:db8::1 ',
    );
    expect(stderr).toMatch(/^warning: r\.yaml:28:19: proxy\.http: .*credentials/m);
    expect(stderr).not.toContain('hunter2');
  });

  it.each<[string, readonly string[], Record<string, string>, Written]>([
    [
      'Ironic by flag',
      ['--https-proxy', 'http://p', '--api-url', 'https://i'],
      {},
      {
        added: 'systemd.setenv=https_proxy=http://p systemd.setenv=no_proxy=i',
        said: '',
      },
    ],
    [
      'the environment of the controller',
      [],
      { IRONIC_BASE_URL: 'https://i', HTTP_PROXY: 'http://p', NO_PROXY: 'a, b' },
      {
        added: 'systemd.setenv=http_proxy=http://p systemd.setenv=no_proxy=a,b,i',
        said: '',
      },
    ],
    [
      'Ironic unknown',
      ['--http-proxy', 'http://p'],
      {},
      { added: 'systemd.setenv=http_proxy=http://p', said: 'warning: the URL of Ironic is unknown' },
    ],
    ['the proxy of any shell', [], { ...inputsNameImage, HTTP_PROXY: 'http://p' }, { added: '', said: '' }],
    ['no proxy', ['--no-proxy', 'a'], {}, { added: '', said: '' }],
  ])('%s', async (_title, args, env, { added, said }) => {
    const { code, stdout, stderr } = await kargs([...own, ...args], env);
    const line = `coreos.live.rootfs_url=http://h/r ${embedded} ${added}`.trim();
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${line}\n` });
    expect(stderr).toContain(said);
  });

  it('takes hosts as a list', async () => {
    const text =
      'agent:\n  ironic.apiUrls: [https://a, https://b]\n  proxy.none: [c, d]\n  proxy.https: http://p\n';
    await writeFile(join(cwd, 'lists.yaml'), text);
    const { stdout } = await kargs([...own, '--inventory', 'lists.yaml']);
    expect(stdout).toContain(' systemd.setenv=https_proxy=http://p systemd.setenv=no_proxy=c,d,a,b\n');
  });

  it('refuses what is no proxy, and says which', async () =>
    expect(await kargs([...own, '--http-proxy', 'p:3128'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--http-proxy is neither'),
    }));
});

describe('render with the settings of pxe kargs', () => {
  it('takes them from the inventory, where nothing is to be said about the config', async () => {
    const image = ['--agent-image', 'registry.example.com/ironic-agent'];
    const args = ['render', ...image, '--inventory', 'r.yaml', '-o', 'out'];
    const { code, stderr } = await runCli(args, { cwd });
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('4 written') }); // but worker-3
    const config = await readFile(join(cwd, 'out/worker-1.ign'));
    expect(validateConfig(config)).toMatchObject({ valid: true, findings: [] });
    expect(lintConfig(JSON.parse(config.toString()), { now: new Date() })).toEqual([]);
    expect(config.toString()).toContain('serial-getty@hvc0.service');
  });

  it.each(['--rootfs-url', '--ignition-url', '--base-url', '--append', '--ip', '--ipa'])(
    'has no %s',
    async (flag) =>
      expect(await runCli(['render', flag, 'x'], { cwd })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('unknown option'),
      }),
  );
});

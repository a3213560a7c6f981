import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLiveIso } from '../../../src/image/liveIso.ts';
import { bytesAccess } from '../../../src/image/overlay.ts';
import { liveIso } from '../../support/liveIso.ts';
import { runCli, type RunOptions, type RunResult } from '../../support/runCli.ts';

const config = '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"/etc/x"}]}}\n';
const original = liveIso('2023-07');
const inputs: Readonly<Record<string, string>> = {
  'config.ign': config,
  'config.yaml': 'ignition:\n  version: 3.4.0\nstorage:\n  files:\n  - path: /etc/x\n',
  'invalid.ign': '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"etc/x"}]}}\n',
  'invalid.yaml': 'ignition:\n  version: 3.4.0\nstorage:\n  files:\n  - path: etc/x # secret\n',
  'type.yaml': 'ignition:\n  version: 3.4.0\nstorage:\n  files: {}\n',
  'broken.yaml': 'a: [\n',
  'newer.ign': '{"ignition":{"version":"3.9.0"},"future":{}}',
  'old.ign': '{"ignition":{"version":"2.2.0"}}',
  'unused.ign': '{"ignition":{"version":"3.4.0"},"other":1}',
  'script.sh': '#!/bin/sh\n',
  'data.ign': '{"ignition":{"version":"3.4.0"},"storage":{"directories":[{"path":"/data"}]}}',
  'text.sh': 'echo\n',
  'device.yaml': 'dest-device: /dev/sda\n',
  'relative.yaml': 'offline: true\ndest-device: sda\n',
  'unknown.yaml': 'device: /dev/sda\n',
  'net.yaml': 'interfaces:\n- {name: eth0, type: ethernet, state: up, ipv4: {enabled: true, dhcp: true}}\n',
  'two.yaml': 'interfaces:\n- {name: eth0, type: ethernet, mtu: big}\n- {name: v, type: vrf, state: up}\n',
  'vrf.yaml': 'interfaces:\n- {name: v, type: vrf, state: up}\n',
  'empty.yaml': '',
  'eth1.nmconnection': '[connection]\nid=eth1\ntype=ethernet\n',
  'ca.pem': 'no certificate',
  'blank.pem': `${readFileSync(join(import.meta.dirname, '../../support/certificates/test-ca.pem'), 'utf8')}\n`,
};

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'iso customize ')));
  await writeFile(join(cwd, 'coreos.iso'), original);
  await Promise.all(Object.entries(inputs).map(([name, text]) => writeFile(join(cwd, name), text)));
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const run = async (line: string, options: RunOptions = {}): Promise<RunResult> =>
  runCli(['iso', ...line.split(' ').filter((part) => part !== '')], { cwd, ...options });
const customize = async (line: string, options: RunOptions = {}): Promise<RunResult> =>
  run(`customize ${line} coreos.iso`, options);
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const file = async (name: string): Promise<Buffer> => readFile(join(cwd, name));

interface Contents {
  readonly names: readonly string[];
  readonly kargs: string | undefined;
}

async function contentsOf(name: string): Promise<Contents> {
  const iso = await openLiveIso(bytesAccess(await file(name)));
  return { names: [...(await iso.embeddedFiles()).keys()], kargs: (await iso.kargsAreas())?.current };
}

describe('the image', () => {
  it('stays as it is without options', async () => {
    expect(await customize('')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(digest(await file('coreos.iso'))).toBe(digest(original));
  });

  it('gets the same bytes in place, in a file and on standard output', async () => {
    await customize('--live-ignition config.ign -o copy.iso');
    expect(digest(await file('coreos.iso'))).toBe(digest(original));
    const { stdoutBytes } = await customize('--live-ignition config.ign -o -');
    expect((await customize('--live-ignition config.ign')).code).toBe(0);
    expect(digest(await file('copy.iso'))).toBe(digest(await file('coreos.iso')));
    expect(digest(stdoutBytes)).toBe(digest(await file('coreos.iso')));
    expect((await stat(join(cwd, 'copy.iso'))).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  it('is customized once, and again with --force, from its defaults', async () => {
    const { kargs: defaults } = await contentsOf('coreos.iso');
    await customize('--network-keyfile eth1.nmconnection --live-karg-append first');
    const before = digest(await file('coreos.iso'));
    expect(await customize('--live-ignition config.ign')).toMatchObject({
      code: 1,
      stderr: 'error: This ISO image is already customized; use -f to force.\n',
    });
    expect(digest(await file('coreos.iso'))).toBe(before);
    expect((await customize('-f --live-ignition config.ign')).code).toBe(0);
    expect(await contentsOf('coreos.iso')).toEqual({ names: ['config.ign'], kargs: `${defaults} first` });
    expect((await customize('-f --live-karg-append second')).code).toBe(0);
    expect(await contentsOf('coreos.iso')).toEqual({ names: [], kargs: `${defaults} second` });
  });

  it.each([
    ['an Ignition config', 'ignition embed -i config.ign coreos.iso'],
    ['kernel arguments', 'customize --live-karg-append x coreos.iso'],
    ['a connection', 'customize --network-keyfile eth1.nmconnection coreos.iso'],
  ])('counts as customized with %s', async (_title, line) => {
    expect((await run(line)).code).toBe(0);
    expect((await customize('')).stderr).toContain('already customized');
  });

  it('tells which kernel arguments it does not find', async () => {
    const { code, stderr } = await customize('--live-karg-delete nothing');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: no kernel argument to delete matches: nothing\n/);
  });

  it('gets connections from network data', async () => {
    const link = { id: 'nic1', type: 'phy', ethernet_mac_address: '52:54:00:12:34:56' };
    await writeFile(join(cwd, 'network_data.json'), JSON.stringify({ links: [link] }));
    expect((await customize('--network-data network_data.json')).stderr).toBe('');
    expect((await contentsOf('coreos.iso')).names).toContain(
      'etc/coreos-firstboot-network/nic1.nmconnection',
    );
  });

  it('warns that the config for the installed host runs the agent', async () => {
    const unit =
      '[Service]\\nExecStart=/bin/true\\nRestart=always\\n[Install]\\nWantedBy=multi-user.target\\n';
    await writeFile(
      join(cwd, 'agent.ign'),
      `{"ignition":{"version":"3.4.0"},"systemd":{"units":[{"name":"ironic-agent.service","enabled":true,"contents":"${unit}"}]}}`,
    );
    const warning = 'warning: agent.ign: the config runs ironic-python-agent: it seems to be for the ramdisk';
    const line = '--dest-device /dev/sda --dest-ignition agent.ign -o';
    expect((await customize(`${line} a.iso`)).stderr).toContain(
      `${warning}, not for the installed host\n` +
        'hint: pass the config for the installed host, or use --live-ignition for this config\n',
    );
    expect((await customize(`--no-validate ${line} c.iso`)).stderr).not.toContain(warning);
    expect((await customize('--live-ignition agent.ign -o d.iso')).stderr).not.toContain(warning);
  });

  it('reports a file that is no keyfile, such as nmstate', async () => {
    const said = /net\.yaml: .*\nhint: start with \[connection\]\n$/;
    const refused = await customize('--network-keyfile net.yaml');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /^error: net\.yaml: Invalid keyfile line 1: it is before the first section\nhint: .*\n$/,
    );
    const unchecked = await customize('--no-validate --network-keyfile net.yaml');
    expect(unchecked.code).toBe(0);
    expect(unchecked.stderr).toMatch(said);
  });

  it('gets connections from nmstate beside keyfiles', async () => {
    const { stderr } = await customize('--network-nmstate net.yaml --network-keyfile eth1.nmconnection');
    expect(stderr).toBe('');
    expect((await contentsOf('coreos.iso')).names.toSorted()).toEqual([
      'etc/coreos-firstboot-network/eth0.nmconnection',
      'etc/coreos-firstboot-network/eth1.nmconnection',
    ]);
  });
});

describe('Ignition configs', () => {
  it('may be YAML, and come out the same', async () => {
    await customize('--live-ignition config.ign -o json.iso');
    await customize('--live-ignition config.yaml -o yaml.iso');
    expect(digest(await file('yaml.iso'))).toBe(digest(await file('json.iso')));
  });

  it.each([
    ['invalid.ign', /invalid\.ign:1:\d+\n/],
    ['invalid.yaml', / --> invalid\.yaml:5:11\n/],
    ['type.yaml', / --> type\.yaml:4:10\n/],
  ])('%s is refused at its place', async (name, place) => {
    for (const option of ['--dest-ignition', '--live-ignition']) {
      const { code, stderr } = await customize(`${option} ${name}`);
      expect(code).toBe(1);
      expect(stderr).toMatch(place);
      expect(stderr).toContain(`error: not a valid Ignition config: ${name}\n`);
      expect(stderr).not.toContain('secret');
    }
    expect(digest(await file('coreos.iso'))).toBe(digest(original));
  });

  it.each<[string, string, RunOptions]>([
    ['--no-validate', '--no-validate', {}],
    ['IRONIC_COREOS_VALIDATE=0', '', { env: { IRONIC_COREOS_VALIDATE: '0' } }],
    ['the name coreos-installer', '', { programName: 'coreos-installer' }],
  ])('are only decoded with %s', async (_title, flag, options) => {
    const result = await customize(`${flag} --live-ignition invalid.ign --live-ignition unused.ign`, options);
    expect(result).toMatchObject({ code: 0, stderr: 'Warning parsing unused.ign: unused key: $.other\n' });
    expect((await customize(`-f ${flag} --live-ignition type.yaml`, options)).code).toBe(1);
  });

  it('of a newer version are passed on with a warning', async () => {
    const { code, stderr } = await customize('--live-ignition newer.ign');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: newer\.ign: unsupported spec version 3\.9\.0; /);
  });

  it('are told what Ignition remarks', async () => {
    const { code, stderr } = await customize('--live-ignition unused.ign');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: unused key other \[\$\.other\] \(unused-key\)\n {2}--> unused\.ign:1:/);
  });
});

describe('the disk', () => {
  it.each([
    ['/dev/sda1', '/dev/sda'],
    ['/dev/vdb12', '/dev/vdb'],
    ['/dev/nvme0n1p2', '/dev/nvme0n1'],
    ['/dev/mmcblk0p1', '/dev/mmcblk0'],
    ['/dev/disk/by-id/wwn-0x5000c500a0b1c2d3-part1', '/dev/disk/by-id/wwn-0x5000c500a0b1c2d3'],
    ['/dev/disk/by-path/pci-0000:00:1f.2-ata-1-part3', '/dev/disk/by-path/pci-0000:00:1f.2-ata-1'],
    ['/dev/disk/by-partlabel/root', '/dev/disk/by-id/DISK'],
  ])('%s is refused, because it is a partition', async (device, disk) => {
    const message = `${device} is a partition: the installer overwrites it and fails, because it requires a whole disk`;
    const option = await customize(`--dest-device ${device} -o new.iso`);
    expect([option.code, option.stderr]).toEqual([
      1,
      `error: --dest-device ${message}\nhint: use --dest-device ${disk}\n`,
    ]);
    await writeFile(join(cwd, 'partition.yaml'), `dest-device: ${device}\n`);
    const settings = await customize('--installer-config partition.yaml -o new.iso');
    expect([settings.code, settings.stderr]).toEqual([
      1,
      `error: partition.yaml:1:14: dest-device: ${message}\nhint: use dest-device: ${disk}\n`,
    ]);
    const unchecked = await customize(`--no-validate --dest-device ${device} -o new.iso`);
    expect([unchecked.code, unchecked.stderr]).toEqual([
      0,
      expect.stringContaining(`warning: --dest-device ${message}`),
    ]);
  });

  it.each([
    '/dev/sda',
    '/dev/nvme0n1',
    '/dev/xvda1',
    '/dev/mapper/mpatha',
    '/dev/md126',
    '/dev/disk/by-id/nvme-A-part',
  ])('%s is a disk, or may be one', async (device) => {
    const { code, stderr } = await customize(`--dest-device ${device} -o new.iso`);
    expect([code, stderr]).toEqual([
      0,
      `Boot media will automatically install to ${device} without confirmation.\n`,
    ]);
  });

  it('that is empty is not ignored', async () => {
    await writeFile(join(cwd, 'empty.yaml'), 'dest-device: ""\n');
    const { stderr } = await customize('--installer-config empty.yaml -o new.iso');
    expect(stderr).toContain('warning: empty.yaml:1:14: dest-device: "" is not an absolute path');
    expect((await customize('--dest-device= -o other.iso')).stderr).toContain(
      'error: --dest-device is empty\n',
    );
  });
});

describe('remarks', () => {
  const noDevice = 'warning: the installer runs on boot, but no disk is set\n';
  it.each([
    [
      '--dest-device /dev/sda',
      /^Boot media will automatically install to \/dev\/sda without confirmation\.\n$/,
    ],
    [
      '--dest-device sda',
      /\nwarning: --dest-device sda is not an absolute path, .*\nhint: use --dest-device \/dev\/sda\n$/,
    ],
    ['--installer-config device.yaml', /^Boot media will automatically run installer\.\n$/],
    [
      '--installer-config relative.yaml',
      /\nwarning: relative\.yaml:2:14: dest-device: sda is not an absolute path, .*\nhint: use dest-device: \/dev\/sda\n$/,
    ],
    [
      '--dest-ignition config.ign',
      new RegExp(`^Boot media will automatically run installer\\.\n${noDevice}hint: .*\n$`),
    ],
    [
      '--dest-ignition config.ign --live-karg-append coreos.inst.install_dev=/dev/sda',
      /^Boot media will automatically run installer\.\n$/,
    ],
    ['--pre-install script.sh', /^$/],
    [
      '--no-validate --pre-install text.sh',
      /^warning: text\.sh: the script has no interpreter line \(#!\), so the unit that runs it fails\nhint: /,
    ],
    [
      '--no-validate --ignition-ca blank.pem',
      /^warning: blank\.pem: the file ends with text or an empty line after the last/,
    ],
    ['--no-validate --ignition-ca ca.pem', /^warning: ca\.pem: the file contains no PEM certificate\n/],
    ['--network-nmstate empty.yaml', /^warning: empty\.yaml contains no connections\n/],
    [
      '--dest-device x --dest-karg-append console=ttyS0',
      /^Note: consider using "--dest-console ttyS0" instead of "--dest-karg-append console=ttyS0"/,
    ],
  ])('%s', async (line, expected) => {
    const { code, stdout, stderr } = await customize(line);
    expect(stderr).toMatch(expected);
    expect([code, stdout]).toEqual([0, '']);
  });
});

describe('errors are one line and a hint, and nothing changes', () => {
  it.each([
    ['--live-ignition nowhere.ign', 'Ignition config not found: nowhere.ign'],
    [
      '--no-validate --live-ignition old.ign',
      'parsing Ignition config old.ign: unsupported config version: 2.2.0',
    ],
    [
      '--installer-config unknown.yaml',
      'parsing installer config unknown.yaml: unknown field `device` at line 1 column 9',
    ],
    ['--installer-config .', '. is a directory'],
    [
      '--pre-install script.sh --pre-install ./script.sh',
      'config already specifies path /usr/local/bin/pre-install-script.sh',
    ],
    [
      '--network-keyfile eth1.nmconnection --network-keyfile ./eth1.nmconnection',
      'config already specifies keyfile eth1.nmconnection',
    ],
    ['--network-nmstate vrf.yaml', 'vrf.yaml:1:1: '],
    ['--live-karg-replace a', 'Wrong input, format should be: KEY=OLD=NEW'],
    [`--live-karg-append ${'x'.repeat(2048)}`, 'kargs too large for area: '],
    ['-o config.ign', 'File exists: config.ign'],
    ['-o coreos.iso', 'File exists: coreos.iso is the input'],
  ])('%s', async (line, message) => {
    const before = await readdir(cwd);
    const { code, stderr, stdout } = await customize(line);
    const [first, ...others] = stderr.split('\n');
    expect(first?.startsWith(`error: ${message.replace(':1:1: ', ':')}`)).toBe(true);
    expect(others).toEqual([expect.stringMatching(/^hint: /), '']);
    expect([code, stdout]).toEqual([1, '']);
    expect(digest(await file('coreos.iso'))).toBe(digest(original));
    expect(await readdir(cwd)).toEqual(before);
  });

  it('reports all errors of a network state, each once', async () => {
    const { code, stderr } = await customize('--network-nmstate two.yaml');
    expect(stderr.match(/^error: .*$/gm)).toEqual([
      expect.stringMatching(/^error: two\.yaml:2:37: /),
      expect.stringMatching(/^error: two\.yaml:3:19: /),
    ]);
    expect(code).toBe(1);
  });

  it.each([
    ['--dest-console ttyS0', 'This OS image does not support customizing the destination console.'],
    ['--network-keyfile nowhere', 'This OS image does not support customizing network settings.'],
    ['--dest-device x', 'This OS image does not support customizing installer configuration.'],
    ['--live-karg-append x', 'This OS image does not support customizing live kernel arguments.'],
  ])('an old image with %s', async (line, message) => {
    await writeFile(join(cwd, 'coreos.iso'), liveIso('2020-09'));
    const { code, stderr } = await customize(line);
    expect(stderr.split('\n')).toEqual([`error: ${message}`, expect.stringMatching(/^hint: /), '']);
    expect(code).toBe(1);
  });
});

describe('usage errors', () => {
  it.each([
    'customize',
    'customize a b',
    'customize -f -f coreos.iso',
    'customize --dest-device a --dest-device b coreos.iso',
    'customize -o a -o b coreos.iso',
    'customize --unknown coreos.iso',
    'customize --dest-device= coreos.iso',
    'customize --dest-console foo nowhere.iso',
    'customize --dest-console console=ttyS0 coreos.iso',
  ])('iso %s', async (line) => {
    const { code, stdout, stderr } = await run(line);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).not.toBe('');
    expect(digest(await file('coreos.iso'))).toBe(digest(original));
  });

  it('say what is wrong with a console', async () => {
    expect((await customize('--dest-console foo')).stderr).toMatch(
      /^error: invalid value 'foo' for '--dest-console <spec>': invalid or unsupported console argument\nhint: /,
    );
  });
});

it('help fits 80 columns', async () => {
  const { code, stdout } = await run('customize --help');
  expect(code).toBe(0);
  expect(stdout.split('\n').filter((text) => text.length > 80)).toEqual([]);
});

describe('the system that a config is for', () => {
  it.each([
    ['--dest-ignition data.ign', 0, ''],
    ['--live-ignition data.ign', 1, 'the path is on a read-only filesystem of CoreOS'],
    ['--live-ignition config.ign --dest-device /dev/sda', 0, ''],
  ])('%s: %i', async (line, code, message) => {
    const result = await customize(line);
    expect({ ...result, stderr: result.stderr.includes(message) }).toMatchObject({ code, stderr: true });
    expect(digest(await file('coreos.iso')) === digest(original)).toBe(code === 1);
  });
});

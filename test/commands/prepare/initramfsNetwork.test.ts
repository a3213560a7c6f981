/**
 * The network of a host reaches the initramfs in every artifact that the host boots from: the keyfiles of its config, where
 * coreos-installer puts them. The commands for single images read them back.
 */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inputsNameImage } from '../../support/agentImage.ts';
import { liveIsoWith } from '../../support/liveIso.ts';
import { isoPair, packedIso } from '../../support/minimalIso.ts';
import { have, oracleNote } from '../../support/programs.ts';
import type { RunResult } from '../../support/runCli.ts';
import { place } from './support.ts';

const here = place();
const { fileOf, path, write } = here;
const run = (args: readonly string[]): Promise<RunResult> => here.run(args, inputsNameImage);

const keyfile =
  '[connection]\nid=static\ntype=ethernet\n\n[ipv4]\nmethod=manual\naddress1=192.0.2.5/24,192.0.2.1\n\n[ipv6]\nmethod=disabled\n';

const inventory = `
agent:
  ironic.apiUrls: https://192.0.2.1
  agent.image: 192.0.2.1:5000/ironic-agent
hosts:
  - name: static
    mac: 52:54:00:00:00:01
    network:
      keyfiles: {static.nmconnection: ${JSON.stringify(keyfile)}}
  - name: dhcp
    mac: 52:54:00:00:00:02
`;

interface Embedded {
  readonly name: string;
  readonly text: string;
}

/** The keyfiles that the commands for single images find. */
async function networkIn(file: string): Promise<readonly Embedded[]> {
  const command = file.endsWith('.iso') ? ['iso', 'network', 'extract'] : ['pxe', 'network', 'unwrap'];
  const folder = `found ${file.replaceAll('/', '-')}`;
  rmSync(path(folder), { recursive: true, force: true });
  const { code, stderr } = await run([...command, '-C', folder, file]);
  if (code === 1 && stderr.includes('No embedded network settings')) return [];
  expect([code, stderr]).toEqual([0, '']);
  return readdirSync(path(folder)).map((name) => ({ name, text: readFileSync(path(folder, name), 'utf8') }));
}

/** Files of a host, without the folder. */
const allArtifacts: readonly (readonly [artifact: string, file: string])[] = [
  ['iso', 'live.iso'],
  ['minimal-iso', 'minimal.iso'],
  ['initramfs', 'initramfs.img'],
  ['archive,initramfs', 'config.img'],
];

async function prepareAll(iso: Uint8Array, names: string, folder: string): ReturnType<typeof run> {
  await write('network.yaml', inventory);
  await write(`${folder}.iso`, iso);
  const options = ['--iso', `${folder}.iso`, '--base-url', 'http://h', '-o', folder, '--artifacts', names];
  return run(['prepare', '--inventory', 'network.yaml', ...options]);
}

describe('the network of a host is in the initramfs of', () => {
  it.each(allArtifacts)('%s', async (artifact, file) => {
    const folder = `of ${artifact}`;
    const { code, stderr } = await prepareAll(await packedIso(), artifact, folder);
    expect([code, stderr]).toEqual([0, expect.stringContaining('2 hosts prepared')]);
    const found = await networkIn(fileOf('static', file, folder));
    expect(found).toEqual([{ name: 'static.nmconnection', text: keyfile }]);
    expect(await networkIn(fileOf('dhcp', file, folder))).toEqual([]);
  });

  it('an ISO whose base image has other network settings: they are replaced', async () => {
    await write('other.nmconnection', keyfile);
    await write('base.iso', isoPair().full);
    await run(['iso', 'network', 'embed', '-k', 'other.nmconnection', 'base.iso']);
    await prepareAll(readFileSync(path('base.iso')), 'iso', 'replaced');
    expect((await networkIn('replaced/hosts/static/live.iso')).map(({ name }) => name)).toEqual([
      'static.nmconnection',
    ]);
    expect((await networkIn('replaced/hosts/dhcp/live.iso')).map(({ name }) => name)).toEqual([
      'other.nmconnection',
    ]);
  });

  it.each(['remove', 'reset'])('an ISO, until `iso network %s` or `iso reset`', async (verb) => {
    const folder = `undone by ${verb}`;
    await prepareAll(await packedIso(), 'iso', folder);
    const iso = `${folder}/hosts/static/live.iso`;
    const { code } = await run(verb === 'reset' ? ['iso', 'reset', iso] : ['iso', 'network', 'remove', iso]);
    expect([code, await networkIn(iso)]).toEqual([0, []]);
  });
});

describe('inspect and validate report an image whose network is only in the config', () => {
  it.each<readonly [file: string, artifact: string, isReported: boolean]>([
    ['minimal.iso', 'minimal-iso', true],
    ['live.iso', 'iso', false],
  ])('%s: %s', async (file, artifact, isReported) => {
    const folder = `late ${artifact}`;
    await prepareAll(await packedIso(), artifact, folder);
    const iso = fileOf('static', file, folder);
    const rule = '(image-initramfs-network)';
    expect((await run(['inspect', iso])).stdout).not.toContain(rule);
    await run(['iso', 'network', 'remove', iso]);
    expect((await run(['inspect', iso])).stdout.includes(rule)).toBe(isReported);
    expect((await run(['validate', iso])).stdout.includes(rule)).toBe(isReported);
    for (const argument of ['ip=192.0.2.5:::24::eth0:none', 'bridge=br0:eth0', 'team=team0:eth0']) {
      await run(['iso', 'kargs', 'modify', '-a', argument, iso]);
      expect(`${argument}\n${(await run(['inspect', iso])).stdout}`).not.toContain(rule);
      await run(['iso', 'kargs', 'modify', '-d', argument, iso]);
    }
    expect((await run(['inspect', iso])).stdout.includes(rule)).toBe(isReported);
  });
});

describe('an image whose features.json does not have live-initrd-network', () => {
  const iso = liveIsoWith((files) => files.delete('coreos/features.json'));

  it('is refused for artifacts that fetch the root filesystem', async () => {
    const { code, stderr } = await prepareAll(iso, 'initramfs,archive', 'unsupported');
    expect(code).toBe(1);
    expect(stderr).toContain('static is not written');
    expect(stderr).toContain(
      'cannot be added to archive and initramfs: the initramfs of this OS image ignores keyfiles',
    );
  });

  it('still makes a full ISO, which has its root filesystem on the medium', async () => {
    const { code } = await prepareAll(iso, 'iso', 'full only');
    expect([code, await networkIn('full only/hosts/static/live.iso')]).toEqual([0, []]);
  });
});

describe.skipIf(!have('coreos-installer'))(`coreos-installer${oracleNote('coreos-installer')}`, () => {
  it.each(allArtifacts)('reads the keyfile out of %s', async (artifact, file) => {
    const folder = `read ${artifact}`;
    await prepareAll(await packedIso(), artifact, folder);
    const command = file.endsWith('.iso') ? ['iso', 'network', 'extract'] : ['pxe', 'network', 'unwrap'];
    const found = execFileSync('coreos-installer', [...command, path(fileOf('static', file, folder))]);
    expect(found.toString()).toContain(keyfile.trimEnd());
  });
});

/** Without `--artifacts`, unless it is in `args`. */
const start = async (iso: Uint8Array, ...args: string[]): ReturnType<typeof run> => {
  await write('network.yaml', inventory);
  await write('usual.iso', iso);
  const options = ['--iso', 'usual.iso', '--base-url', 'http://192.0.2.9', '-o', 'usual', '--prune'];
  return run(['prepare', '--inventory', 'network.yaml', ...options, ...args]);
};

/** The arguments that the hint of a message names. */
const hintIn = (stderr: string): string[] => {
  const [, artifacts = ''] = /^hint: use (--artifacts [\w-]+(?:,[\w-]+)*)/m.exec(stderr) ?? [];
  return artifacts.split(' ');
};

/** The current files of a host. */
const hostFiles = (host: string): string[] =>
  here
    .manifest('usual')
    .files.filter((file) => file.path.startsWith(`hosts/${host}/`) && file.superseded !== true)
    .map((file) => file.path.slice(file.path.lastIndexOf('/') + 1))
    .toSorted();

describe('without --artifacts, a host with a static network', () => {
  const loads =
    /initrd --timeout 60000 --name initramfs2 http:\/\/192\.0\.2\.9\/hosts\/static\/[0-9a-f]{12}\/config\.img/;

  it('boots with its config and network from an archive, and one message names it', async () => {
    const { code, stderr } = await start(isoPair().full);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^info: the boot scripts of hosts with a static/m),
    ]);
    expect(stderr).toMatch(/^ {2}for static$/m);
    expect(await networkIn(fileOf('static', 'config.img', 'usual'))).toEqual([
      { name: 'static.nmconnection', text: keyfile },
    ]);
    for (const script of [
      'ipxe/static.ipxe',
      'grub/grub.cfg-01-52-54-00-00-00-01',
      'pxelinux.cfg/01-52-54-00-00-00-01',
    ]) {
      const text = readFileSync(path('usual', script), 'utf8');
      expect(text).toContain(fileOf('static', 'config.img', 'usual').replace('usual/', '/'));
      expect(text).not.toContain('ignition.config.url');
    }
    expect(readFileSync(path('usual/ipxe/static.ipxe'), 'utf8')).toMatch(loads);
    expect(readFileSync(path('usual/ipxe/dhcp.ipxe'), 'utf8')).toContain('ignition.config.url=');
    expect(hostFiles('dhcp')).toEqual(['config.ign']);
    expect(hostFiles('static')).toEqual(['config.ign', 'config.img']);
  });

  it('has an ISO after the hint of that message', async () => {
    const args = hintIn((await start(isoPair().full)).stderr);
    expect(args).toEqual(['--artifacts', 'iso']);
    const { code } = await start(isoPair().full, ...args);
    expect([code, hostFiles('static')]).toEqual([0, ['live.iso']]);
  });

  it('has the archive after the hint of the warning about explicit artifacts', async () => {
    const asked = await start(isoPair().full, '--artifacts', 'ign,ipxe');
    expect(asked.stderr).toContain(
      'warning: the initramfs fetches the Ignition config, but it has no network',
    );
    const { code, stderr } = await start(isoPair().full, ...hintIn(asked.stderr));
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('agent-network-reach')]);
    expect(readFileSync(path('usual/ipxe/static.ipxe'), 'utf8')).toMatch(loads);
  });

  it('is left out if the initramfs ignores the network, and the hint creates its ISO', async () => {
    const old = liveIsoWith((files) => files.delete('coreos/features.json'));
    const { code, stderr } = await start(old);
    expect([code, stderr]).toEqual([1, expect.stringContaining('error: static is not written')]);
    expect(stderr).not.toContain('info:');
    expect(await start(old, ...hintIn(stderr))).toMatchObject({ code: 0 });
  });

  it.each(['archive', 'archive,iso', 'archive,ign'])('is prepared with --artifacts %s', async (artifacts) => {
    const { code, stderr } = await start(isoPair().full, '--artifacts', artifacts);
    expect([code, stderr]).toEqual([0, expect.stringContaining('2 hosts prepared')]);
    expect(await networkIn(fileOf('static', 'config.img', 'usual'))).toHaveLength(1);
  });
});

describe('a static network that does not reach the root filesystem is reported by prepare', () => {
  it.each<readonly [title: string, url: string, artifacts: string, message: string]>([
    ['an address in its subnet', 'http://192.0.2.9', 'minimal-iso', ''],
    [
      'a name without DNS server',
      'http://boot.example.com',
      'minimal-iso',
      'so the host cannot resolve boot.example.com',
    ],
    [
      'a config that the initramfs fetches',
      'http://192.0.2.9',
      'ign,ipxe',
      'the initramfs fetches the Ignition config',
    ],
    ['a full ISO', 'http://boot.example.com', 'iso', ''],
  ])('%s', async (_title, url, artifacts, message) => {
    await write('network.yaml', inventory);
    await write('reach.iso', await packedIso());
    const { code, stderr } = await run([
      'prepare',
      '--inventory',
      'network.yaml',
      '--iso',
      'reach.iso',
      '--base-url',
      url,
      '-o',
      'reach',
      '--artifacts',
      artifacts,
    ]);
    expect(code).toBe(0);
    expect(stderr.includes('(agent-network-reach)')).toBe(message !== '');
    expect(stderr).toContain(message);
  });
});

it('a MAC address in the network of one host and in the entry of another is reported by prepare', async () => {
  const other = keyfile.replace('[ipv4]', '[ethernet]\nmac-address=52:54:00:00:00:02\n\n[ipv4]');
  await write('macs.yaml', inventory.replace(JSON.stringify(keyfile), JSON.stringify(other)));
  await write('macs.iso', isoPair().full);
  const { code, stderr } = await run(
    'prepare --inventory macs.yaml --iso macs.iso --base-url http://h -o macs --artifacts iso'.split(' '),
  );
  expect(code).toBe(0);
  expect(stderr).toContain('warning: static has the same MAC address 52:54:00:00:00:02 (agent-network)\n');
});

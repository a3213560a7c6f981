/** `prepare --agent-archive`: hosts without a registry, however they boot. */

import { createHash } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../../src/ignition/config.ts';
import { readIgnition } from '../../../src/image/embeddedIgnition.ts';
import { openLiveIso } from '../../../src/image/liveIso.ts';
import { bytesAccess } from '../../../src/image/overlay.ts';
import { dockerArchive, ociArchive } from '../../support/containerImages.ts';
import { packedIso } from '../../support/minimalIso.ts';
import { inventory } from '../../support/twoHosts.ts';
import { expectConsistent, place } from './support.ts';

const here = place();
const { fileOf, list, manifest, path, prepare, read, run, write } = here;
const iso = ['--iso', 'full.iso', '--artifacts', 'ign,iso,minimal-iso,ipxe', '--base-url', 'http://h/b'];
const name = 'registry.example.com/ironic-agent:1';

let id = '';
let sha512 = '';
beforeAll(async () => {
  const archive = await ociArchive({ names: [name] });
  sha512 = createHash('sha512').update(archive).digest('hex');
  id = `x86_64-${sha512.slice(0, 12)}`;
  await write('agent.tar', archive);
  await write('arm.tar', await ociArchive({ architecture: 'arm64', names: [name] }));
  await write(
    'two.tar',
    await dockerArchive({ names: ['a.example/a:1'] }, { names: ['b.example/b:1'], layers: ['x'] }),
  );
  const damaged = Buffer.from(archive);
  damaged.write('X', 700);
  await write('damaged.tar', damaged);
  await write('full.iso', await packedIso());
  await write('one.yaml', inventory.replace(/- name: worker-1[^]*/, ''));
});

const urlOf = (config: Config): string | undefined =>
  config.storage?.files?.find((file) => file.path?.startsWith('/var/lib/ironic-agent-image/'))?.contents
    ?.source;
const embeddedIn = async (file: string): Promise<Config> => {
  const config = await readIgnition(await openLiveIso(bytesAccess(await readFile(path(file)))));
  return JSON.parse(Buffer.from(config ?? []).toString());
};

describe('prepare --agent-archive', () => {
  it('has it once, names it by URL, and puts it on full ISOs instead', async () => {
    const { code, stderr } = await prepare(...iso, '--agent-archive', 'agent.tar');
    expect([code, stderr]).toEqual([0, expect.stringContaining('2 hosts prepared')]);
    const served = `agents/${id}/agent.tar`;
    expect((await list()).filter((file) => file.startsWith('agents/'))).toEqual([served]);
    expect(await readFile(path('boot', served))).toEqual(await readFile(path('agent.tar')));
    for (const host of ['worker-0', 'worker-1']) {
      const config: Config = JSON.parse(read(fileOf(host, 'config.ign')));
      expect(urlOf(config)).toBe(`http://h/b/${served}`);
      expect(urlOf(await embeddedIn(fileOf(host, 'minimal.iso')))).toBe(`http://h/b/${served}`);
      const onIso = await embeddedIn(`boot/hosts/${host}/live.iso`);
      expect([urlOf(onIso), JSON.stringify(onIso).includes('/run/media/iso')]).toEqual([undefined, true]);
      const { stdout } = await run(['inspect', '--format', 'json', `boot/hosts/${host}/live.iso`]);
      expect(JSON.parse(stdout).agentArchive).toMatchObject({ name: 'agent.tar', sha512, state: 'present' });
    }
    await expectConsistent(here);
    expect((await prepare(...iso, '--agent-archive', 'agent.tar')).stderr).toContain(' 0 files written');
  });

  it.each([
    ['iso', 1, '\nhint: omit coreos.liveiso.fromram'],
    ['minimal-iso', 0, '2 hosts prepared'],
  ])('with an argument that unmounts the medium: %s', async (artifact, code, message) => {
    const fromRam = inventory.replace('hosts:', '  boot.kernelArguments: [coreos.liveiso.fromram]\nhosts:');
    await write('ram.yaml', fromRam);
    const output = ['--artifacts', artifact, '--base-url', 'http://h/b', '-o', `ram ${artifact}`];
    const args = ['prepare', '--inventory', 'ram.yaml', '--iso', 'full.iso', ...output];
    const result = await run([...args, '--agent-archive', 'agent.tar']);
    expect(result).toMatchObject({ code, stderr: expect.stringContaining(message) });
  });

  it('is not replaced by a bundle', async () => {
    const before = await readFile(path('agent.tar'));
    const args = [...iso, '--agent-archive', 'agent.tar', '--bundle', 'agent.tar'];
    const { code, stderr } = await prepare(...args);
    expect([code, stderr]).toEqual([1, expect.stringContaining('agent.tar is an input of this command')]);
    expect(await readFile(path('agent.tar'))).toEqual(before);
  });

  it('records it, and the memory that hosts need by the way in which they boot', () => {
    const { hosts, inputs } = manifest();
    expect(inputs.at(-1)).toMatchObject({ role: 'agent-archive', name: 'agent.tar', architecture: 'x86_64' });
    const [host] = hosts;
    expect(host?.agentArchive).toBe(id);
    const whats = new Map(
      (host?.memory ?? []).map(({ boot, parts }) => [boot, parts.map(({ what }) => what)]),
    );
    expect([...whats.keys()]).toEqual(['network', 'minimal-iso', 'iso']);
    const fetched = 'agent archive, until it is loaded';
    expect(whats.get('network')).toEqual(
      expect.arrayContaining(['root filesystem, which stays in memory', fetched]),
    );
    expect(whats.get('iso')).toContain('unpacked agent image');
    expect(whats.get('iso')).not.toContain(fetched);
    for (const { minimum, parts } of host?.memory ?? [])
      expect(minimum).toBe(parts.reduce((sum, { bytes }) => sum + bytes, 0));
  });

  it('lets everybody read a config that has no secret but the archive', async () => {
    expect(((await stat(path(fileOf('worker-0', 'config.ign')))).mode & 0o777).toString(8)).toBe('644');
  });

  it('leaves the old one until no host loads it', async () => {
    const other = await ociArchive({ names: [name], layers: ['another'] });
    await write('agent.tar', other);
    await prepare(...iso, '--agent-archive', 'agent.tar');
    expect((await list()).filter((file) => file.startsWith('agents/'))).toHaveLength(2);
    await prepare(...iso, '--agent-archive', 'agent.tar', '--prune');
    const left = (await list()).filter((file) => file.startsWith('agents/'));
    expect(left).toEqual([expect.not.stringContaining(id)]);
    await expectConsistent(here);
  });

  it('takes it from the inventory, and leaves alone what is elsewhere', async () => {
    const agent = "agent:\n  agent.archive: agent.tar\n  agent.archiveUrl: 'http://other/agent.tar'\n";
    await write('elsewhere.yaml', inventory.replace('agent:\n', agent));
    const { code } = await run(['prepare', '--inventory', 'elsewhere.yaml', ...iso, '-o', 'elsewhere']);
    expect(code).toBe(0);
    expect(urlOf(JSON.parse(read(fileOf('worker-0', 'config.ign', 'elsewhere'))))).toBe(
      'http://other/agent.tar',
    );
    expect(urlOf(await embeddedIn('elsewhere/hosts/worker-0/live.iso'))).toBe('http://other/agent.tar');
    expect((await list('elsewhere')).filter((file) => file.startsWith('agents/'))).toEqual([]);
  });

  it('gives hosts the one of their architecture', async () => {
    const text = inventory
      .replace('name: worker-0', 'name: worker-0\n  architecture: aarch64')
      .replace('name: worker-1', 'name: worker-1\n  architecture: x86_64');
    await write('mixed.yaml', text);
    const args = [
      'prepare',
      '--inventory',
      'mixed.yaml',
      '--artifacts',
      'ign',
      '--base-url',
      'http://h',
      '-o',
      'mixed',
    ];
    const both = ['--agent-archive', 'arm.tar', '--agent-archive', 'agent.tar'];
    expect((await run([...args, ...both])).code).toBe(0);
    expect(urlOf(JSON.parse(read(fileOf('worker-0', 'config.ign', 'mixed'))))).toMatch(
      /\/aarch64-[0-9a-f]{12}\/arm\.tar$/,
    );
    expect(urlOf(JSON.parse(read(fileOf('worker-1', 'config.ign', 'mixed'))))).toMatch(
      /\/x86_64-[0-9a-f]{12}\/agent\.tar$/,
    );
    const { code, stderr } = await run([...args, '--agent-archive', 'agent.tar']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('the agent archive is for x86_64, but the host is aarch64'),
    ]);
  });

  it('gives hosts without images and without an architecture the one for x86_64', async () => {
    const args = [
      'prepare',
      '--inventory',
      'inv.yaml',
      '--artifacts',
      'ign',
      '--base-url',
      'http://h',
      '-o',
      'any',
    ];
    const archives = ['--agent-archive', 'arm.tar', '--agent-archive', 'agent.tar'];
    expect((await run([...args, ...archives])).code).toBe(0);
    expect(urlOf(JSON.parse(read(fileOf('worker-0', 'config.ign', 'any'))))).toMatch(/\/agent\.tar$/);
    const { code, stderr } = await run([...args, '--agent-archive', 'aarch64=arm.tar']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('no agent archive for x86_64')]);
    expect(stderr).toContain('hint: pass it: --agent-archive x86_64=FILE\n');
  });

  it('refuses one for another architecture than that of the images, which hosts without their own have', async () => {
    const { code, stderr } = await prepare(...iso, '--agent-archive', 'arm.tar');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('the agent archive is for aarch64, but the host is x86_64'),
    ]);
  });

  it.each([
    ['a damaged one', ['damaged.tar'], 1, 'damaged.tar: '],
    ['one that is missing', ['gone.tar'], 1, 'Agent archive (--agent-archive) not found: gone.tar'],
    ['one that leaves a choice', ['two.tar'], 1, 'contains 2 images'],
    [
      'two of one architecture',
      ['agent.tar', '--agent-archive', 'agent.tar'],
      2,
      'two agent archives for x86_64',
    ],
  ])('refuses %s before anything is served', async (_title, args, code, message) => {
    const result = await run([
      'prepare',
      '--inventory',
      'one.yaml',
      ...iso,
      '-o',
      'none',
      '--agent-archive',
      ...args,
    ]);
    expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(message)]);
    await rm(path('none'), { recursive: true, force: true });
  });

  it('asks for the URL that hosts would fetch it from', async () => {
    const args = ['--artifacts', 'ign', '-o', 'none', '--agent-archive', 'agent.tar'];
    const { code, stderr } = await run(['prepare', '--inventory', 'one.yaml', ...args]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('the agent archive requires --base-url')]);
  });
});

describe('prepare --layout metal3 --agent-archive', () => {
  it('adds it to an ISO in its place once, and to what is served', async () => {
    await write('agent.yaml', 'agent: {ironic.apiUrls: http://192.0.2.1}\n');
    const file = 'pod/html/images/ironic-python-agent.iso';
    await run([
      'prepare',
      '--layout',
      'metal3',
      '--iso',
      'live.iso',
      '-o',
      'pod',
      '--inventory',
      'agent.yaml',
    ]);
    await rm(path('pod/manifest.json'));
    const args = [
      'prepare',
      '--layout',
      'metal3',
      '-o',
      'pod',
      '--inventory',
      'agent.yaml',
      '--base-url',
      'http://h:6180',
    ];
    for (const written of ['3 files written', '0 files written']) {
      const { code, stderr } = await run([...args, '--agent-archive', 'agent.tar']);
      expect([code, stderr]).toEqual([0, expect.stringContaining(written)]);
    }
    const url = urlOf(JSON.parse(read('pod/html/ironic-python-agent.ign'))) ?? '';
    expect(url).toMatch(/^http:\/\/h:6180\/agents\/x86_64-[0-9a-f]{12}\/agent\.tar$/);
    expect(await list('pod')).toContain(url.replace('http://h:6180', 'html'));
    const { stdout } = await run(['inspect', '--format', 'json', file]);
    expect(JSON.parse(stdout).agentArchive).toMatchObject({ state: 'present', url: null });
    await writeFile(path('agent.tar'), await ociArchive({ names: [name], layers: ['third'] }));
    const other = await run([...args, '--agent-archive', 'agent.tar']);
    expect([other.code, other.stderr]).toEqual([
      1,
      expect.stringContaining('already contains a different file coreos/agent.tar'),
    ]);
  });
});

/** `render --agent-archive`: the image comes along, on the medium or by HTTP, and is loaded before the agent starts. */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../../src/ignition/config.ts';
import { inputsNameImage } from '../../support/agentImage.ts';
import { dockerArchive, ociArchive, sha256 } from '../../support/containerImages.ts';
import { have, oracleNote } from '../../support/programs.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';

const name = 'registry.example.com/ironic-agent:1';
const base = ['render', '--api-url', 'https://192.0.2.1', '--no-ssh-key'];
const url = 'https://192.0.2.1/images/agent.tar';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent archive '));
  const archives: Readonly<Record<string, Buffer>> = {
    'agent.tar': await dockerArchive({ names: [name] }),
    'nameless.tar': await ociArchive({}),
    'two.tar': await dockerArchive({ names: ['a.example/a:1'] }, { names: ['b.example/b:1'], layers: ['x'] }),
    'two equal.tar': await dockerArchive({}),
    'arm.tar': await ociArchive({ architecture: 'arm64' }),
    'windows.tar': await ociArchive({ os: 'windows' }),
    'text.tar': Buffer.from('hello'),
  };
  for (const [file, bytes] of Object.entries(archives)) await writeFile(join(folder, file), bytes);
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

const run = (args: readonly string[]): Promise<RunResult> =>
  runCli([...base, ...args], { cwd: folder, env: inputsNameImage });

async function render(...args: readonly string[]): Promise<Config> {
  const { code, stderr, stdout } = await run(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

const unitOf = ({ systemd }: Config, unit: string): string =>
  systemd?.units?.find((candidate) => candidate.name === unit)?.contents ?? '';
const fileOf = ({ storage }: Config, path: string) => storage?.files?.find((file) => file.path === path);
const textOf = (source = ''): string =>
  Buffer.from(source.replace(/^data:;base64,/, ''), 'base64').toString();

describe('render --agent-archive', () => {
  it('loads the image from the medium', async () => {
    const config = await render('--agent-archive', 'agent.tar');
    const digest = createHash('sha512')
      .update(await readFile(join(folder, 'agent.tar')))
      .digest('hex');
    const path = '/run/media/iso/coreos/agent.tar';
    expect(textOf(fileOf(config, '/etc/ironic-agent-image.sha512')?.contents?.source)).toBe(
      `${digest}  ${path}\n`,
    );
    const load = unitOf(config, 'ironic-agent-image.service');
    expect(load).toContain('RequiresMountsFor=/run/media/iso\n');
    expect(load).toContain(`ExecStart=/bin/podman load --quiet --input ${path}\n`);
    expect(load).toMatch(new RegExp(`ExecStart=/bin/podman tag [0-9a-f]{64} ${name}\n`));
    expect(load).toContain('RequiredBy=ironic-agent.service\n');
    const agent = unitOf(config, 'ironic-agent.service');
    expect(agent).toContain('--pull=never');
    expect(agent).toMatch(new RegExp(` ${name}\nExecStop`));
    expect(agent).not.toContain('podman pull');
  });

  it('lets Ignition fetch it, with its digest, and drops the file when it is loaded', async () => {
    const config = await render('--agent-archive', 'agent.tar', '--archive-url', url);
    const digest = createHash('sha512')
      .update(await readFile(join(folder, 'agent.tar')))
      .digest('hex');
    const path = '/var/lib/ironic-agent-image/agent.tar';
    expect(fileOf(config, path)?.contents).toEqual({
      source: url,
      verification: { hash: `sha512-${digest}` },
    });
    const load = unitOf(config, 'ironic-agent-image.service');
    expect(load).toContain(`ExecStartPost=/bin/rm -f ${path}\n`);
    expect(load).not.toContain('RequiresMountsFor');
  });

  it('lets Ignition verify the server with the CA certificates', async () => {
    const ca = resolve(import.meta.dirname, '../../support/certificates/test-ca.pem');
    const archive = ['--agent-archive', 'agent.tar', '--ca-file', ca];
    const { ignition } = await render(...archive, '--archive-url', url);
    const [authority, ...others] = ignition?.security?.tls?.certificateAuthorities ?? [];
    expect(others).toEqual([]);
    expect(textOf(authority?.source)).toBe(await readFile(ca, 'utf8'));
    expect((await render(...archive)).ignition).not.toHaveProperty('security');
  });

  it.each([
    ['the name in the archive', ['agent.tar'], name],
    ['a local name where it has none', ['nameless.tar'], 'localhost/ironic-agent'],
    [
      'the name that the user gives',
      ['agent.tar', '--agent-image', 'own.example/ipa:2'],
      'own.example/ipa:2',
    ],
    ['the name that chooses one of two', ['two.tar', '--agent-image', 'b.example/b:1'], 'b.example/b:1'],
  ])('runs it under %s', async (_title, args, reference) => {
    const config = await render('--agent-archive', ...args);
    expect(unitOf(config, 'ironic-agent-image.service')).toMatch(
      new RegExp(`podman tag [0-9a-f]{64} ${reference}\n`),
    );
    expect(unitOf(config, 'ironic-agent.service')).toMatch(new RegExp(` --name ironic-agent ${reference}\n`));
  });

  it.each([
    ['two images', ['two.tar'], 1, 'contains 2 images: a.example/a:1 amd64, b.example/b:1 amd64'],
    ['a name that is none on the medium', ['two equal.tar'], 1, 'has an invalid file name for the medium'],
    ['an image for Windows', ['windows.tar'], 1, 'contains an image for windows'],
    ['what is no archive', ['text.tar'], 1, '--agent-archive: text.tar: it is not a valid tar archive'],
    ['a file that is not there', ['gone.tar'], 1, 'Agent archive (--agent-archive) not found: gone.tar'],
    ['a folder', ['.'], 1, ''],
    [
      'a policy to pull',
      ['agent.tar', '--pull-policy', 'always'],
      2,
      '--pull-policy always cannot be combined with --agent-archive',
    ],
    [
      'a digest',
      ['agent.tar', '--agent-image', `a.example/a@sha256:${'0'.repeat(64)}`],
      2,
      '--agent-image contains a digest',
    ],
    ['a URL that is none', ['agent.tar', '--archive-url', 'agent.tar'], 2, '--archive-url is not a URL'],
  ])('refuses %s', async (_title, args, code, message) => {
    const result = await run(['--agent-archive', ...args]);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(message);
  });

  it.each([
    ['on the medium', []],
    ['fetched', ['--archive-url', url]],
  ])('makes a config that is valid and compares equal with itself: %s', async (_title, args) => {
    const archive = (file: string): string[] => ['--agent-archive', file, ...args];
    await run([...archive('agent.tar'), '-o', 'agent.ign']);
    expect(await runCli(['validate', 'agent.ign'], { cwd: folder })).toMatchObject({ code: 0, stdout: '' });
    const compare = async (file: string): Promise<RunResult> => {
      const { stdout } = await run(archive(file));
      return runCli(['inspect', 'agent.ign', '-'], { cwd: folder, stdin: stdout });
    };
    expect(await compare('agent.tar')).toMatchObject({ code: 0, stdout: '' });
    const other = await compare('nameless.tar');
    expect(other.code).toBe(1);
    expect(other.stdout).toContain('/etc/ironic-agent-image.sha512');
    await rm(join(folder, 'agent.ign'));
  });

  it('refuses a URL without the archive', async () => {
    const { code, stderr } = await run(['--archive-url', url]);
    expect({ code, stderr }).toMatchObject({ code: 2 });
    expect(stderr).toContain('--archive-url requires an agent archive');
  });

  it('refuses an archive for another architecture than that of a host', async () => {
    const hosts = [
      { name: 'a', architecture: 'aarch64' },
      { name: 'b', architecture: 'x86_64' },
    ];
    const agent = { 'ironic.apiUrls': ['https://192.0.2.1'], 'agent.archive': 'arm.tar' };
    await writeFile(join(folder, 'hosts.yaml'), JSON.stringify({ agent, hosts }));
    const { code, stderr } = await runCli(
      ['render', '--inventory', 'hosts.yaml', '--no-ssh-key', '-o', 'out'],
      {
        cwd: folder,
      },
    );
    expect(code).toBe(1);
    expect(stderr).toContain('the agent archive is for aarch64, but the host is x86_64');
    expect(stderr).toContain('out: 1 written, 0 unchanged, 1 invalid\n');
  });
});

/** Relative paths contain no space, as absolute ones may. */
function here(text: string): string {
  return text.replaceAll(/\/(?=var\/lib\/|etc\/ironic)/g, './');
}

/** Runs the commands of the unit as systemd would, in a folder instead of the root. */
async function start(content: Buffer): Promise<{ status: number; podman: string; isLeft: boolean }> {
  const config = await render('--agent-archive', 'agent.tar', '--archive-url', url);
  const root = await mkdtemp(join(tmpdir(), 'archive-root'));
  const file = join(root, 'var/lib/ironic-agent-image/agent.tar');
  const sums = textOf(fileOf(config, '/etc/ironic-agent-image.sha512')?.contents?.source);
  for (const path of ['etc', 'var/lib/ironic-agent-image'])
    await mkdir(join(root, path), { recursive: true });
  await writeFile(join(root, 'etc/ironic-agent-image.sha512'), here(sums));
  await writeFile(file, content);
  await writeFile(join(root, 'podman'), '#!/bin/sh\necho "$@" >> podman.log\n');
  await chmod(join(root, 'podman'), 0o755);
  const unit = here(unitOf(config, 'ironic-agent-image.service')).replaceAll('/bin/podman', './podman');
  const commands = [...unit.matchAll(/^ExecStart(?:Post)?=(.*)$/gm)].map(([, command]) => command);
  const { status } = spawnSync('sh', ['-e', '-c', commands.join('\n')], { cwd: root });
  const podman = (await readFile(join(root, 'podman.log'), 'utf8').catch(() => '')).replaceAll('./', '/');
  const isLeft = await readFile(file).then(
    () => true,
    () => false,
  );
  await rm(root, { recursive: true });
  return { status: status ?? -1, podman, isLeft };
}

describe('ironic-agent-image.service', () => {
  it.skipIf(!have('systemd-analyze'))(
    `is understood by systemd${oracleNote('systemd-analyze')}`,
    async () => {
      const units = await mkdtemp(join(tmpdir(), 'archive-units'));
      for (const args of [[], ['--archive-url', url]]) {
        const config = await render('--agent-archive', 'agent.tar', ...args);
        const path = join(units, 'ironic-agent-image.service');
        await writeFile(
          path,
          unitOf(config, 'ironic-agent-image.service').replaceAll('/bin/podman', '/bin/true'),
        );
        const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], {
          encoding: 'utf8',
        });
        const complaints = stderr.split('\n').filter((line) => line.includes('ironic-agent-image.service'));
        expect({ status, complaints }).toEqual({ status: 0, complaints: [] });
      }
      await rm(units, { recursive: true });
    },
  );

  it('loads and names the image, with the digest of its config, and frees the memory', async () => {
    const archive = await readFile(join(folder, 'agent.tar'));
    const { podman, ...rest } = await start(archive);
    expect(rest).toEqual({ status: 0, isLeft: false });
    const [load, tag] = podman.trim().split('\n');
    expect(load).toBe('load --quiet --input /var/lib/ironic-agent-image/agent.tar');
    const id = /^tag ([0-9a-f]{64}) registry/.exec(tag ?? '')?.[1] ?? '';
    expect(archive.includes(`${id}.json`)).toBe(true);
    expect(id).not.toBe(sha256(archive));
  });

  it('loads nothing that has another digest', async () => {
    const other = await readFile(join(folder, 'nameless.tar'));
    expect(await start(other)).toEqual({ status: 1, podman: '', isLeft: true });
  });
});

/** `inspect`: archives with the agent's image, by themselves, on a medium, and where one is missing. */

import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dockerArchive, ociArchive, tarOf } from '../../support/containerImages.ts';
import { liveIso } from '../../support/liveIso.ts';
import { inputsNameImage } from '../../support/agentImage.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';

const name = 'registry.example.com/ironic-agent:1';
let cwd: string;
let sha512: string;
const run = (...args: string[]): Promise<RunResult> => runCli(args, { cwd, env: inputsNameImage });
const write = (file: string, data: string | Uint8Array): Promise<void> => writeFile(join(cwd, file), data);

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'inspect archive '));
  const archive = await ociArchive({ names: [name] });
  sha512 = createHash('sha512').update(archive).digest('hex');
  await write('agent.tar', archive);
  await write('other.tar', await ociArchive({ layers: ['other'] }));
  await write('arm.tar.gz', gzipSync(await dockerArchive({ architecture: 'arm64' })));
  await write('plain.tar', await tarOf([['notes.txt', 'hello']]));
  await write('live.iso', liveIso('2023-07'));
  const render = ['render', '--api-url', 'https://192.0.2.1', '--no-ssh-key', '--agent-archive', 'agent.tar'];
  await run(...render, '-o', 'medium.ign');
  await run(...render, '--archive-url', 'https://user:hunter2@192.0.2.1/agent.tar', '-o', 'fetched.ign');
  const embed = async (output: string, ...args: string[]): Promise<void> => {
    const result = await run('iso', 'ignition', 'embed', '-o', output, ...args, 'live.iso');
    expect(result).toMatchObject({ code: 0 });
  };
  await embed('present.iso', '-i', 'medium.ign', '--iso-file', 'agent.tar:agent.tar');
  await embed('missing.iso', '-i', 'medium.ign');
  await embed('other.iso', '-i', 'medium.ign', '--iso-file', 'other.tar:agent.tar');
  await embed('unreadable.iso', '-i', 'medium.ign', '--iso-file', 'medium.ign:agent.tar');
  await embed('fetched.iso', '-i', 'fetched.ign');
  await runCli([...fromRam, '-o', 'fromram.iso'], {
    cwd,
    env: { ...inputsNameImage, IRONIC_COREOS_VALIDATE: '0' },
  });
  await run('iso', 'kargs', 'modify', '-a', 'coreos.liveiso.fromram', 'fetched.iso');
});
afterAll(() => rm(cwd, { recursive: true }));

const report = async (file: string) => JSON.parse((await run('inspect', '--format', 'json', file)).stdout);

const fromRam = ['iso', 'kargs', 'modify', 'missing.iso', '-a', 'coreos.liveiso.fromram'];

describe('inspect of a config that loads an archive', () => {
  it('is made by edits that are not checked: a check refuses the argument', async () => {
    const refused = { code: 1, stderr: expect.stringContaining('unmounts the medium') };
    expect(await run(...fromRam)).toMatchObject(refused);
  });

  it.each([
    ['present.iso', 'present', []],
    ['missing.iso', 'missing', ['image-archive']],
    ['fromram.iso', 'missing', ['image-archive', 'image-archive']],
    ['other.iso', 'mismatch', ['image-archive']],
    ['unreadable.iso', 'mismatch', ['image-archive']],
    ['fetched.iso', 'unchecked', []],
    ['medium.ign', 'unchecked', []],
  ])('%s: %s', async (file, state, rules) => {
    const { agentArchive, findings } = await report(file);
    expect(agentArchive).toMatchObject({ name: 'agent.tar', sha512, state, image: name });
    expect(findings.map(({ rule }: { rule: string }) => rule)).toEqual(rules);
  });

  it.each([
    ['present.iso', []],
    ['missing.iso', ['image-archive']],
    ['fromram.iso', ['image-archive', 'image-archive']],
    ['other.iso', ['image-archive']],
    ['unreadable.iso', ['image-archive']],
    ['fetched.iso', []],
    ['medium.ign', []],
  ])('as validate: %s', async (file, rules) => {
    const { code, stdout } = await run('validate', '--format', 'json', file);
    const { messages } = JSON.parse(stdout);
    expect(code).toBe(rules.length === 0 ? 0 : 1);
    const ids: string[] = messages.map(({ rule }: { rule: string }) => rule);
    expect(ids.filter((id) => id.startsWith('image-archive'))).toEqual(rules);
  });

  it('counts the image that it has looked into, and advises nothing besides', async () => {
    const { memory } = await report('present.iso');
    expect(memory.parts.map(({ what }: { what: string }) => what)).toContain('unpacked agent image');
    expect(memory.recommended).toBeNull();
    expect((await report('missing.iso')).memory.recommended).toBeGreaterThan(0);
  });

  it('keeps the password of a URL', async () => {
    const { stdout } = await run('inspect', 'fetched.iso');
    expect(stdout).toContain('agent archive');
    expect(stdout).not.toContain('hunter2');
  });

  it('takes a medium by itself for none', async () => {
    expect((await report('live.iso')).agentArchive).toBeNull();
  });
});

describe('inspect of an archive', () => {
  it.each([
    ['agent.tar', 'oci-archive', 'x86_64', [name]],
    ['arm.tar.gz', 'docker-archive', 'aarch64', []],
  ])('%s', async (file, form, architecture, names) => {
    const { containerArchive, kind, memory } = await report(file);
    expect([kind, containerArchive.form]).toEqual(['container-archive', form]);
    expect(containerArchive.images).toEqual([expect.objectContaining({ architecture, names, layers: 2 })]);
    expect(memory.minimum).toBeGreaterThan(0);
    expect((await run('inspect', file)).stdout).toContain(`${form}, all digests verified`);
  });

  it('counts its layers', async () => {
    expect((await run('inspect', 'agent.tar')).stdout).toContain(', 2 layers, ');
    expect((await run('inspect', 'other.tar')).stdout).toContain(', 1 layer, ');
  });

  it('refuses one without a container image', async () => {
    const { code, stderr } = await run('inspect', 'plain.tar');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('plain.tar: is not a container image archive'),
    ]);
  });

  it.each(['agent.tar', 'present.iso', 'medium.ign'])('%s: as the schema says', async (file) => {
    const schema = JSON.parse(await readFile('schemas/inspect.json', 'utf8'));
    const check = new Ajv({ allowUnionTypes: true, strict: true }).compile(schema);
    expect(check(await report(file)) ? [] : check.errors).toEqual([]);
  });
});

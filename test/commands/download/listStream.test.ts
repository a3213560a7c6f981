/** The table of coreos-installer, and the JSON that it has not. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../support/runCli.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'list stream '));
  const file = { location: 'https://example.com/a', sha256: 'ab'.repeat(32) };
  const metal = { release: '1', formats: { pxe: { rootfs: file, kernel: file }, iso: { disk: file } } };
  const qemu = { formats: { 'qcow2.xz': { disk: file } } };
  const metadata = { stream: 'stable', architectures: { x86_64: { artifacts: { qemu, metal } } } };
  writeFileSync(join(folder, 'stable.json'), JSON.stringify(metadata));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('list-stream', () => {
  it('prints a table', async () => {
    const run = await runCli(['list-stream', '--stream-base-url', folder]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toBe(
      [
        'Architecture  Platform  Format',
        'x86_64        metal     iso',
        'x86_64        metal     pxe',
        'x86_64        qemu      qcow2.xz',
        '',
      ].join('\n'),
    );
  });

  it('reads the mirror that the environment names', async () => {
    const env = { IRONIC_COREOS_STREAM_BASE_URL: folder };
    expect(await runCli(['list-stream'], { env })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('x86_64        metal     iso'),
    });
  });

  it('prints a table of any length', async () => {
    const formats = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [
        `f${index}`,
        { disk: { location: 'https://a/b', sha256: 'ab'.repeat(32) } },
      ]),
    );
    const metadata = { stream: 'long', architectures: { x86_64: { artifacts: { metal: { formats } } } } };
    writeFileSync(join(folder, 'long.json'), JSON.stringify(metadata));
    const run = await runCli(['list-stream', '--stream-base-url', folder, '-s', 'long']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout.split('\n')).toHaveLength(20_002);
  });

  it('prefers the option to the environment', async () => {
    const env = { IRONIC_COREOS_STREAM_BASE_URL: 'ftp://example.com/' };
    expect(await runCli(['list-stream', '--stream-base-url', folder], { env })).toMatchObject({ code: 0 });
    const { code, stderr } = await runCli(['list-stream'], { env });
    expect(code).toBe(2);
    expect(stderr).toContain('unsupported URL scheme for IRONIC_COREOS_STREAM_BASE_URL');
  });

  it('prints JSON', async () => {
    const run = await runCli(['list-stream', '--stream-base-url', folder, '--format', 'json']);
    const document: unknown = JSON.parse(run.stdout);
    expect(document).toHaveProperty('stream', 'stable');
    expect(document).toHaveProperty('images.1', {
      architecture: 'x86_64',
      platform: 'metal',
      format: 'pxe',
      release: '1',
      artifacts: ['kernel', 'rootfs'].map((name) => ({
        name,
        location: 'https://example.com/a',
        sha256: 'ab'.repeat(32),
      })),
    });
  });

  it('reads the metadata of a release, which has the same files', async () => {
    const file = { location: 'https://example.com/a', sha256: 'ab'.repeat(32) };
    const metal = { artifacts: { pxe: { rootfs: file, kernel: file }, iso: { disk: file } } };
    const media = { qemu: { artifacts: { 'qcow2.xz': { disk: file } } }, metal, gcp: { image: {} } };
    const release = { release: '1', stream: 'stable', architectures: { x86_64: { media } } };
    writeFileSync(join(folder, 'release.json'), JSON.stringify(release));
    const list = ['list-stream', '--format', 'json', '--stream-base-url'];
    const ofRelease = JSON.parse((await runCli([...list, join(folder, 'release.json')])).stdout);
    const ofStream = JSON.parse((await runCli([...list, folder])).stdout);
    expect(ofRelease.images.map((image: object) => ({ ...image, release: '1' }))).toEqual(
      ofStream.images.map((image: object) => ({ ...image, release: '1' })),
    );
    expect(ofRelease.images[0]).toHaveProperty('release', '1');
  });

  it('reports an index of releases', async () => {
    writeFileSync(join(folder, 'releases.json'), '{"stream": "stable", "releases": [{"version": "1"}]}');
    const { code, stderr } = await runCli([
      'list-stream',
      '--stream-base-url',
      join(folder, 'releases.json'),
    ]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /releases[.]json is an index of releases, not stream metadata\nhint: pass the URL in "metadata" of one release\n/,
      ),
    ]);
  });

  it('refuses the metadata of another stream than the given one', async () => {
    const file = join(folder, 'stable.json');
    const { code, stderr } = await runCli(['list-stream', '-s', 'next', '--stream-base-url', file]);
    expect([code, stderr]).toEqual([
      1,
      'error: the metadata is that of stream "stable", not of "next"\n' +
        'hint: remove -s next, or pass the metadata of this stream with --stream-base-url\n',
    ]);
    expect(await runCli(['list-stream', '-s', 'stable', '--stream-base-url', file])).toMatchObject({
      code: 0,
    });
  });

  it.each([
    [['-s', 'next'], 1, 'Stream metadata not found'],
    [['--format', 'yaml'], 2, 'invalid value "yaml" for --format'],
  ])('%j ends with %i', async (args, code, message) => {
    const run = await runCli(['list-stream', '--stream-base-url', folder, ...args]);
    expect(run).toMatchObject({ code, stdout: '' });
    expect(run.stderr).toContain(message);
  });
});

import { createHash } from 'node:crypto';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { layouts, liveIso, liveIsoWith } from '../../support/liveIso.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';

const original = liveIso('2023-07');
const config = '{"ignition":{"version":"3.4.0"}}';
const done = { code: 0, stdout: '', stderr: '' };

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'iso reset ')));
  await writeFile(join(cwd, 'coreos.iso'), original);
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const iso = async (line: string, stdin = ''): Promise<RunResult> =>
  runCli(['iso', ...line.split(' ')], { cwd, stdin });
const holds = async (name: string, bytes: Uint8Array): Promise<boolean> =>
  Buffer.compare(await readFile(join(cwd, name)), bytes) === 0;

it.each(layouts)('gives an image of layout %s its original bytes', async (layout) => {
  const bytes = liveIso(layout);
  await writeFile(join(cwd, 'coreos.iso'), bytes);
  await iso('ignition embed coreos.iso', config);
  await iso('kargs modify -a a=1 coreos.iso');
  expect(await holds('coreos.iso', bytes)).toBe(false);
  expect(await iso('reset -o copy.iso coreos.iso')).toMatchObject(done);
  expect(await holds('copy.iso', bytes)).toBe(true);
  expect((await iso('reset -o - coreos.iso')).stdoutBytes).toEqual(bytes);
  expect(await iso('reset coreos.iso')).toMatchObject(done);
  expect(await holds('coreos.iso', bytes)).toBe(true);
});

it('does nothing to an image that is as it was', async () => {
  expect(await iso('reset coreos.iso')).toMatchObject(done);
  expect(await holds('coreos.iso', original)).toBe(true);
});

it('makes a grown image as short as it was', async () => {
  const noise = createHash('shake256', { outputLength: 400_000 }).update('noise').digest('base64');
  expect(await iso('ignition embed --no-validate --grow coreos.iso', noise)).toMatchObject({ code: 0 });
  expect((await readFile(join(cwd, 'coreos.iso'))).length).toBeGreaterThan(original.length);
  for (const flag of ['', '--force ']) {
    expect(await iso(`reset ${flag}-o copy${flag.length}.iso coreos.iso`)).toMatchObject(done);
    expect(await holds(`copy${flag.length}.iso`, original)).toBe(true);
  }
});

describe('a damaged image', () => {
  const noArchive = liveIsoWith((files) => files.set('images/ignition.img', Buffer.alloc(262_144, 'x')));
  const notSame = Buffer.from(original);
  notSame.write('other', notSame.indexOf('mitigations='));
  const noText = Buffer.from(original);
  noText.fill(255, noText.indexOf('mitigations='), noText.indexOf('mitigations=') + 8);

  it.each([
    ['an reserved area that cannot be read', noArchive, /Unrecognized CoreOS ISO image/],
    ['kernel arguments that differ', notSame, /kargs don't match at all offsets!/],
    ['kernel arguments that are no text', noText, /invalid UTF-8 in karg area/],
  ])('with %s is refused, and repaired with --force', async (_title, bytes, message) => {
    await writeFile(join(cwd, 'coreos.iso'), bytes);
    const { code, stderr } = await iso('reset coreos.iso');
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/\nhint: use `iso reset --force`/);
    expect(await holds('coreos.iso', bytes)).toBe(true);
    expect(await iso('reset --force coreos.iso')).toMatchObject(done);
    expect(await holds('coreos.iso', original)).toBe(true);
  });
});

/** Images that grew for a large config, which coreos-installer then changes: it compresses anew what it finds there. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { liveIso } from '../support/liveIso.ts';
import { have, oracleNote } from '../support/programs.ts';
import { runCli } from '../support/runCli.ts';

const peer = 'coreos-installer';

const noise = createHash('shake256', { outputLength: 340_000 }).update('noise').digest('base64');
const words = Array.from({ length: 20_000 }, (_, index) => `${noise.slice(index, index + 8)} line ${index}`);
const configOf = (text: string): string =>
  JSON.stringify({
    ignition: { version: '3.4.0' },
    storage: { files: [{ path: '/etc/large', contents: { source: `data:,${encodeURIComponent(text)}` } }] },
  });

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'grown iso ')));
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const theirs = (...args: string[]): string =>
  execFileSync(peer, ['iso', ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const ours = async (...args: string[]): Promise<void> => {
  const { code, stderr } = await runCli(['iso', ...args], { cwd });
  expect([code, stderr]).toEqual([0, '']);
};

it.skipIf(!have(peer)).each([
  ['noise', noise],
  ['text', words.join('\n')],
])(
  `%s: coreos-installer reads, changes and adds, and all of it can be undone${oracleNote(peer)}`,
  async (_name, text) => {
    const [config, image] = [configOf(text), liveIso('2023-07')];
    await writeFile(join(cwd, 'image.iso'), image);
    await writeFile(join(cwd, 'large.ign'), config);
    await writeFile(join(cwd, 'eth0.nmconnection'), '[connection]\nid=eth0\ntype=ethernet\n');
    await ours('ignition', 'embed', '--grow', '-i', 'large.ign', 'image.iso');
    expect(theirs('ignition', 'show', 'image.iso')).toBe(config);
    theirs('kargs', 'modify', '-a', 'quiet', 'image.iso');
    theirs('network', 'embed', '-k', 'eth0.nmconnection', 'image.iso');
    expect(theirs('network', 'extract', 'image.iso')).toContain('id=eth0');
    await ours('network', 'remove', 'image.iso');
    await ours('ignition', 'remove', 'image.iso');
    await ours('kargs', 'reset', 'image.iso');
    expect(await readFile(join(cwd, 'image.iso'))).toEqual(image);
  },
);

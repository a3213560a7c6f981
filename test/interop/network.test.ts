/**
 * Network settings, wrapping for network boot and the commands for developers, with coreos-installer as the judge: what
 * one writes, the other reads; where both print, both print the same.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeCpio } from '../../src/formats/cpio.ts';
import { layouts, liveIso } from '../support/liveIso.ts';
import { have, oracleNote } from '../support/programs.ts';
import { runCli } from '../support/runCli.ts';
import { sharedData } from '../support/sharedData.ts';

const peer = 'coreos-installer';
const isoFolder = join(sharedData ?? '', 'iso');
const realNames =
  sharedData !== undefined && have('xz') ? readdirSync(isoFolder).filter((name) => name.endsWith('.xz')) : [];
const images: [string, () => Uint8Array][] = [
  ...layouts.map((layout): [string, () => Uint8Array] => [`layout ${layout}`, () => liveIso(layout)]),
  ...realNames.map((name): [string, () => Uint8Array] => [
    name,
    () => execFileSync('xz', ['-dc', join(isoFolder, name)], { maxBuffer: 2 ** 28 }),
  ]),
];

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const keyfile = '[connection]\nid=eth0\ntype=ethernet\n';

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'network interop ')));
  await writeFile(join(cwd, 'eth0.nmconnection'), keyfile);
  await writeFile(join(cwd, 'B.nmconnection'), '[connection]\nid=b\ntype=ethernet'); // ends without a line feed
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const ours = async (args: readonly string[], stdin?: Uint8Array): Promise<Outcome> =>
  runCli(args, { cwd, ...(stdin && { stdin }) });
const theirs = (args: readonly string[], stdin?: Uint8Array): Outcome => {
  const { status, stdout, stderr } = spawnSync(peer, args, {
    cwd,
    input: stdin ?? '',
    env: { ...process.env, RUST_BACKTRACE: '0' },
  });
  return { code: status, stdout: stdout.toString(), stderr: stderr.toString() };
};
/** Nothing where both succeed or fail alike and print the same; otherwise what they did. */
const differing = async (args: readonly string[], stdin?: Uint8Array): Promise<unknown[]> => {
  const outcomes = [await ours(args, stdin), theirs(args, stdin)];
  const [mine, other] = outcomes.map(({ code, stdout }) => JSON.stringify({ code, stdout }));
  return mine === other ? [] : [args, ...outcomes];
};
const digest = async (): Promise<string> =>
  createHash('sha256')
    .update(await readFile(join(cwd, 'image.iso')))
    .digest('hex');

const wrap = (group: string, file: string, output: string): string[] => [
  'pxe',
  group,
  'wrap',
  file.endsWith('.ign') ? '-i' : '-k',
  file,
  '-o',
  output,
];

describe.skipIf(!have(peer))(`with ${peer}${oracleNote(peer)}`, () => {
  describe.each(images)('%s', (_name, make) => {
    beforeEach(async () => writeFile(join(cwd, 'image.iso'), make()));
    const embed = ['iso', 'network', 'embed', '-k', 'eth0.nmconnection', '-k', 'B.nmconnection', 'image.iso'];
    const extract = ['iso', 'network', 'extract', 'image.iso'];
    const remove = ['iso', 'network', 'remove', 'image.iso'];

    const embeds = [
      ['ours', async (): Promise<Outcome> => ours(embed), async (): Promise<Outcome> => theirs(remove)],
      ['theirs', async (): Promise<Outcome> => theirs(embed), async (): Promise<Outcome> => ours(remove)],
    ] as const;
    it.each(embeds)('what is embedded is read and removed by the other: %s', async (_who, put, take) => {
      const before = await digest();
      await put();
      expect(await differing(extract)).toEqual([]);
      expect(await differing(embed)).toEqual([]);
      await take();
      expect(await digest()).toBe(before);
    });

    it('embedding a second time, or at all, is refused in the same words', async () => {
      theirs(embed);
      const [phrase = ''] = theirs(embed).stderr.replace('Error: ', '').split('\n');
      expect(phrase).toMatch(/already has embedded network settings|does not support customizing network/);
      expect((await ours(embed)).stderr).toContain(phrase);
    });

    it('a keyfile that the initramfs does not copy is refused here only', async () => {
      await writeFile(join(cwd, 'eth0'), keyfile);
      const put = ['iso', 'network', 'embed', '-k', 'eth0', 'image.iso'];
      expect(await ours(put)).toMatchObject({ code: 1, stderr: expect.stringContaining('.nmconnection') });
      expect(theirs(put).stderr).not.toContain('.nmconnection');
    });
  });

  it('each unwraps what the other wraps', async () => {
    await writeFile(join(cwd, 'config.ign'), '{"ignition":{"version":"3.4.0"}}');
    expect((await ours(wrap('ignition', 'config.ign', '1'))).code).toBe(0);
    expect((await ours(wrap('network', 'B.nmconnection', '2'))).code).toBe(0);
    expect(theirs(wrap('ignition', 'config.ign', '3')).code).toBe(0);
    expect(theirs(wrap('network', 'B.nmconnection', '4')).code).toBe(0);
    for (const name of ['1', '2', '3', '4']) {
      expect(await differing(['pxe', 'ignition', 'unwrap', name])).toEqual([]);
      expect(await differing(['pxe', 'network', 'unwrap', name])).toEqual([]);
    }
  });

  const strange: [string, readonly string[]][] = [
    ['folders in the folder', ['sub/a', 'b', 'x/']],
    ['a step upwards', ['a', '..']],
    ['no name', ['']],
  ];
  it.each(strange)('network settings with %s', async (_title, names) => {
    const paths = [...names.map((name) => `etc/coreos-firstboot-network/${name}`), './config.ign'];
    const stdin = Buffer.from(writeCpio(new Map(paths.map((path) => [path, Buffer.from(`${path}\n`)]))));
    expect(await differing(['pxe', 'network', 'unwrap'], stdin)).toEqual([]);
    expect(await differing(['pxe', 'ignition', 'unwrap'], stdin)).toEqual([]);
  });
});

/** A full disk is reported once, with the folder and the missing space, for any number of hosts. */

import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeHosts, writeMade } from '../../src/hosts/hostRun.ts';
import { writeFileAtomically } from '../../src/io/files/newFile.ts';
import { fileError, systemError } from '../../src/io/files/fileErrors.ts';
import { hosts, testRun } from '../hosts/support.ts';
import { liveIso } from '../support/liveIso.ts';
import { runCli } from '../support/runCli.ts';
import { mountSmallDisk, type SmallDisk, smallDiskNote } from '../support/smallDisk.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'full disk ')));
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const note = smallDiskNote();

function inventoryOf(count: number, image: string): string {
  const names = Array.from({ length: count }, (_, index) => {
    const mac = `52:54:00:12:34:${index.toString(16).padStart(2, '0')}`;
    return `- {name: h${index}, mac: '${mac}'}\n`;
  });
  const agent = `{ironic.apiUrls: 'https://192.0.2.1', agent.image: registry.example.com/${image}}`;
  return `agent: ${agent}\nhosts:\n${names.join('')}`;
}

/** All that the command says, after the warning that the hosts have no SSH key: one error, with the folder and figures, and one hint. */
const fullMessage = (folder: string): RegExp => {
  const sizes = String.raw`[\d.]+ (?:bytes|[KM]iB) required, [\d.]+ (?:bytes|[KM]iB) free in `;
  const end = String.raw`[^\n]*\nhint: free at least [\d.]+ (?:bytes|[KM]iB), or write to another disk\n`;
  const warning = String.raw`(?:warning: [^\n]*no SSH key is set[^\n]*\n {2}for h0[^\n]*\nhint: [^\n]*\n)?`;
  return new RegExp(`^${warning}error: No space left to create [^\\n]*: ${sizes}${folder}${end}$`);
};

const fails = async (): Promise<void> => {
  throw fileError(systemError('ENOSPC'), { path: 'h.ign', what: 'File', action: 'create' });
};

describe.skipIf(note !== '')(`on a small file system${note}`, () => {
  let small: SmallDisk;
  beforeEach(async () => {
    small = mountSmallDisk(64 * 1024);
    await writeFile(join(cwd, 'live.iso'), liveIso('2023-07'));
    await writeFile(join(cwd, 'a.ign'), '{"ignition":{"version":"3.4.0"}}');
  });
  afterEach(() => small.remove());

  const disk = (): string => small.path;
  const leave = (kib: number): void => small.leave(kib);

  it.each([1, 50])('prepare of %i hosts, in the first and in the second run', async (count) => {
    const prepare = async (image: string) => {
      await writeFile(join(cwd, 'hosts.yaml'), inventoryOf(count, image));
      const words = ['prepare', '--inventory', 'hosts.yaml', '--artifacts', 'iso', '--iso', 'live.iso'];
      return runCli([...words, '-o', join(disk(), 'boot')], { cwd, env: { IRONIC_AGENT_IMAGE: '' } });
    };
    const full = { code: 1, stdout: '', stderr: expect.stringMatching(fullMessage(join(disk(), 'boot'))) };
    leave(300);
    expect(await prepare('a')).toMatchObject(full);
    leave(60 * 1024);
    expect(await prepare('a')).toMatchObject({ code: 0 });
    leave(300);
    const again = await prepare('b');
    expect(again).toMatchObject(full);
    expect(again.stderr).toContain(`; 0 of ${count} host${count === 1 ? '' : 's'} complete\n`);
    expect(again.stderr).not.toContain('earlier runs');
  });

  it.each([
    ['render of 50 hosts', 'render --inventory hosts.yaml -o DISK/configs'],
    [
      'render',
      'render --api-url https://192.0.2.1 --agent-image r.example.com/a --no-ssh-key -o DISK/h1.ign',
    ],
    ['iso ignition embed', 'iso ignition embed -f -i a.ign -o DISK/new.iso live.iso'],
    ['iso kargs modify', 'iso kargs modify -a x=y -o DISK/new.iso live.iso'],
    ['iso extract pxe', 'iso extract pxe -o DISK live.iso'],
    ['quickstart', 'quickstart -C DISK/sample'],
  ])('%s', async (_title, line) => {
    await writeFile(join(cwd, 'hosts.yaml'), inventoryOf(50, 'a'));
    leave(0);
    await writeFile(join(disk(), 'other'), Buffer.alloc(4096)).catch(() => undefined);
    const words = line.split(' ').map((word) => word.replace('DISK', disk()));
    const { code, stderr } = await runCli(words, { cwd });
    expect([code, stderr]).toEqual([1, expect.stringMatching(fullMessage(disk()))]);
  });

  it('prepare of images, before the first host', async () => {
    await writeFile(join(cwd, 'hosts.yaml'), inventoryOf(50, 'a'));
    leave(16);
    const words = [
      'prepare',
      '--inventory',
      'hosts.yaml',
      '--iso',
      'live.iso',
      '--base-url',
      'http://192.0.2.1',
    ];
    const { code, stderr } = await runCli([...words, '-o', join(disk(), 'boot')], { cwd });
    expect([code, stderr]).toEqual([1, expect.stringMatching(fullMessage(disk()))]);
  });
});

it.each([1, 50])(
  'the error of a full disk ends a run of %i hosts, and no host is reported',
  async (count) => {
    const { run, told } = testRun({}, cwd);
    const names = Array.from({ length: count }, (_, index) => `h${index}`);
    const made = makeHosts(hosts(...names), async ({ name }) => name, run);
    await expect(writeMade(made, 16, fails, run)).rejects.toMatchObject({
      code: 'ERR_DISK_FULL',
      sentence: expect.stringMatching(/^No space left to create h\.ign; 0 of /),
    });
    expect(told().replaceAll('<end>', '')).toBe('');
  },
);

it('names the free space where the size is not known', async () => {
  const failed = fileError(systemError('ENOSPC'), {
    path: 'x',
    what: 'File',
    action: 'write',
    place: join(cwd, 'x'),
  });
  expect(failed).toMatchObject({ sentence: expect.stringMatching(/: [\d.]+ [A-Za-z]+ free in \//) });
  await expect(writeFileAtomically(join(cwd, 'x'), 'x')).resolves.toBeUndefined();
});

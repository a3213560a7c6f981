import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { efiProgram, fatImage, signature } from '../../support/fatImage.ts';
import { liveIsoWith } from '../../support/liveIso.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';

const [shim, grub] = [efiProgram(signature('A firmware vendor'), signature('Another')), efiProgram()];
/** As in the images of CoreOS, and as in others. */
const partitions = {
  coreos: ['EFI/BOOT/BOOTX64.EFI', 'EFI/BOOT/grubx64.efi'],
  other: ['EFI/debian/SHIMX64.EFI', 'EFI/debian/grubx64.efi'],
} as const;

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'iso loaders '));
  const isos = {
    ...Object.fromEntries(
      Object.entries(partitions).map(([name, [shimPath, grubPath]]) => {
        const others: [string, Buffer][] = [
          ['EFI/BOOT/mmx64.efi', grub],
          ['EFI/BOOT/grub.cfg', Buffer.from('configfile')],
        ];
        return [`${name}.iso`, fatImage(new Map([...others, [shimPath, shim], [grubPath, grub]]))];
      }),
    ),
    'without.iso': fatImage(new Map([['EFI/BOOT/BOOTX64.EFI', shim]])),
    'text.iso': Buffer.from('no partition'),
  };
  for (const [name, image] of Object.entries(isos)) {
    await writeFile(
      join(cwd, name),
      liveIsoWith((files) => files.set('images/efiboot.img', image)),
    );
  }
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const loaders = (...args: string[]): Promise<RunResult> =>
  runCli(['iso', 'extract', 'loaders', ...args], { cwd });

it.each(Object.keys(partitions))('writes shim and GRUB of %s.iso, and says who signed them', async (name) => {
  expect(await loaders('-o', name, `${name}.iso`)).toMatchObject({
    code: 0,
    stdout: `${name}/shimx64.efi\n${name}/grubx64.efi\n`,
    stderr: `info: ${name}/shimx64.efi: signed by "A firmware vendor" and "Another"\ninfo: ${name}/grubx64.efi: not signed\n`,
  });
  expect(await readFile(join(cwd, name, 'shimx64.efi'))).toEqual(shim);
  expect(await readFile(join(cwd, name, 'grubx64.efi'))).toEqual(grub);
  const again = await loaders('-o', name, `${name}.iso`);
  expect([again.code, again.stderr]).toEqual([
    1,
    expect.stringContaining(`File exists: ${name}/shimx64.efi`),
  ]);
});

it.each([
  ['without.iso', 'without.iso: the ISO has no boot loaders for UEFI: no shim and GRUB in one folder'],
  ['text.iso', 'text.iso: images/efiboot.img in the ISO is damaged, or not a FAT image'],
])('writes nothing from %s', async (iso, message) => {
  const { code, stderr, stdout } = await loaders('-o', 'none', iso);
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)]);
  await expect(readFile(join(cwd, 'none'))).rejects.toThrow('ENOENT');
});

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { efiProgram, fatImage, signature } from '../../support/fatImage.ts';
import { liveIsoWith } from '../../support/liveIso.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';

const [shim, grub] = [efiProgram(signature('A firmware vendor'), signature('Another')), efiProgram()];
const partition = new Map([
  ['EFI/BOOT/BOOTX64.EFI', shim],
  ['EFI/fedora/SHIMX64.EFI', shim],
  ['EFI/fedora/grubx64.efi', grub],
  ['EFI/fedora/grub.cfg', Buffer.from('configfile')],
]);

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'iso loaders '));
  const isos = {
    'coreos.iso': fatImage(partition),
    'without.iso': fatImage(new Map([['EFI/fedora/shimx64.efi', shim]])),
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

it('writes shim and GRUB under their names, and says who signed them', async () => {
  expect(await loaders('-o', 'tftp', 'coreos.iso')).toMatchObject({
    code: 0,
    stdout: 'tftp/shimx64.efi\ntftp/grubx64.efi\n',
    stderr:
      'info: tftp/shimx64.efi: signed by "A firmware vendor" and "Another"\ninfo: tftp/grubx64.efi: not signed\n',
  });
  expect(await readFile(join(cwd, 'tftp/shimx64.efi'))).toEqual(shim);
  expect(await readFile(join(cwd, 'tftp/grubx64.efi'))).toEqual(grub);
  const again = await loaders('-o', 'tftp', 'coreos.iso');
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('File exists: tftp/shimx64.efi')]);
});

it.each([
  ['without.iso', 'without.iso: the ISO has no boot loaders for UEFI: no shim and GRUB in one folder'],
  ['text.iso', 'text.iso: the FAT image has no boot sector'],
])('writes nothing from %s', async (iso, message) => {
  const { code, stderr, stdout } = await loaders('-o', 'none', iso);
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)]);
  await expect(readFile(join(cwd, 'none'))).rejects.toThrow('ENOENT');
});

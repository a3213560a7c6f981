import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openIsoTree } from '../../src/image/isoTree.ts';
import { readInitrd } from '../../src/image/initrd.ts';
import { bytesAccess } from '../../src/image/overlay.ts';
import { defaultKargs, sampleFiles, writeSampleIso } from '../../src/image/sampleIso.ts';
import { type Layout, layouts, liveIso } from '../support/liveIso.ts';
import { have, oracleNote } from '../support/programs.ts';

const label = 'fedora-coreos-99.20990101.dev.0';
const date = new Date('2023-11-14T22:13:20Z');

describe('writeSampleIso', () => {
  it('gives equal bytes for equal input', () => {
    expect(writeSampleIso({ label, date })).toEqual(writeSampleIso({ label, date }));
  });

  it('says that it does not boot', async () => {
    const image = bytesAccess(writeSampleIso({ label, date }));
    const tree = await openIsoTree(image);
    const readme = await tree.find('README.txt');
    expect(readme && Buffer.from(await tree.readFile(readme, { maxBytes: 1000 })).toString()).toMatch(
      /does not boot/,
    );
  });

  it('reserves the areas that kargs.json describes', () => {
    const files = sampleFiles(label);
    const info: unknown = JSON.parse(Buffer.from(files.get('coreos/kargs.json') ?? []).toString());
    const kargs = defaultKargs(label);
    expect(info).toMatchObject({ default: kargs, size: kargs.length + 1024, files: [{}, {}] });
    for (const path of ['EFI/fedora/grub.cfg', 'isolinux/isolinux.cfg']) {
      const text = Buffer.from(files.get(path) ?? []).toString();
      const end = text.indexOf(kargs) + kargs.length + 1024;
      expect(text.slice(end)).toMatch(/^# COREOS_KARG_EMBED_AREA\n/);
      expect(info).toMatchObject({
        files: expect.arrayContaining([expect.objectContaining({ path, offset: text.indexOf(kargs) })]),
      });
    }
  });

  it('has an initramfs that says what it is', async () => {
    const initrd = await readInitrd(sampleFiles(label).get('images/pxeboot/initrd.img') ?? new Uint8Array());
    expect([...initrd.keys()]).toContain('etc/coreos-live-initramfs');
  });
});

describe.skipIf(!have('coreos-installer'))(
  `coreos-installer and the layouts${oracleNote('coreos-installer')}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'iso layouts '));
    beforeAll(() => {
      for (const layout of layouts) writeFileSync(join(folder, `${layout}.iso`), liveIso(layout));
    });
    afterAll(() => rmSync(folder, { recursive: true }));
    const run = (...args: string[]): string =>
      execFileSync('coreos-installer', ['iso', ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });

    it.each(layouts.filter((layout) => layout !== '2020-09'))(
      '%s: kernel arguments can be changed',
      (layout) => {
        const iso = `${layout}.iso`;
        expect(run('kargs', 'show', iso)).toBe(`${defaultKargs(label)}\n`);
        run('kargs', 'modify', '-a', 'console=ttyS0', iso);
        expect(run('kargs', 'show', iso)).toBe(`${defaultKargs(label)} console=ttyS0\n`);
      },
    );

    it.each<Layout>(['2023-07', '2022-02', 's390x'])('%s: network settings can be embedded', (layout) => {
      writeFileSync(join(folder, 'eth0.nmconnection'), '[connection]\n');
      run('network', 'embed', '-k', 'eth0.nmconnection', `${layout}.iso`);
      expect(run('network', 'extract', `${layout}.iso`)).toContain('[connection]');
    });
  },
);

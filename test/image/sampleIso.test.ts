import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openIsoTree } from '../../src/image/isoTree.ts';
import { readInitrd } from '../../src/image/initrd.ts';
import { bytesAccess } from '../../src/image/overlay.ts';
import { writeSampleIso } from '../../src/image/sampleIso.ts';
import { layouts, liveIso } from '../support/liveIso.ts';
import { have, oracleNote } from '../support/programs.ts';
import { defaultKargs } from '../support/sampleIso.ts';

const label = 'fedora-coreos-99.20990101.dev.0';
const date = new Date('2023-11-14T22:13:20Z');
const sample = await writeSampleIso({ label, date });

async function read(path: string): Promise<Uint8Array> {
  const tree = await openIsoTree(bytesAccess(sample));
  const file = await tree.find(path);
  return file === undefined ? new Uint8Array() : tree.readFile(file, { maxBytes: 10_000 });
}

describe('writeSampleIso', () => {
  it('gives equal bytes for equal input', async () => {
    expect(await writeSampleIso({ label, date })).toEqual(sample);
  });

  it('says that it does not boot', async () => {
    expect(Buffer.from(await read('images/pxeboot/vmlinuz')).toString()).toMatch(/does not boot/);
  });

  it('has an initramfs that says what it is', async () => {
    const initrd = await readInitrd(await read('images/pxeboot/initrd.img'));
    expect(Buffer.from(initrd.get('etc/coreos-live-initramfs') ?? []).toString()).toBe(`${label}\n`);
  });
});

describe.skipIf(!have('coreos-installer'))(
  `coreos-installer and the layouts${oracleNote('coreos-installer')}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'iso layouts '));
    beforeAll(() => {
      for (const layout of layouts) writeFileSync(join(folder, `${layout}.iso`), liveIso(layout));
      writeFileSync(join(folder, 'sample.iso'), sample);
      writeFileSync(join(folder, 'eth0.nmconnection'), '[connection]\n');
    });
    afterAll(() => rmSync(folder, { recursive: true }));
    const run = (...args: string[]): string =>
      execFileSync('coreos-installer', ['iso', ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });

    it.each(['sample', ...layouts.filter((layout) => layout !== '2020-09')])(
      '%s: kernel arguments can be changed',
      (layout) => {
        const iso = `${layout}.iso`;
        const defaults = run('kargs', 'show', iso).trim();
        expect(defaults.split(' ').toSorted()).toEqual(defaultKargs(label).split(' ').toSorted());
        run('kargs', 'modify', '-a', 'console=ttyS0', iso);
        expect(run('kargs', 'show', iso)).toBe(`${defaults} console=ttyS0\n`);
      },
    );

    it.each(['sample', '2023-07', '2022-02', 's390x'])('%s: network settings can be embedded', (layout) => {
      run('network', 'embed', '-k', 'eth0.nmconnection', `${layout}.iso`);
      expect(run('network', 'extract', `${layout}.iso`)).toContain('[connection]');
    });
  },
);

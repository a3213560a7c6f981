// @ts-check
/** Images to compare on: reduced ones of real releases, and synthetic ones of every layout, from the shared data and tools. */

import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const shared = resolve(import.meta.dirname, '../../../../shared');
const releases = join(shared, 'data/iso');
const makeIso = join(shared, 'tools/make-iso.sh');

/** @typedef {{ readonly name: string, readonly path: string }} Image */

/** By the name that the image gets. */
const synthetic = {
  'synthetic 2023-07': ['--layout', '2023-07'],
  'synthetic 2023-07 hybrid': ['--layout', '2023-07', '--hybrid'],
  'synthetic 2023-07 zstd': ['--layout', '2023-07', '--initrd-comp', 'zstd', '--tool', 'genisoimage'],
  'synthetic 2022-02': ['--layout', '2022-02'],
  'synthetic 2021-09': ['--layout', '2021-09'],
  'synthetic 2021-01': ['--layout', '2021-01'],
  'synthetic 2020-09': ['--layout', '2020-09'],
  'synthetic s390x': ['--layout', 's390x'],
};

/** @param {string} folder @returns {Image[]} the one that stands for all comes first */
export function makeImages(folder) {
  const images = Object.entries(synthetic).map(([name, options]) => {
    const path = join(folder, `${name.replaceAll(' ', '-')}.iso`);
    const size = ['--rootfs-mib', '1', '--initrd-mib', '1'];
    execFileSync('bash', [makeIso, ...options, ...size, path], { stdio: ['ignore', 'ignore', 'pipe'] });
    return { name, path };
  });
  for (const name of readdirSync(releases).filter((it) => it.endsWith('.iso.xz'))) {
    const path = join(folder, name.replace(/\.xz$/, ''));
    writeFileSync(path, execFileSync('xz', ['-dc', join(releases, name)], { maxBuffer: 2 ** 28 }));
    images.push({ name: name.replace(/\.iso\.xz$/, ''), path });
  }
  return images;
}

// @ts-check
/**
 * Machines that all boot from `serve` at once: each fetches its boot script, the kernel, its initramfs and the root filesystem;
 * every fourth one its ISO. `npm run build`, then `node test/bench/bootStorm.js [MACHINES [MEBIBYTES]]` with the size of the
 * root filesystem and the ISO. The machines are one process, which takes as much of the processor as `serve`. Requires python3.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootUrls, fetchAll, makeImages, median, serveImages } from './serve/setting.js';

const [count = 1000, mebibytes = 32] = process.argv.slice(2).map(Number);
/** The most times the median that the slowest may take, and the most MiB of the peak. */
const bars = { spread: 3, memory: 250 };
const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos bench '));
try {
  await makeImages(folder, { iso: mebibytes, rootfs: mebibytes, initramfs: 4 });
  const service = await serveImages(folder, count);
  const machines = [];
  for (let host = 0; host < count; host++) {
    const { script, kernel, initramfs, rootfs } = await bootUrls(service, `host-${host}`);
    machines.push(
      host % 4 === 0 ? [service.url(`host-${host}`, 'iso')] : [script, kernel, initramfs, rootfs],
    );
  }
  for (const crc of [false, true]) {
    const before = service.usage().cpu;
    const { bytes, seconds } = await fetchAll(machines, { crc });
    const { cpu, peak } = service.usage();
    const [slowest, middle] = [Math.max(...seconds), median(seconds)];
    const isGood = slowest <= bars.spread * middle && peak <= bars.memory;
    if (!isGood) process.exitCode = 1;
    console.log(
      `${count} machines, ${(bytes / 1e9).toFixed(1)} GB${crc ? ', checksums of equal files equal' : ''}: ` +
        `median ${middle.toFixed(1)} s, slowest ${slowest.toFixed(1)} s (${(slowest / middle).toFixed(2)}×), ` +
        `${(bytes / 1e9 / slowest).toFixed(2)} GB/s at ${((cpu - before) / (bytes / 1e9)).toFixed(2)} s/GB, ${peak.toFixed(0)} MiB at most${isGood ? '' : ' TOO MUCH'}`,
    );
  }
  service.signal('SIGTERM');
  await service.ended;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

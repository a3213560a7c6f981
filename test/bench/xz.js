/**
 * How large and how fast our .xz streams are, against xz -9 where it is installed: `node test/bench/xz.js [FILE...]`. Without
 * files it takes a config that it makes up.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';

const source = join(import.meta.dirname, '../../src/formats/xz');
const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos bench '));
await build({
  input: { decode: join(source, 'decode.ts'), encode: join(source, 'encode.ts') },
  platform: 'node',
  output: { dir: folder, entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' },
  logLevel: 'silent',
});
const { decodeXz } = await import(pathToFileURL(join(folder, 'decode.mjs')).href);
const { encodeXz } = await import(pathToFileURL(join(folder, 'encode.mjs')).href);
rmSync(folder, { recursive: true });

const files = process.argv.slice(2);
/** @type {[name: string, data: Buffer][]} */
const samples =
  files.length > 0 ? files.map((file) => [file, readFileSync(file)]) : [['config', madeUpConfig()]];
for (const [name, data] of samples) {
  const encoded = encodeXz([data], 'crc32');
  const reference = spawnSync('xz', ['-9', '-T1', '--check=crc32', '-c'], {
    input: data,
    maxBuffer: 2 ** 30,
  });
  const size = reference.status === 0 ? reference.stdout.length : undefined;
  const ratio =
    size === undefined ? '' : ` (xz -9: ${size}, ${((encoded.length / size - 1) * 100).toFixed(1)} %)`;
  const encodeTime = best(() => encodeXz([data], 'crc32'));
  const decodeTime = best(() => decodeXz(encoded, { maxBytes: data.length }));
  console.log(
    `${name}: ${data.length} -> ${encoded.length}${ratio}, encode ${encodeTime}, decode ${decodeTime}`,
  );
}

function best(run) {
  const times = Array.from({ length: 7 }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return `${times[0].toFixed(0)} ms first, ${Math.min(...times).toFixed(0)} ms best`;
}

/** Some 500 KB of JSON with scripts in base64. */
function madeUpConfig() {
  const scripts = Array.from({ length: 1500 }, (_, index) => ({
    path: `/usr/local/bin/job-${index}`,
    contents: {
      source: `data:;base64,${Buffer.from(`#!/bin/bash\nexec job --port ${index * 7919} --name ${Math.sin(index)}\n`.repeat(2)).toString('base64')}`,
    },
  }));
  return Buffer.from(JSON.stringify({ ignition: { version: '3.4.0' }, storage: { files: scripts } }));
}

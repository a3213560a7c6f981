// @ts-check
/**
 * Boots what the program makes of a live ISO, on every firmware and medium, and compares what arrived with what was embedded.
 *
 *   npm run boot -- [--variant NAME]... [--firmware bios|uefi] [--medium cd|usb] [--keep]
 *     [--json FILE]
 *
 * Takes QEMU and the shared tool that makes an ISO which boots; says what is missing and ends with 0 otherwise. Exit 1 if
 * anything did not arrive. Some five seconds a boot.
 */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeBootIso, missingForBoot } from './boot/bootIso.js';
import { boot, firmwares, media } from './boot/machine.js';
import { askPeer, writeFigures, writeMissing } from './figures.js';
import { compareBoot, prepare, variants, writeInputs } from './boot/variants.js';

const { values } = parseArgs({
  options: {
    variant: { type: 'string', multiple: true },
    firmware: { type: 'string' },
    medium: { type: 'string' },
    keep: { type: 'boolean' },
    json: { type: 'string' },
  },
});

const missing = missingForBoot();
if (missing.length > 0) {
  console.log(`NOT CHECKED, as there is no ${missing.join(', no ')}`);
  writeMissing(values.json, missing);
} else process.exitCode = await bootAll();

/** @returns {Promise<number>} exit code */
async function bootAll() {
  const folder = mkdtempSync(join(tmpdir(), 'boot-'));
  try {
    const pristine = join(folder, 'pristine.iso');
    mkdirSync(join(folder, 'work'));
    makeBootIso(pristine, join(folder, 'work'));
    writeInputs(folder);
    const wanted = Object.entries(variants).filter(([name]) => values.variant?.includes(name) ?? true);
    if (wanted.length === 0) throw new Error(`no such variant: ${values.variant?.join(', ')}`);
    console.log(
      row(
        'variant',
        machines().map(({ firmware, medium }) => `${firmware} ${medium}`),
      ),
    );
    /** @type {string[]} */
    const all = [];
    for (const [name, variant] of wanted) {
      prepare(variant, { pristine, folder });
      const results = await bootOnAll(name, { variant, iso: join(folder, 'boot.iso') });
      console.log(row(name, results));
      all.push(...results);
    }
    const right = all.filter((result) => result !== 'FAILED').length;
    const peer = askPeer('QEMU', ['qemu-system-x86_64', '--version']);
    writeFigures(values.json, { peer, images: wanted.length, boots: all.length, right });
    return right === all.length ? 0 : 1;
  } finally {
    if (values.keep) console.log(`kept: ${folder}`);
    else rmSync(folder, { recursive: true });
  }
}

/** @param {string} name @param {{ variant: import('./boot/variants.js').Variant, iso: string }} image */
async function bootOnAll(name, { variant, iso }) {
  const results = [];
  for (const machine of machines()) {
    const start = performance.now();
    const problems = compareBoot(variant.expected, await boot(iso, machine));
    for (const problem of problems)
      console.error(`${name}, ${machine.firmware}, ${machine.medium}: ${problem}`);
    results.push(problems.length > 0 ? 'FAILED' : `ok ${((performance.now() - start) / 1000).toFixed(1)} s`);
  }
  return results;
}

function machines() {
  return firmwares
    .filter((it) => (values.firmware ?? it) === it)
    .flatMap((firmware) =>
      media.filter((it) => (values.medium ?? it) === it).map((medium) => ({ firmware, medium })),
    );
}

/** @param {string} name @param {readonly string[]} cells */
function row(name, cells) {
  return [name.padEnd(20), ...cells.map((cell) => cell.padEnd(10))].join(' ').trimEnd();
}

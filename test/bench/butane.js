// @ts-check
/**
 * How long a Butane tree of 5,000 files takes, beside Butane in turns: `node test/bench/butane.js BUTANE`, with the path of the
 * program `butane`. The files are of two kinds, text that compresses well and random bytes. Exit 1 if ours is slower.
 */

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { format, ours, takeTurns } from './measure.js';

const FILES = 5000;
const ROUNDS = 5;

const [butane] = process.argv.slice(2);
if (butane === undefined) throw new Error('usage: node test/bench/butane.js BUTANE');
const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos bench '));
try {
  for (const [name, contentOf] of Object.entries({ text: textOf, random: randomOf }))
    compare(name, butane, contentOf);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @param {string} name @param {string} peer @param {(index: number) => Uint8Array} contentOf */
function compare(name, peer, contentOf) {
  const files = join(folder, name);
  for (let index = 0; index < FILES; index++) {
    const parent = join(files, 'tree', `folder-${index % 50}`);
    mkdirSync(parent, { recursive: true });
    writeFileSync(join(parent, `file-${index}`), contentOf(index));
  }
  const document = join(folder, `${name}.bu`);
  writeFileSync(
    document,
    'variant: fcos\nversion: 1.6.0\nstorage:\n  trees:\n    - local: tree\n      path: /etc/tree\n',
  );
  const [mine, theirs] = takeTurns(
    [
      ours('ironic-coreos', ['ignition', 'from-butane', '--files-dir', files, document]),
      { name: 'butane', command: peer, args: ['--files-dir', files, document] },
    ],
    ROUNDS,
  );
  if (mine === undefined || theirs === undefined) return;
  const ratio = (mine.median / theirs.median).toFixed(2);
  console.log(
    `${FILES} files, ${name}: ${format(mine.median)} ms, butane ${format(theirs.median)} ms, ratio ${ratio}`,
  );
  if (mine.median > theirs.median) process.exitCode = 1;
}

/** 1 KB that compresses well. @param {number} index */
function textOf(index) {
  return Buffer.from(`setting-${index} = value of the file ${index}\n`.repeat(25));
}

/** 1 KB that does not compress; the same in each run. @param {number} index */
function randomOf(index) {
  return Buffer.concat(
    Array.from({ length: 32 }, (_, part) => createHash('sha256').update(`${index} ${part}`).digest()),
  );
}

// @ts-check
/** Both programs, run as a script would run them: ours under the name of the other. */

import { spawnSync } from 'node:child_process';
import { openSync, closeSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** @typedef {'theirs' | 'ours'} Program */

/**
 * @typedef {object} Step
 * @property {readonly string[]} args
 * @property {string} [stdin] file whose contents are standard input
 * @property {string} [save] file that takes standard output
 * @property {'text' | 'ignition' | 'json' | 'none'} [stdout] what it holds; `none` is not compared
 */

/** @typedef {{ readonly code: number | null, readonly stdout: Buffer, readonly stderr: string }} Outcome */

const ourProgram = resolve(import.meta.dirname, '../../../bin/ironic-coreos.js');

/** @param {string} peer @param {string} folder for the link that gives ours its name */
export function openPrograms(peer, folder) {
  const link = join(folder, 'bin/coreos-installer');
  mkdirSync(join(folder, 'bin'));
  symlinkSync(ourProgram, link);
  const env = { ...process.env, RUST_BACKTRACE: '0', TMPDIR: join(folder, 'tmp') };

  /** @param {Program} program @param {Step} step @param {string} cwd @returns {Outcome} */
  return function run(program, { args, stdin, save }, cwd) {
    const [command, ...first] = program === 'theirs' ? [peer] : [process.execPath, link];
    const input = stdin === undefined ? 'ignore' : openSync(join(cwd, stdin), 'r');
    try {
      const { status, stdout, stderr } = spawnSync(command ?? '', [...first, ...args], {
        cwd,
        env,
        stdio: [input, 'pipe', 'pipe'],
        maxBuffer: 2 ** 28,
      });
      if (save !== undefined && status === 0) writeFileSync(join(cwd, save), stdout);
      return {
        code: status,
        stdout: save === undefined ? stdout : Buffer.alloc(0),
        stderr: stderr.toString(),
      };
    } finally {
      if (typeof input === 'number') closeSync(input);
    }
  };
}

// @ts-check
/**
 * What a benchmark has found out: written to the file that `--json FILE` names.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';

/** @typedef {{ readonly name: string, readonly version: string }} Peer the program that is compared with */

/** What a script is started with that has no options but `--json`. */
export function readArguments() {
  const { values, positionals } = parseArgs({
    options: { json: { type: 'string' } },
    allowPositionals: true,
  });
  return { json: values.json, given: positionals };
}

/** @param {string | undefined} file nothing is written without @param {object} figures */
export function writeFigures(file, figures) {
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(figures)}\n`);
}

/** @param {string | undefined} file @param {readonly string[]} names of what was not there, so that nothing was found out; paths without their folders */
export function writeMissing(file, names) {
  writeFigures(file, { missing: names.map((name) => basename(name)) });
}

/**
 * By what the program says of itself.
 * @param {string} name
 * @param {readonly [command: string, ...args: string[]]} command
 * @returns {Peer}
 */
export function askPeer(name, [command, ...args]) {
  const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return { name, version: /\d+\.\d+(?:\.\d+)?/.exec(stdout + stderr)?.[0] ?? 'unknown' };
}

/** Built by `go install`, it does not know its version itself, but the file does. @param {string} program @returns {Peer} */
export function ignitionValidatePeer(program) {
  const asked = askPeer('ignition-validate', [program, '-version']);
  if (asked.version !== 'unknown') return asked;
  const { stdout } = spawnSync('sh', ['-c', 'command -v "$0"', program], { encoding: 'utf8' });
  const text = readFileSync(stdout.trim(), 'latin1');
  const [, version = 'unknown'] = /\tgithub\.com\/coreos\/ignition\/v2\tv([\d.]+)/.exec(text) ?? [];
  return { ...asked, version };
}

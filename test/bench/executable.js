// @ts-check
/**
 * How long the single executable and the package take to start, on the same Node: `node test/bench/executable.js EXECUTABLE`,
 * run by the Node from which the executable was made.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { smallConfig } from './configs.js';
import { bareNode, ours, printBeyondBare, takeTurns } from './measure.js';

const ROUNDS = 100;

const [executable = ''] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos bench '));
try {
  const config = join(folder, 'small.ign');
  writeFileSync(config, smallConfig(0));
  const runs = [['--version'], ['--help'], ['validate', config]].flatMap((args) => [
    ours(`package ${args[0]}`, args),
    { name: `executable ${args[0]}`, command: executable, args },
  ]);
  takeTurns(runs, 1); // what the package compiles is kept from then on
  console.log(`start-up on Node ${process.version}, ${ROUNDS} runs each, in turns; median and minimum, ms`);
  printBeyondBare(takeTurns([bareNode, ...runs], ROUNDS));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

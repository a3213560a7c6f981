// @ts-check
/** How long short commands take, beside a Node program that does nothing: `npm run bench`, or `node test/bench/startup.js`. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { smallConfig } from './configs.js';
import { bareNode, ours, printBeyondBare, takeTurns } from './measure.js';

const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos bench '));
try {
  const small = join(folder, 'small.ign');
  writeFileSync(small, smallConfig(0));
  const times = takeTurns(
    [
      bareNode,
      ours('--version', ['--version']),
      ours('--help', ['--help']),
      ours('validate', ['validate', small]),
      ours('render', [
        'render',
        '--api-url',
        'https://192.0.2.1',
        '--no-ssh-key',
        '-o',
        join(folder, 'agent.ign'),
      ]),
      ours('ignition translate', ['ignition', 'translate', '--to', '3.5.0', small]),
      ours('pxe kargs', ['pxe', 'kargs', '--base-url', 'http://192.0.2.1/images', '--embedded']),
    ],
    25,
  );
  console.log(
    `start-up on Node ${process.version}, 25 runs each: median and minimum in ms, and beyond bare Node`,
  );
  printBeyondBare(times);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

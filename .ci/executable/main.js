// @ts-check
/** What the single-file executable runs: `bin/ironic-coreos.js` without the cache, its code is compiled already. */

import { main } from '../../src/cli/main.ts';

void main(process.argv).then((exitCode) => {
  process.exitCode = exitCode;
});

/** What `agentConfs.js` bundles, since Node 20 runs no TypeScript. */

import * as fc from 'fast-check';
import { compareConfs } from '../../support/ipaAgreement.ts';
import { ipaConf } from '../../support/ipaConfs.ts';

export { compareConfs };
export { hasIpa } from '../../support/ipaOracle.ts';

/** The same seed gives the same confs. */
export function randomConfs(count: number, seed: number): string[] {
  return fc.sample(ipaConf, { numRuns: count, seed });
}

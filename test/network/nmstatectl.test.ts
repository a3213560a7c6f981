/** The conversion against the real `nmstatectl gc`, on documents that nobody has seen. */

import { describe, expect, it } from 'vitest';
import { convertNmstate } from '../../src/network/convertNmstate.ts';
import { nmstatectl, nmstatectlNote, withNmstatectl } from '../support/nmstatectl.ts';
import { type Members, type Random, randomNetwork, seededRandom, spoil } from '../support/randomNetworks.ts';

/** About 4 ms each. */
const count = Number(process.env['NMSTATE_DOCUMENTS'] ?? 1500);
const seed = Number(process.env['NMSTATE_SEED'] ?? Date.now() % 2 ** 32);

describe.skipIf(nmstatectl === undefined)(`nmstatectl gc${nmstatectlNote}`, () => {
  it.each([
    ['random networks', randomNetwork],
    ['networks with faults', (random: Random): Members => spoil(random, randomNetwork(random))],
  ])(`gives the same keyfiles for ${count} %s, seed ${seed}`, { timeout: 600_000 }, (_title, make) => {
    const random = seededRandom(seed);
    const compared = withNmstatectl(nmstatectl ?? '', (convert) => {
      let same = 0;
      for (let done = 0; done < count; done += 1) {
        const document = make(random);
        const { keyfiles, findings } = convertNmstate(document);
        // What is refused here may be anything there.
        if (findings.some(({ severity }) => severity === 'error')) continue;
        const text = JSON.stringify(document);
        expect({ text, keyfiles: convert(text) }).toEqual({ text, keyfiles });
        same += 1;
      }
      return same;
    });
    expect(compared).toBeGreaterThan(count / 20);
  });
});

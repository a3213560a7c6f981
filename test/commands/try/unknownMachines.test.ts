/** Machines that the inventory does not list: which are remembered, and which are evicted. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admitMachine, type UnknownMachine } from '../../../src/commands/try/unknownMachines.ts';

const once = (client: string): UnknownMachine => ({ client, hasComeBack: false });
const again = (client: string): UnknownMachine => ({ client, hasComeBack: true });
const unseen: UnknownMachine = { client: undefined, hasComeBack: false };
const limits = { machines: 4, perClient: 3 };

describe('the admission of a machine', () => {
  it.each<
    [
      title: string,
      client: string | undefined,
      known: UnknownMachine[],
      expected: number | string | undefined,
    ]
  >([
    ['is free', 'a', [once('a'), once('b')], undefined],
    [
      'is free for the last that a client and all may have',
      'a',
      [once('a'), once('b'), once('a')],
      undefined,
    ],
    [
      'is not limited by client, if no request has shown the machine',
      undefined,
      [unseen, unseen, unseen],
      undefined,
    ],
    [
      'is that of the oldest of the client, if the client has too many',
      'a',
      [once('b'), once('a'), once('a'), once('a')],
      1,
    ],
    ['is not taken from a machine that came back', 'a', [again('a'), once('a'), again('a')], 1],
    [
      'is refused to a client whose machines all came back',
      'a',
      [again('a'), again('a'), again('a')],
      'more than 3 unknown machines at a',
    ],
    [
      'is that of the client with the most machines, if all are taken',
      'c',
      [once('b'), once('a'), once('a'), once('b'), again('a')],
      1,
    ],
    [
      'is that of the oldest, if clients have equally many',
      'e',
      [once('a'), once('b'), once('c'), once('d')],
      0,
    ],
    [
      'is refused if all machines came back',
      'e',
      [again('a'), again('b'), again('c'), again('d')],
      'more than 4 unknown machines',
    ],
  ])('%s', (_title, client, known, expected) => {
    const admission = admitMachine(client, known, limits);
    const found =
      admission.kind === 'full' ? admission.problem : admission.evicted && known.indexOf(admission.evicted);
    expect(found).toBe(expected);
  });

  it('of another client is never taken by one that sends any number of requests', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 60 }), (requests) => {
        const other = once('other');
        let known = [other];
        for (const hasComeBack of requests) {
          const admission = admitMachine('attacker', known, limits);
          if (admission.kind === 'full') continue;
          known = known.filter((one) => one !== admission.evicted);
          known.push({ client: 'attacker', hasComeBack });
        }
        expect(known).toContain(other);
        expect(known.length).toBeLessThanOrEqual(limits.machines);
      }),
    );
  });
});

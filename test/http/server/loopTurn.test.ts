import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { awaitTurn, TURN } from '../../../src/http/server/loopTurn.ts';

it('transfers that need not wait for anything leave the event loop after 16 MiB, and take turns', async () => {
  const piece = TURN / 4;
  const order: string[] = [];
  let turns = 0;
  const transfer = async (name: string): Promise<void> => {
    for (let count = 0; count < 4; count++) {
      await awaitTurn(piece);
      order.push(name);
    }
  };
  await nextTurn();
  const transfers = Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(transfer));
  while (order.length < 24) {
    await nextTurn();
    turns++;
  }
  await transfers;
  expect(turns).toBeGreaterThanOrEqual(5); // 4 pieces before the first one, and 4 in each
  expect(order.join('')).toBe('abcdef'.repeat(4));
});

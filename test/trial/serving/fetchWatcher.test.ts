/** The events of a fetch: one at its beginning, one each second, so that a long transfer is no pause, and one at its end. */

import { describe, expect, it } from 'vitest';
import { createTransferLog, type TransferStart } from '../../../src/http/server/answer/transfers.ts';
import { createFetchWatcher } from '../../../src/trial/serving/catalogService.ts';
import type { FetchEvent } from '../../../src/trial/timeline/events.ts';
import { transferStart as start } from '../../support/transferStart.ts';

/** Sends 10 bytes each 100 ms, `seconds` long. */
function watched(seconds: number, starts: readonly TransferStart[] = [start]): FetchEvent[] {
  const events: FetchEvent[] = [];
  let time = 0;
  const now = (): Date => new Date(time);
  const log = createTransferLog([createFetchWatcher((event) => events.push(event), now)], now);
  const transfers = starts.map((one) => log.begin(one));
  for (let offset = 0; offset < seconds * 100; offset += 10) {
    time += 100;
    for (const transfer of transfers) transfer.sent({ offset, length: 10 });
  }
  for (const transfer of transfers) transfer.end('client disconnected');
  return events;
}

describe('a transfer', () => {
  it('has an event each second, with what the client has', () => {
    const events = watched(3.5).map(({ at, bytes, outcome }) => [at.getTime(), outcome, bytes]);
    expect(events).toEqual([
      [0, 'began', 0],
      [1000, 'began', 100],
      [2000, 'began', 200],
      [3000, 'began', 300],
      [3500, 'client disconnected', 350],
    ]);
  });

  it('of a shared file has the bytes of its own client', () => {
    const shared: TransferStart = { ...start, host: undefined, path: 'rootfs', artifact: 'rootfs' };
    const events = watched(1, [shared, { ...shared, client: '192.0.2.8' }]);
    expect(events.map(({ bytes, client }) => [client, bytes])).toEqual([
      ['192.0.2.7', 0],
      ['192.0.2.8', 0],
      ['192.0.2.7', 100],
      ['192.0.2.8', 100],
      ['192.0.2.7', 100],
      ['192.0.2.8', 100],
    ]);
  });
});

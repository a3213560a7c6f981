/** The start of a transfer, for tests of what watches transfers. */

import type { TransferStart } from '../../src/http/server/answer/transfers.ts';

export const transferStart: TransferStart = {
  id: 1,
  client: '192.0.2.7',
  host: 'worker-0',
  path: 'worker-0.iso',
  artifact: 'iso',
  size: 1000,
  etag: '"a"',
};

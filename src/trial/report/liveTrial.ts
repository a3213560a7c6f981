/** The machines of a trial on a terminal: the rows of its page. */

import type { Io } from '../../io/io.ts';
import { type LiveRows, showLiveRows } from '../../io/liveRows.ts';
import type { TrialResult } from '../timeline/result.ts';
import { createRates } from './rates.ts';
import { formatLiveRows } from './terminalRows.ts';
import { describeTrial } from './trialPage.ts';

/**
 * @param url of the page
 * @param result the trial as it is now
 */
export function showLiveTrial(url: string, result: () => TrialResult, io: Io): LiveRows {
  const rateOf = createRates();
  return showLiveRows(io, (size) =>
    formatLiveRows(
      url,
      describeTrial(result()),
      size,
      ({ name, transfer }) => transfer && rateOf(`${name} ${transfer.path}`, transfer.bytes),
      io.paint,
    ),
  );
}

/** The machines of a trial on a terminal: the rows of its page. */

import type { Io } from '../../io/io.ts';
import { type LiveRows, showLiveRows } from '../../io/liveRows.ts';
import { createRates } from './rates.ts';
import { formatStates } from '../../service/status/document.ts';
import { formatLiveRows } from './terminalRows.ts';
import type { TrialResult } from '../timeline/result.ts';
import { calledHomeText, trialRows, trialStateNames } from './trialPage.ts';

/**
 * @param page the URL of the page
 * @param result the trial as it is now
 */
export function showLiveTrial(page: string, result: () => TrialResult, io: Io): LiveRows {
  const rateOf = createRates();
  return showLiveRows(io, (size) => {
    const now = result();
    const rows = trialRows(now);
    const others = formatStates(
      rows.filter(({ state }) => state !== 'home'),
      trialStateNames,
    );
    const figures = `${calledHomeText(now)}${others === '' ? '' : `: ${others}`}`;
    return formatLiveRows(
      { page, figures, rows, names: trialStateNames, now: now.ended },
      size,
      ({ name, transfer }) => transfer && rateOf(`${name} ${transfer.path}`, transfer.bytes),
      io.paint,
    );
  });
}

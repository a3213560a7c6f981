/** The log of a server that runs during a trial: the timeline contains the requests, so only warnings and errors are reported. */

import type { Io } from '../io/io.ts';
import type { ServerLog } from '../http/server/serverLog.ts';
import { throttleLog } from '../http/server/throttledLog.ts';
import { report } from '../io/report/report.ts';

export function createQuietLog(io: Io): ServerLog {
  return throttleLog({
    request: () => undefined,
    note: (level, event, { client, message = event, hint }) => {
      if (level === 'info') return;
      const from = client === undefined ? '' : ` (${client})`;
      const text = hint === undefined ? {} : { hint: String(hint) };
      report(io, { severity: level, message: `${message}${from}`, ...text });
    },
  });
}

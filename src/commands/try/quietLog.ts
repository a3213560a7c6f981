/** The log of a server that runs beside a trial: who fetches what is in the timeline, so only trouble is told. */

import type { Io } from '../../io/io.ts';
import type { ServerLog } from '../../io/server/serverLog.ts';
import { formatRemark } from '../../reporters/remark.ts';

export function createQuietLog({ stderr }: Pick<Io, 'stderr'>): ServerLog {
  return {
    request: () => undefined,
    note: (level, event, { message = event, hint }) => {
      if (level === 'info') return;
      const text = hint === undefined ? {} : { hint: String(hint) };
      stderr.write(formatRemark({ severity: level, message: String(message), ...text }));
    },
  };
}

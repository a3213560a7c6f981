/** Trouble with the cluster: told, but not every second. */

import { describe, expect, it } from 'vitest';
import { createErrorLog } from '../../../src/commands/controller/service.ts';
import { CliError } from '../../../src/core/errors.ts';
import type { Clock } from '../../../src/io/clock.ts';
import type { LogFields } from '../../../src/http/server/serverLog.ts';

function troubleLog(): {
  note: (message: string) => void;
  wait: (seconds: number) => void;
  lines: LogFields[];
} {
  let now = 0;
  const clock: Clock = { now: () => now, date: () => new Date(now), after: () => () => undefined };
  const lines: LogFields[] = [];
  const log = {
    note: (_level: string, _event: string, fields: LogFields) => void lines.push(fields),
    request: () => undefined,
  };
  const tell = createErrorLog(log, clock);
  return {
    note: (message) => tell(new CliError(message, { code: 'ERR_SETTING', hint: 'look' })),
    wait: (seconds) => void (now += seconds * 1000),
    lines,
  };
}

describe('trouble with the cluster', () => {
  it('is told at once, and the same again after a minute, with how often it came', () => {
    const { note, wait, lines } = troubleLog();
    for (let second = 0; second < 59; second++) {
      note('nothing listens there');
      wait(1);
    }
    expect(lines).toEqual([{ message: 'nothing listens there', hint: 'look' }]);
    note('another one');
    wait(1);
    note('nothing listens there');
    expect(lines.slice(1)).toEqual([
      { message: 'another one', hint: 'look' },
      { message: 'nothing listens there', hint: 'look', suppressed: 58 },
    ]);
  });

  it('is not remembered for ever, and has nothing for the terminal in it', () => {
    const { note, lines } = troubleLog();
    note('first\u001b[31m');
    for (let count = 0; count < 100; count++) note(`trouble ${count}`);
    note('first\u001b[31m');
    expect(lines).toHaveLength(102);
    expect(lines[0]?.['message']).not.toContain('\u001b');
    note('trouble 99');
    expect(lines).toHaveLength(102);
  });
});

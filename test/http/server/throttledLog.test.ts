/** A repeated message: told, but not every second. */

import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/io/clock.ts';
import type { LogFields } from '../../../src/http/server/serverLog.ts';
import { throttleLog } from '../../../src/http/server/throttledLog.ts';

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
  const throttled = throttleLog(log, clock);
  return {
    note: (message) => throttled.note('warning', 'cluster', { message, hint: 'look' }),
    wait: (seconds) => void (now += seconds * 1000),
    lines,
  };
}

describe('a repeated message', () => {
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

  it('is not remembered for ever', () => {
    const { note, lines } = troubleLog();
    for (let count = 0; count <= 1000; count++) note(`trouble ${count}`);
    note('trouble 1000');
    expect(lines).toHaveLength(1001);
    note('trouble 0');
    expect(lines).toHaveLength(1002);
  });
});

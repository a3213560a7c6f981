import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { createQuietLog } from '../../../src/commands/try/quietLog.ts';
import { createIo } from '../../support/createIo.ts';

it('tells trouble alone, and the same again after a minute', () => {
  let text = '';
  const stderr = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  let time = 0;
  const log = createQuietLog(createIo({ stderr }), () => time);
  log.note('info', 'refused', { client: '192.0.2.7' });
  for (; time < 90_000; time += 100) {
    log.note('warning', 'too many connections', { client: '192.0.2.7', connections: 1024 });
  }
  log.note('error', 'cannot serve', { message: 'the disk is gone', hint: 'look for it' });
  expect(text).toBe(
    [
      'warning: too many connections (192.0.2.7)',
      'warning: too many connections (192.0.2.7)',
      'error: the disk is gone',
      'hint: look for it',
      '',
    ].join('\n'),
  );
});

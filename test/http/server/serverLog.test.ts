import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createServerLog, type RequestEvent } from '../../../src/http/server/serverLog.ts';

const now = (): Date => new Date('2026-11-21T12:00:00Z');
const event: RequestEvent = {
  id: 7,
  client: '10.0.0.9',
  method: 'GET',
  artifact: 'iso',
  host: 'worker-0',
  path: 'worker-0.iso',
  status: 206,
  bytes: 4096,
  seconds: 0.123456,
  outcome: 'complete',
  userAgent: 'iDRAC "9"',
};

function logged(form: 'json' | 'text', own: Partial<RequestEvent> = {}): string {
  const output = new PassThrough();
  createServerLog(output, form, now).request({ ...event, ...own });
  return String(output.read());
}

describe('createServerLog', () => {
  it('writes a line of JSON for programs', () => {
    expect(JSON.parse(logged('json'))).toEqual({
      time: '2026-11-21T12:00:00.000Z',
      level: 'info',
      event: 'request',
      ...event,
      seconds: 0.123,
    });
  });

  it('writes words for a person', () => {
    expect(logged('text', { host: undefined })).toBe(
      '2026-11-21T12:00:00.000Z info request id=7 client=10.0.0.9 method=GET artifact=iso path=worker-0.iso' +
        ' status=206 bytes=4096 seconds=0.123 outcome=complete userAgent="iDRAC \\"9\\""\n',
    );
  });

  it.each(['json', 'text'] as const)(
    'keeps what a client sends to one line of ASCII, and short: %s',
    (form) => {
      const line = logged(form, { path: `a\nb\u0085\u001b[2J\n\u202e${'x'.repeat(5000)}` });
      expect(line).toMatch(/^[ -~]+\n$/);
      expect(line.length).toBeLessThan(600);
    },
  );

  it('calls failures of the service errors', () => {
    expect(JSON.parse(logged('json', { status: 503 }))).toMatchObject({ level: 'error' });
  });

  it('goes on without an output that is gone', async () => {
    const output = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
    const log = createServerLog(output, 'json');
    log.request(event);
    await new Promise((resolve) => void setImmediate(resolve));
    log.request(event);
    expect(output.destroyed).toBe(true);
  });
});

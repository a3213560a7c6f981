/** What ends a service: a line of a log for programs, an error for people. */

import { imageEnv } from '../support/agentImage.ts';
import { Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openLog, runService } from '../../src/service/serviceLog.ts';
import { CliError, UsageError } from '../../src/core/errors.ts';
import type { Io } from '../../src/io/io.ts';
import { createServerLog } from '../../src/http/server/serverLog.ts';

function target(form: 'json' | 'text') {
  const said: string[] = [];
  const stderr = new Writable({
    write: (chunk, _encoding, done) => {
      said.push(String(chunk));
      done();
    },
  });
  const io: Io = {
    stdin: Readable.from([]),
    stdout: new Writable(),
    stderr,
    env: imageEnv,
    cwd: '/',
    programName: 'ironic-coreos',
  };
  return { io, form, log: createServerLog(stderr, form), said };
}

const failing = (error: Error) => async (): Promise<never> => {
  throw error;
};
const done = async (): Promise<0> => 0;

describe.each([
  ['CliError', new CliError('no image', { code: 'ERR_SETTING', hint: 'pass one' }), 1, 'failed'],
  ['UsageError', new UsageError('no such host', { hint: 'pass one' }), 2, 'failed'],
  ['defect', new TypeError('x is undefined'), 1, 'internal error'],
] as const)('%s', (kind, error, code, event) => {
  it('of a running service is a line of a log for programs', async () => {
    const { said, ...rest } = target('json');
    expect(await runService(rest, done, failing(error))).toBe(code);
    expect(said.map((line): unknown => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 'error', event, message: expect.stringContaining(error.message) }),
    ]);
  });

  it('of a running service is thrown where people read the log', async () => {
    const { said, ...rest } = target('text');
    await expect(runService(rest, done, failing(error))).rejects.toBe(error);
    expect(said).toEqual([]);
  });

  it('before it runs is thrown only if the command line is invalid', async () => {
    const { said, ...rest } = target('json');
    const ended = runService(rest, failing(error), done);
    const outcome = await ended.catch((thrown: unknown) => thrown);
    expect(outcome).toBe(kind === 'UsageError' ? error : code);
    expect(said).toHaveLength(kind === 'UsageError' ? 0 : 1);
  });
});

describe('openLog', () => {
  it('writes only errors with --quiet, which discards all else', () => {
    const { io, said } = target('json');
    const log = openLog({ stderr: new Writable(), errors: io.stderr }, 'json');
    for (const level of ['info', 'warning', 'error'] as const) log.note(level, level, {});
    const request = { id: 1, client: '192.0.2.1', method: 'GET', bytes: 0, seconds: 0 };
    const none = { artifact: undefined, host: undefined, path: undefined, userAgent: undefined };
    for (const status of [200, 404, 503]) log.request({ ...request, ...none, status, outcome: 'failed' });
    expect(said.map((line): unknown => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 'error', event: 'error' }),
      expect.objectContaining({ level: 'error', event: 'request', status: 503 }),
    ]);
  });
});

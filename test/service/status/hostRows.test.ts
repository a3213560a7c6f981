/** What the fetches and the messages of a host say about its boot. */

import { describe, expect, it } from 'vitest';
import { formatPercent } from '../../../src/service/status/figures.ts';
import { hostRow } from '../../../src/service/status/hostRows.ts';
import type { ImageProgress } from '../../../src/http/server/answer/transfers.ts';
import { ago, exampleHost, exampleProgress, type HostChanges, now } from './exampleStatus.ts';

const iso = (changes: Partial<ImageProgress>): ImageProgress => exampleProgress({ running: 0, ...changes });
const of = (
  artifact: ImageProgress['artifact'],
  seconds: number,
  changes: Partial<ImageProgress> = {},
): ImageProgress =>
  exampleProgress({
    path: `a.${artifact}`,
    artifact,
    size: 1000,
    bytes: 1000,
    running: 0,
    lastFetch: ago(seconds),
    completed: ago(seconds),
    ...changes,
  });
const part = { bytes: 400, completed: undefined };
const error = { severity: 'error', rule: 'x', path: [], message: 'wrong' } as const;

describe('the row of a host', () => {
  it.each<[string, HostChanges, string, string]>([
    ['nothing', {}, 'idle', ''],
    ['an error', { messages: [error] }, 'failed', 'without an image'],
    [
      'an error, with an older image',
      { messages: [error], staleSince: ago(60) },
      'failed',
      'with its last valid image',
    ],
    [
      'an error that boots with an older image',
      { messages: [error], staleSince: ago(60), fetched: [exampleProgress()] },
      'failed',
      'with its last valid image',
    ],
    ['an ISO that is read now', { fetched: [exampleProgress()] }, 'under-way', 'media 50 %'],
    ['an ISO between two reads', { fetched: [iso({ lastFetch: ago(200) })] }, 'under-way', 'media, 50 %'],
    ['an ISO that is read no more', { fetched: [iso({ lastFetch: ago(400) })] }, 'stuck', 'media, 50 %'],
    ['a complete ISO', { fetched: [iso({ completed: ago(400), bytes: 1024 ** 3 })] }, 'home', 'media'],
    ['a boot script', { fetched: [of('script', 10)] }, 'under-way', 'loader'],
    ['a kernel long ago', { fetched: [of('script', 999), of('kernel', 900)] }, 'idle', 'kernel'],
    ['a transfer that ended just now', { fetched: [of('ign', 20, part)] }, 'under-way', 'Ignition, 40 %'],
    [
      'a transfer that ended and was not resumed',
      { fetched: [of('ign', 61, part)] },
      'stuck',
      'Ignition, 40 %',
    ],
    ['a config', { fetched: [of('script', 30), of('ign', 20)] }, 'home', 'Ignition'],
    [
      'a config, and a new boot after it',
      { fetched: [of('script', 30), of('ign', 20, { ...part, running: 1 })] },
      'under-way',
      'Ignition 40 %',
    ],
  ])('with %s', (_title, changes, state, stage) => {
    const row = hostRow(exampleHost('a', changes), now);
    const percent = row.transfer && formatPercent(row.transfer.bytes, row.transfer.size);
    expect([row.state, [row.stage, percent].filter(Boolean).join(' ')]).toEqual([state, stage]);
  });

  const refusal = {
    at: ago(30),
    client: '192.0.2.7',
    artifact: 'iso',
    message: 'requested a.iso without a key in the URL (status 401)',
    hint: 'use the URL',
  } as const;
  const said = '192.0.2.7 requested a.iso without a key in the URL (status 401)';
  it.each<[string, HostChanges, string, string | undefined, readonly string[]]>([
    ['no fetch', {}, 'stuck', 'media', [said]],
    ['an earlier fetch', { fetched: [iso({ lastFetch: ago(40) })] }, 'stuck', 'media', [said]],
    ['a later fetch', { fetched: [iso({ lastFetch: ago(20) })] }, 'under-way', 'media, 50 %', []],
    [
      'its files',
      { fetched: [iso({ completed: ago(400), bytes: 1024 ** 3, lastFetch: ago(400) })] },
      'home',
      'media',
      [said],
    ],
    ['an error', { messages: [error] }, 'failed', 'without an image', ['wrong', said]],
  ])('with a refused request and %s', (_title, changes, state, stage, messages) => {
    const row = hostRow(exampleHost('a', { refusal, ...changes }), now);
    expect([row.state, row.stage, [...row.causes, ...row.others].map(({ message }) => message)]).toEqual([
      state,
      stage,
      messages,
    ]);
  });

  it('names the file that was not resumed', () => {
    const { causes } = hostRow(exampleHost('a', { fetched: [of('ign', 61, part)] }), now);
    expect(causes.map(({ message }) => message)).toEqual([
      'The transfer of a.ign ended at 40 %, and the machine has not resumed it.',
    ]);
  });

  it('says how long a BMC has read nothing', () => {
    const { causes } = hostRow(exampleHost('a', { fetched: [iso({ lastFetch: ago(400) })] }), now);
    expect(causes.map(({ message }) => message)).toEqual([
      'The BMC has read 50 % of worker-0.iso, and nothing more for 7 min.',
    ]);
  });

  it('has the first error, and the other messages behind it', () => {
    const warning = { ...error, severity: 'warning', message: 'unusual' } as const;
    const { causes, others } = hostRow(exampleHost('a', { messages: [warning, error] }), now);
    expect([causes, others]).toEqual([[error], [warning]]);
  });
});

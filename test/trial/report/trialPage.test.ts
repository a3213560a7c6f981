/** The data of the page of a trial, and how it is answered. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pageAnswer } from '../../../src/service/status/page.ts';
import { describeTrial, stageMarks } from '../../../src/trial/report/trialPage.ts';
import { resultsOf, type TrialResult } from '../../../src/trial/timeline/result.ts';
import type { TrialEvent } from '../../../src/trial/timeline/events.ts';
import {
  anyEvent,
  asked,
  askedBack,
  at,
  fetched,
  heartbeat,
  inspected,
  lookedUp,
  readIso,
  refused,
} from '../../support/trialEvents.ts';
import { root } from '../../support/docs/markdown.ts';
import { resultOf } from '../../support/trialResult.ts';
import { startTry } from '../../commands/try/startTry.ts';

const bmc = (seconds: number, step: 'media' | 'boot device' | 'power on', text: string): TrialEvent => ({
  kind: 'bmc',
  at: at(seconds),
  client: undefined,
  host: 'worker-0',
  step,
  text,
});
const booted = [
  bmc(0, 'media', 'inserted the ISO into slot 2'),
  bmc(1, 'boot device', 'boots once from Cd'),
  bmc(2, 'power on', 'powered on'),
];
const home = [
  ...booted,
  readIso(9, 0.4),
  asked(80),
  inspected(81),
  lookedUp(90),
  heartbeat(95),
  askedBack(96),
];

/** Of worker-0: `media 40 % reached, power 2.0 s reached, …`. */
function marksOf(events: readonly TrialEvent[], given: Partial<TrialResult> = {}): string[] {
  const [host] = resultsOf(resultOf(events, given));
  const marks = host === undefined ? [] : stageMarks(host);
  return marks.map(({ note = '', stage, state }) =>
    [stage, note, state].filter((text) => text !== '').join(' '),
  );
}

describe('the stages of a machine', () => {
  const rest = ['root filesystem waiting', 'Ignition waiting', 'image waiting', 'agent waiting'];

  it.each<[string, readonly TrialEvent[], number, readonly string[]]>([
    ['nothing', [], 10, ['media waiting', 'power waiting', 'loader waiting', 'kernel waiting', ...rest]],
    [
      'a machine that is powered on',
      booted,
      10,
      ['media reached', 'power 2.0 s running', 'loader waiting', 'kernel waiting', ...rest],
    ],
    [
      'a machine that is silent for minutes',
      booted,
      200,
      ['media reached', 'power 2.0 s stopped', 'loader waiting', 'kernel waiting', ...rest],
    ],
    [
      'a BMC that reads the ISO',
      [readIso(3, 0.12)],
      10,
      ['media 12 % running', 'power waiting', 'loader waiting', 'kernel waiting', ...rest],
    ],
    [
      'a network boot',
      (['script', 'kernel', 'initramfs', 'rootfs', 'ign', 'agent'] as const).map((artifact, index) =>
        fetched(10 * index, { artifact }),
      ),
      60,
      [
        'media passed',
        'power passed',
        'loader reached',
        'kernel 10 s reached',
        'root filesystem 30 s reached',
        'Ignition 40 s reached',
        'image 50 s running',
        'agent waiting',
      ],
    ],
    [
      'an agent that called home',
      home,
      200,
      [
        'media 40 % reached',
        'power 2.0 s reached',
        'loader passed',
        'kernel passed',
        'root filesystem passed',
        'Ignition passed',
        'image passed',
        'agent 80 s reached',
      ],
    ],
  ])('of %s', (_title, events, ended, marks) => {
    expect(marksOf(events, { ended: at(ended) })).toEqual(marks);
  });
});

const document = (events: readonly TrialEvent[], given: Partial<TrialResult> = {}, query = ''): unknown =>
  JSON.parse(
    pageAnswer(describeTrial(resultOf(events, given)), new URLSearchParams(query), 'application/json').body,
  );

describe('the page of a trial', () => {
  it.each<[string, readonly TrialEvent[], object]>([
    ['how many called home', home, { title: '1 of 2 called home: Boot of machines' }],
    [
      'a machine without activity',
      [],
      { hosts: [{ name: 'worker-0' }, { name: 'worker-1', state: 'idle' }] },
    ],
    ['a machine that called home', home, { hosts: [{ state: 'home' }, {}] }],
    [
      'how many called home among the states',
      home,
      { states: [{}, {}, {}, {}, { state: 'home', name: 'called home', machines: 1 }] },
    ],
    [
      'a machine that boots',
      [bmc(590, 'power on', 'powered on')],
      { hosts: [{ state: 'under-way', stage: 'power' }, {}] },
    ],
    [
      'the last event of a machine',
      booted,
      {
        hosts: [{ events: [{}, { name: 'Last event', text: 'powered on', time: at(2).toISOString() }] }, {}],
      },
    ],
    [
      'a proven cause at once',
      [
        ...booted,
        refused(599, { kind: 'tls', reason: 'tlsv1 alert unknown ca' }, { client: '192.0.2.7' }),
        lookedUp(598),
      ],
      { hosts: [{ messages: [{ severity: 'error', label: 'Proven' }] }, {}] },
    ],
    [
      'a refused request for its file, with the hint for exactly that',
      [
        ...booted,
        refused(
          599,
          { kind: 'file', message: 'requested worker-0.iso without a key (status 401)', hint: 'use the URL' },
          { host: 'worker-0', client: '192.0.2.7' },
        ),
      ],
      {
        hosts: [
          {
            state: 'failed',
            stage: 'power',
            messages: [
              {
                label: 'Proven',
                message: '192.0.2.7 requested worker-0.iso without a key (status 401)',
                hint: 'use the URL',
              },
            ],
          },
          {},
        ],
      },
    ],
    [
      'no refused request after which the file was fetched',
      [
        refused(1, { kind: 'file', message: 'no', hint: 'use' }, { host: 'worker-0', client: '10.0.0.8' }),
        readIso(599, 0.4),
      ],
      { hosts: [{ state: 'under-way', messages: [] }, {}] },
    ],
    [
      'the possible cause of a machine that is silent, and how to check it',
      booted,
      {
        hosts: [
          {
            state: 'stuck',
            messages: [{ label: 'The cause is not known; possible', hint: expect.stringMatching(/^[a-z]/) }],
          },
          {},
        ],
      },
    ],
  ])('shows %s', (_title, events, expected) => {
    expect(document(events)).toMatchObject(expected);
  });

  it('shows no cause while the machine boots', () => {
    expect(document(booted, { ended: at(20) })).toMatchObject({ hosts: [{ messages: [] }, {}] });
  });

  it('any events are JSON as its schema describes it, and a table without control characters', () => {
    const check = new Ajv({ allowUnionTypes: true }).compile(
      JSON.parse(readFileSync(join(root, 'schemas/serve-status.json'), 'utf8')),
    );
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
        check(document(events));
        expect(check.errors ?? []).toEqual([]);
        const { body } = pageAnswer(describeTrial(resultOf(events)), new URLSearchParams(), 'text/html');
        expect(body.replaceAll('\n', '')).not.toMatch(/[^\P{Cc}\t]|[\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});

describe('over HTTP', () => {
  it('try prints its URL, and only its path is answered', async () => {
    const trial = await startTry({ timeout: '60s', askBack: 'never' }, process.cwd());
    const [, url = ''] = /status page: (\S+)/.exec(trial.said()) ?? [];
    const token = url.slice(url.lastIndexOf('/') + 1);
    for (const [other, method, status] of [
      [`${url}/`, 'GET', 200],
      [`${url}?x`, 'HEAD', 200],
      [url, 'POST', 405],
    ] as const) {
      expect(await fetch(other, { method })).toMatchObject({ status });
    }
    expect(trial.said().split(token)).toHaveLength(2);
    const answer = await fetch(url);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-/),
    });
    expect(await answer.text()).toContain('0 of 1 called home');
    expect(await (await fetch(`${url}?format=json`)).json()).toMatchObject({
      title: '0 of 1 called home: Boot of machines',
    });
    for (const other of [`${trial.origin}/status`, url.slice(0, -1)])
      expect((await fetch(other)).status).toBe(404);
    await trial.stop();
  });
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderTrialPage, stageMarks } from '../../../src/trial/report/trialPage.ts';
import { parseStatusQuery } from '../../../src/service/status/select.ts';
import { resultsOf, type TrialResult } from '../../../src/trial/timeline/result.ts';
import type { TrialEvent } from '../../../src/trial/timeline/events.ts';
import { chromiumNote, hasChromium, visit } from '../../support/chromium.ts';
import {
  anyEvent,
  asked,
  askedBack,
  at,
  fetched,
  heartbeat,
  inspected,
  lookedUp,
  refused,
} from '../../support/trialEvents.ts';
import { listenLocally } from '../../support/listening.ts';
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
const ofIso = (seconds: number, percent: number, given: Parameters<typeof fetched>[1] = {}): TrialEvent =>
  fetched(seconds, {
    artifact: 'iso',
    bytes: percent * 10_000,
    size: 1_000_000,
    client: '10.0.0.8',
    ...given,
  });
const booted = [
  bmc(0, 'media', 'inserted the ISO into slot 2'),
  bmc(1, 'boot device', 'boots once from Cd'),
  bmc(2, 'power on', 'powered on'),
];
const home = [...booted, ofIso(9, 40), asked(80), inspected(81), lookedUp(90), heartbeat(95), askedBack(96)];

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
      [ofIso(3, 12)],
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

const noQuery = parseStatusQuery(new URLSearchParams());

/** Without white space beside tags. */
const tight = (text: string): string => text.replace(/\s+/g, ' ').replace(/ ?([<>]) ?/g, '$1');
const page = (events: readonly TrialEvent[], given: Partial<TrialResult> = {}, query = ''): string =>
  tight(renderTrialPage(resultOf(events, given), parseStatusQuery(new URLSearchParams(query))));

describe('the page of a trial', () => {
  it.each<[string, readonly TrialEvent[], string]>([
    ['how many called home', home, '<title>1 of 2 called home</title>'],
    ['that it refreshes itself', [], '<meta http-equiv="refresh" content="5" />'],
    ['a machine without activity', [], '<th scope="row" class="name">worker-1</th>'],
    ['a machine that called home', home, '<strong class="state">called home</strong>'],
    ['how many called home in a tile', home, '<a href="?show=home"><strong>1</strong> called home</a>'],
    [
      'a machine that boots',
      [bmc(590, 'power on', 'powered on')],
      '<strong class="state">on the way</strong> power',
    ],
    ['the last event of a machine', booted, 'powered on, <time datetime="2026-11-21T12:00:02.000Z"'],
    [
      'a proven cause at once',
      [
        ...booted,
        refused(599, { kind: 'tls', reason: 'tlsv1 alert unknown ca' }, { client: '192.0.2.7' }),
        lookedUp(598),
      ],
      '<strong class="error">Proven:</strong>',
    ],
    ['the likely cause of a machine that is silent', booted, 'class="warning">'],
    ['stages also as text', booted, '<span class="hidden">: stopped here</span>'],
  ])('shows %s', (_title, events, expected) => {
    expect(page(events)).toContain(tight(expected));
  });

  it('shows no cause while the machine boots', () => {
    expect(page(booted, { ended: at(20) })).not.toContain('The cause is not known');
  });

  it('shows how to check a cause that is only possible', () => {
    const shown = page(booted);
    expect(shown).toMatch(/The cause is not known; possible:[^]*<span class="hint">[a-z]/);
    expect(shown).not.toContain('Fix:');
  });

  const markup = `"><script>alert(1)</script><img src=x onerror='alert(2)'>&amp;\0\u202e`;

  it('markup of clients is text', () => {
    const text = page([bmc(0, 'media', markup), fetched(1, { host: markup, client: markup })]);
    expect(text).not.toMatch(/<script(?! data-refresh)|<img|onerror='|\0|\u202e/);
    expect(text).toContain('&lt;script&gt;');
  });

  it('any events are a page without control characters', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
        expect(page(events).replaceAll('\n', '')).not.toMatch(/[^\P{Cc}\t]|[\u202a-\u202e\u2066-\u2069]/u);
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
    for (const other of [`${trial.origin}/status`, url.slice(0, -1)])
      expect((await fetch(other)).status).toBe(404);
    await trial.stop();
  });
});

describe.skipIf(!hasChromium)(`in a browser${chromiumNote}`, () => {
  let server: Server;
  let origin: string;
  beforeAll(async () => {
    const silent = { ...bmc(0, 'media', 'inserted the ISO into slot 1'), host: 'worker-1' };
    const body = renderTrialPage(resultOf([...home, silent], { ended: at(200) }), noQuery);
    server = createServer(
      (_request, response) => void response.setHeader('Content-Type', 'text/html').end(body),
    );
    origin = `http://127.0.0.1:${await listenLocally(server)}`;
  });
  afterAll(() => void server.close());

  it.each([
    [420, 'light'],
    [1400, 'dark'],
  ] as const)('with %d pixels, everything is visible: %s', async (width, colors) => {
    await visit({ url: `${origin}/`, width, colors }, async (browser) => {
      const seen = await browser.evaluate(`(() => {
        const room = document.documentElement.clientWidth;
        const shown = [...document.querySelectorAll('th, td, li, dd')].filter((element) => element.getClientRects().length > 0);
        return {
          sideways: document.documentElement.scrollWidth > room,
          wide: shown.filter((element) => element.getBoundingClientRect().right > room).map((element) => element.textContent),
          stages: [...document.querySelectorAll('.stages')].map((bar) => bar.children.length),
        };
      })()`);
      expect(seen).toEqual({ sideways: false, wide: [], stages: [8, 8] });
      expect(browser.complaints).toEqual([]);
      const folder = process.env['IRONIC_COREOS_SCREENSHOTS'];
      if (folder === undefined) return;
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `boot-${width}.png`), await browser.screenshot());
    });
  });
});

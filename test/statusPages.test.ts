/**
 * The status pages of `serve` and of `try` and `boot` with 12 to 5,000 machines in all states, in a real browser: problems come first,
 * nothing moves sideways, no label breaks within a word, a checker of accessibility finds nothing, and an update keeps what the user does.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { statusAnswer } from '../src/service/status/statusPage.ts';
import { judge } from '../src/trial/timeline/result.ts';
import { createMachines } from '../src/trial/timeline/machines.ts';
import { createTimeline } from '../src/trial/timeline/timeline.ts';
import { pageAnswer } from '../src/service/status/page.ts';
import { describeTrial } from '../src/trial/report/trialPage.ts';
import type { TextAnswer } from '../src/http/server/textResponse.ts';
import {
  ago,
  exampleHost,
  exampleProgress,
  exampleStatus,
  type HostChanges,
} from './service/status/exampleStatus.ts';
import { chromiumNote, hasChromium, visit } from './support/chromium.ts';
import { startStatusServer, type StatusServer } from './support/statusPages.ts';
import { at, fetched, heartbeat, lookedUp, refused } from './support/trialEvents.ts';

type Answer = (query: URLSearchParams, accept: string) => TextAnswer;

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `host-${index}`);

/** Of `serve`: what the hosts fetched and what is wrong with them, in turns. */
const hostKinds: readonly HostChanges[] = [
  {},
  { fetched: [exampleProgress()] },
  { fetched: [exampleProgress({ running: 0, completed: ago(90) })] },
  { messages: [{ severity: 'warning', rule: 'unused-key', path: [], message: 'Unused key x' }] },
  { fetched: [exampleProgress({ artifact: 'ign', path: 'a.ign', running: 0, lastFetch: ago(900) })] },
  {
    staleSince: ago(300),
    messages: [
      { severity: 'error', rule: 'x', path: ['a'], message: 'path is not absolute', hint: 'use /etc' },
    ],
  },
];

function servePage(count: number): Answer {
  const hosts = names(count).map((name, index) => exampleHost(name, hostKinds[(count - index) % 6]));
  const status = exampleStatus({ hosts });
  return (query, accept) => statusAnswer(status, query, accept);
}

/** Of a trial: most are silent; others boot, call home, and refuse the certificate of Ironic. */
function trialPage(count: number): Answer {
  const hosts = names(count).map((name, index) => ({
    name,
    macs: [
      `52:54:00:${[16, 8, 0].map((shift) => ((index >> shift) & 255).toString(16).padStart(2, '0')).join(':')}`,
    ],
  }));
  const machines = createMachines(hosts);
  const timeline = createTimeline(machines);
  const macOf = (index: number): string[] => [...(hosts[index % count]?.macs ?? [])];
  const address = { client: '192.0.2.50' };
  timeline.add(fetched(595, { host: hosts[0]?.name, path: `${hosts[0]?.name}.ign`, client: '192.0.2.8' }));
  timeline.add(
    lookedUp(590, { macs: macOf(1), node: 'a0000000-0000-4000-8000-000000000000', client: '192.0.2.9' }),
  );
  timeline.add(heartbeat(595, { node: 'a0000000-0000-4000-8000-000000000000', client: '192.0.2.9' }));
  timeline.add(
    fetched(598, { host: hosts[2 % count]?.name, path: `${hosts[2 % count]?.name}.ign`, ...address }),
  );
  timeline.add(refused(599, { kind: 'tls', reason: 'tlsv1 alert unknown ca' }, address));
  const awaited = { kind: 'hosts', names: hosts.map(({ name }) => name) } as const;
  const verdict = judge(machines.all, awaited, 'heartbeat');
  const result = {
    timeline,
    verdict,
    successStage: 'heartbeat',
    coverage: 'boot',
    started: at(0),
    ended: at(600),
  } as const;
  return (query, accept) => pageAnswer(describeTrial(result), query, accept);
}

const pages = { serve: servePage, trial: trialPage };
const screens = [
  [320, 'light'],
  [400, 'dark'],
  [1280, 'light'],
] as const;

/** What the page looks like, with all details open. */
const LOOK = `(() => {
  for (const one of document.querySelectorAll('details')) one.open = true;
  const room = document.documentElement.clientWidth;
  const isShown = (element) => element.getClientRects().length > 0 && !element.matches('.hidden');
  const labels = [...document.querySelectorAll('th[scope=col], dt, .stages li, .state, .tiles a, label, summary, button, h1, h2')];
  const broken = labels.filter(isShown).flatMap((label) => {
    const walker = document.createTreeWalker(label, NodeFilter.SHOW_TEXT);
    const words = [];
    while (walker.nextNode()) {
      const { currentNode: text } = walker;
      if (text.parentElement.matches('.hidden')) continue;
      for (const { index, 0: word } of text.data.matchAll(/\\S+/g)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) words.push(word);
      }
    }
    return words;
  });
  return {
    sideways: document.documentElement.scrollWidth > room,
    wide: [...document.querySelectorAll('th, td, li, dd, a, p, input')].filter(isShown)
      .filter((element) => element.getBoundingClientRect().right > room).map((element) => element.textContent),
    broken,
    states: [...document.querySelectorAll('.machines tbody tr')].map((row) => row.className),
    tiles: [...document.querySelectorAll('.tiles strong')].reduce((sum, tile) => sum + Number(tile.textContent), 0),
  };
})()`;

describe.skipIf(!hasChromium)(`status pages in a browser${chromiumNote}`, () => {
  let server: StatusServer;
  afterEach(() => server.close());

  it.each(
    Object.entries(pages).flatMap(([page, start]) =>
      [12, 200, 5000].map((count) => ({ page, count, start })),
    ),
  )('$page with $count machines', async ({ count, start }) => {
    const answer = start(count);
    expect(answer(new URLSearchParams(), 'text/html').body.length).toBeLessThan(100 * 1024);
    server = await startStatusServer(answer);
    for (const [width, colors] of screens) {
      await visit({ url: server.url, width, colors }, async (browser) => {
        const seen = await browser.evaluate(LOOK);
        expect(seen).toMatchObject({ sideways: false, wide: [], broken: [], tiles: count });
        const order = ['failed', 'stuck', 'under-way', 'idle', 'home'];
        const { states } = Object(seen);
        expect(states).toEqual(
          [...states].toSorted((one: string, other: string) => order.indexOf(one) - order.indexOf(other)),
        );
        expect(await browser.accessibilityProblems()).toEqual([]);
        expect(browser.complaints).toEqual([]);
        expect(
          browser.requests.filter((url) => !url.startsWith(server.url) && !url.startsWith('data:')),
        ).toEqual([]);
      });
    }
  });

  it('for a minute, updates keep open details, the filter, the focus and the place', async () => {
    let looks = 0;
    server = await startStatusServer((query, accept) => {
      looks += 1;
      const hosts = names(200).map((name, index) =>
        exampleHost(name, {
          // Each update moves rows: another host is on the way.
          fetched: index % 7 === looks % 7 ? [exampleProgress({ bytes: looks * 1000 })] : [],
        }),
      );
      return statusAnswer(exampleStatus({ hosts }), query, accept);
    });
    await visit({ url: server.url, width: 1280 }, async (browser) => {
      await browser.evaluate(`
        const search = document.querySelector('input[type=search]');
        search.value = 'host-1';
        search.dispatchEvent(new Event('input', { bubbles: true }));`);
      await expect.poll(() => browser.evaluate('location.search')).toBe('?q=host-1');
      await expect
        .poll(() => browser.evaluate(`document.querySelector('.machines caption')?.innerText`))
        .toBe('50 machines of 111');
      await browser.evaluate(`
        globalThis.chosen = document.querySelector('[data-key="host-15"] details');
        chosen.open = true;
        chosen.querySelector('summary').focus();
        scrollTo(0, 300);`);
      const before = looks;
      const end = Date.now() + 60_000;
      while (Date.now() < end) {
        await delay(3000);
        expect(
          await browser.evaluate(`({
            open: chosen.isConnected && chosen.open,
            others: document.querySelectorAll('details[open]').length,
            typed: document.querySelector('input[type=search]').value,
            focused: document.activeElement === chosen.querySelector('summary'),
          })`),
        ).toEqual({ open: true, others: 1, typed: 'host-1', focused: true });
      }
      expect(looks - before).toBeGreaterThanOrEqual(10);
      expect(await browser.evaluate('scrollY > 0')).toBe(true);
      expect(browser.complaints).toEqual([]);
    });
  }, 120_000);

  it('says that the service does not answer, keeps the rows, and goes on afterwards', async () => {
    let isDown = false;
    const answer = servePage(12);
    server = await startStatusServer((query, accept) =>
      isDown ? { status: 503, headers: {}, body: '' } : answer(query, accept),
    );
    await visit({ url: server.url }, async (browser) => {
      const status = (): Promise<unknown> =>
        browser.evaluate(`[document.title, document.querySelector('#connection').textContent,
          document.querySelectorAll('.machines tbody tr').length].join('; ')`);
      isDown = true;
      await expect.poll(status).toMatch(/^no answer: 2 failed, .*; The service does not answer\..*; 12$/);
      isDown = false;
      await expect.poll(status).toMatch(/^2 failed, .*; ; 12$/);
    });
  });

  it('has links that work, and a list that can be filtered, also backwards', async () => {
    server = await startStatusServer(servePage(200));
    await visit({ url: server.url }, async (browser) => {
      const shown = (): Promise<unknown> =>
        browser.evaluate(`location.search + ' ' + document.querySelector('.machines caption')?.innerText`);
      await browser.evaluate(`document.querySelector('.tiles .failed a').click()`);
      await expect.poll(shown).toBe('?show=failed 33 machines of 33');
      await browser.evaluate(`document.querySelector('.tiles .failed a').click()`);
      await expect.poll(shown).toBe(' 50 machines of 200');
      await browser.evaluate(`document.querySelector('nav a').click()`);
      await expect.poll(shown).toBe('?page=2 50 machines of 200');
      await browser.evaluate('history.go(-2)');
      await expect.poll(shown).toBe('?show=failed 33 machines of 33');
      await browser.evaluate(`document.querySelector('a[href$=".iso"]').click()`);
      await expect.poll(() => server.requests.some((path) => path.startsWith('/h.'))).toBe(true);
    });
  });

  it('stops its updates on request', async () => {
    server = await startStatusServer(servePage(1));
    await visit({ url: server.url }, async (browser) => {
      await browser.evaluate(`document.querySelector('[type=checkbox]').click()`);
      await delay(1000);
      const before = server.requests.length;
      await delay(6000);
      expect(server.requests).toHaveLength(before);
    });
  });

  it('shows markup and control characters of clients as text', async () => {
    const markup = `"><img src=x onerror='alert(1)'>&amp;\u202e`;
    const host = exampleHost(markup, {
      macs: [markup],
      architecture: markup,
      messages: [{ severity: 'error', message: markup, hint: markup }],
    });
    const status = exampleStatus({ hosts: [host] });
    server = await startStatusServer((query, accept) => statusAnswer(status, query, accept));
    await visit({ url: server.url }, async (browser) => {
      expect(
        await browser.evaluate(
          `[document.querySelectorAll('img').length, document.querySelector('tbody th').textContent]`,
        ),
      ).toEqual([0, markup.replace('\u202e', '\ufffd')]);
      expect(browser.complaints).toEqual([]);
    });
  });

  it('would not run another script', async () => {
    server = await startStatusServer(servePage(1));
    await visit({ url: server.url }, async (browser) => {
      await browser.evaluate(
        `document.body.append(Object.assign(document.createElement('script'), { textContent: 'document.title = "ran"' }))`,
      );
      expect(await browser.evaluate('document.title')).not.toBe('ran');
      await expect.poll(() => browser.complaints.join('\n')).toContain('Content Security Policy');
    });
  });

  it('without scripts is a table, of which the search has a button', async () => {
    server = await startStatusServer(servePage(12));
    await visit({ url: server.url, hasScripts: false, width: 400 }, async (browser) => {
      expect(
        await browser.evaluate(`[document.querySelectorAll('.machines tr').length,
          document.documentElement.scrollWidth > document.documentElement.clientWidth,
          document.querySelector('form button').getClientRects().length,
          document.querySelector('[type=checkbox]').getClientRects().length]`),
      ).toEqual([13, false, 1, 0]);
    });
  });
});

/**
 * The status pages of `serve` and of `try` and `boot` with 1, 20 and 10,000 machines in all states, in a real browser: problems
 * come first, nothing moves sideways, and a checker of accessibility finds nothing. With IRONIC_COREOS_SCREENSHOTS=FOLDER, the
 * pictures are written there.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseStatusQuery } from '../src/service/status/select.ts';
import { statusAnswer } from '../src/service/status/statusPage.ts';
import { defaultPorts } from '../src/trial/timeline/causeBook.ts';
import { createJudge } from '../src/trial/timeline/result.ts';
import { createMachines } from '../src/trial/timeline/machines.ts';
import { createTimeline } from '../src/trial/timeline/timeline.ts';
import { renderTrialPage } from '../src/trial/report/trialPage.ts';
import {
  ago,
  exampleHost,
  exampleProgress,
  exampleStatus,
  type HostChanges,
} from './service/status/exampleStatus.ts';
import { chromiumNote, hasChromium, visit } from './support/chromium.ts';
import { at, fetched, heartbeat, lookedUp, refused } from './support/trialEvents.ts';

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

function servePage(count: number): string {
  const hosts = names(count).map((name, index) => exampleHost(name, hostKinds[(count - index) % 6]));
  return statusAnswer(exampleStatus({ hosts }), new URLSearchParams(), 'text/html').body;
}

/** Of a trial: most are silent; others boot, call home, and refuse the certificate of Ironic. */
function trialPage(count: number): string {
  const hosts = names(count).map((name, index) => ({
    name,
    macs: [
      `52:54:00:${[16, 8, 0].map((shift) => ((index >> shift) & 255).toString(16).padStart(2, '0')).join(':')}`,
    ],
  }));
  const timeline = createTimeline(createMachines(hosts));
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
  const verdict = createJudge(awaited, 'heartbeat')(timeline.hosts());
  return renderTrialPage(
    {
      timeline,
      verdict,
      successStage: 'heartbeat',
      coverage: 'boot',
      ports: defaultPorts,
      started: at(0),
      ended: at(600),
    },
    parseStatusQuery(new URLSearchParams()),
  );
}

const pages = { serve: servePage, trial: trialPage };
const sizes = [1, 20, 10_000];
const screens = [
  [360, 'light'],
  [1200, 'dark'],
] as const;
const pictures = process.env['IRONIC_COREOS_SCREENSHOTS'];

describe.skipIf(!hasChromium)(`status pages in a browser${chromiumNote}`, () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'status pages '));
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(Object.entries(pages).flatMap(([page, render]) => sizes.map((count) => ({ page, count, render }))))(
    '$page with $count machines',
    async ({ page, count, render }) => {
      const body = render(count);
      expect(body.length).toBeLessThan(200 * 1024);
      const file = join(folder, `${page}-${count}.html`);
      // Without refreshing, which would end the look at it.
      writeFileSync(file, body.replace(/<meta http-equiv="refresh"[^>]*>/, ''));
      for (const [width, colors] of screens) {
        await visit({ url: pathToFileURL(file).href, width, colors }, async (browser) => {
          const seen = await browser.evaluate(`({
          sideways: document.documentElement.scrollWidth > document.documentElement.clientWidth,
          states: [...document.querySelectorAll('.machines tbody tr')].map((row) => row.className),
          tiles: [...document.querySelectorAll('.tiles strong')].reduce((sum, tile) => sum + Number(tile.textContent), 0),
        })`);
          expect(seen).toMatchObject({ sideways: false, tiles: count });
          const order = ['failed', 'stuck', 'under-way', 'idle', 'home'];
          const { states } = Object(seen);
          expect(states).toEqual(
            [...states].toSorted((one: string, other: string) => order.indexOf(one) - order.indexOf(other)),
          );
          expect(await browser.accessibilityProblems()).toEqual([]);
          if (pictures === undefined) return;
          writeFileSync(
            join(pictures, `${page}-${count}-${width}-${colors}.png`),
            await browser.screenshot(),
          );
        });
      }
    },
  );
});

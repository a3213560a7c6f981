/** The pictures of the status page in docs/serve.md and docs/boot.md. The first one shows the page as it is now. */

import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ImageProgress } from '../src/http/server/answer/transfers.ts';
import type { TextAnswer } from '../src/http/server/textResponse.ts';
import { type Status, statusAnswer } from '../src/service/status/statusPage.ts';
import { ago, exampleHost, exampleProgress, exampleStatus } from './service/status/exampleStatus.ts';
import { chromiumNote, hasChromium, visit } from './support/chromium.ts';
import { root } from './support/docs/markdown.ts';
import { startStatusServer } from './support/statusPages.ts';
import { bootTenMachines } from './support/tenBmcs.ts';

const page = join(root, 'docs/serve.md');
const picture = join(root, 'docs/images/serve-status.webp');
/** Writes the picture, and the digest of its document and data above it in the page. */
const command =
  'IRONIC_COREOS_PICTURES=1 IRONIC_COREOS_ORACLES=Chromium npx vitest run test/docsPictures.test.ts';
const isWriting = process.env['IRONIC_COREOS_PICTURES'] === '1';
const digestPattern = /(?<=<!-- picture of a page with sha256 )\w*(?=: )/;

const answer = (query: URLSearchParams, accept: string): TextAnswer =>
  statusAnswer(statusInPicture(), query, accept);
const digest = ['text/html', 'application/json']
  .reduce((hash, accept) => hash.update(answer(new URLSearchParams(), accept).body), createHash('sha256'))
  .digest('hex')
  .slice(0, 12);

describe('the picture of the status page', () => {
  it.skipIf(!isWriting || !hasChromium)(`is written, and small${chromiumNote}`, async () => {
    const server = await startStatusServer(answer);
    await visit({ url: server.url, width: 1100 }, async (browser) => {
      const drawn = await browser.screenshot('webp');
      expect(drawn.length).toBeLessThan(100 * 1024);
      writeFileSync(picture, drawn);
    });
    server.close();
    writeFileSync(page, readFileSync(page, 'utf8').replace(digestPattern, digest));
  });

  it.skipIf(!isWriting || !hasChromium)(
    `of boot with ten BMCs is written, on a phone and on a screen${chromiumNote}`,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'ten bmcs '));
      const ten = await bootTenMachines(folder);
      await expect.poll(ten.page).toMatch(/^http/);
      for (const [width, colors] of [
        [400, 'light'],
        [1280, 'dark'],
      ] as const) {
        await visit({ url: ten.page(), width, colors }, async (browser) => {
          await expect
            .poll(() => browser.evaluate('document.title'))
            .toMatch(/^8 failed, 1 of 10 called home/);
          const drawn = await browser.screenshot('webp');
          expect(drawn.length).toBeLessThan(150 * 1024);
          writeFileSync(join(root, `docs/images/boot-${width}.webp`), drawn);
        });
      }
      await ten.end();
      rmSync(folder, { recursive: true });
    },
  );

  it(`was made from the page of today (else: ${command})`, () => {
    expect(digestPattern.exec(readFileSync(page, 'utf8'))?.[0]).toBe(digest);
  });
});

/** Hosts in the middle of their boot, one of them with an error. */
function statusInPicture(): Status {
  const size = 1_104_216_064;
  const progressOf = (name: string, changes: Partial<ImageProgress>): ImageProgress =>
    exampleProgress({ path: `${name}.iso`, size, ...changes });
  const complete = {
    bytes: size,
    running: 0,
    completed: ago(400),
    lastFetch: ago(400),
    clients: ['192.0.2.11'],
  };
  const { recent: transfers = [] } = exampleStatus();
  const recent = transfers.map((transfer) => ({ ...transfer, client: '192.0.2.11', bytes: size }));
  const build = '44.20261101.3.0';
  return exampleStatus({
    baseImages: [
      {
        name: 'coreos.iso',
        architecture: 'x86_64',
        stream: undefined,
        size,
        digest: '9f5c1e7b20d4'.padEnd(64, '0'),
        build,
      },
    ],
    hosts: [
      exampleHost('worker-0', {
        macs: ['52:54:00:12:34:56'],
        fetched: [progressOf('worker-0', { bytes: 0.62 * size, clients: ['192.0.2.10'] })],
      }),
      exampleHost('worker-1', { macs: ['52:54:00:12:34:57'], fetched: [progressOf('worker-1', complete)] }),
      exampleHost('worker-2', { macs: ['52:54:00:12:34:58'] }),
      exampleHost('worker-3', {
        macs: ['52:54:00:12:34:59'],
        images: () => [],
        messages: [
          {
            severity: 'error',
            rule: 'path-relative',
            path: ['storage', 'files', 0, 'path'],
            message: 'path not absolute',
            hint: 'write "/etc/ironic-python-agent.conf"',
          },
        ],
      }),
    ],
    shared: [],
    recent,
  });
}

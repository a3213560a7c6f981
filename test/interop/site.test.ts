/** The documentation site: a reader finds a page by search, in a real browser. */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { extname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visit } from '../support/chromium.ts';
import { have, oracleNote } from '../support/programs.ts';
import { listenLocally } from '../support/listening.ts';

const site = join(import.meta.dirname, '../../scripts/site');
const dist = join(site, 'pages/.vitepress/dist');
const isAble = have('VitePress', 'chromium');
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

let server: Server;
let origin: string;
beforeAll(async () => {
  if (!isAble) return;
  execFileSync(process.execPath, [join(site, 'build.js')], { stdio: ['ignore', 'ignore', 'inherit'] });
  server = createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://site');
    const file = join(dist, pathname === '/' ? 'index.html' : pathname);
    const isThere = existsSync(file) && statSync(file).isFile();
    response.writeHead(isThere ? 200 : 404, {
      'Content-Type': types[extname(file)] ?? 'application/octet-stream',
    });
    response.end(isThere ? readFileSync(file) : '');
  });
  origin = `http://127.0.0.1:${await listenLocally(server)}`;
});
afterAll(() => {
  if (!isAble) return;
  server.close();
  server.closeAllConnections();
  rmSync(join(site, 'pages'), { recursive: true, force: true });
});

describe.skipIf(!isAble)(`the documentation site${oracleNote('VitePress', 'chromium')}`, () => {
  it.each([
    ['agent-unit-not-enabled', '/docs/rules.html'],
    ['ERR_IMAGE_SPACE', '/docs/errors.html'],
    ['replace an embedded config', '/commands/ironic-coreos-iso-ignition-embed.html'],
  ])('finds "%s" by search', async (words, page) => {
    await visit({ url: `${origin}/` }, async (browser) => {
      const waitFor = async (expression: string): Promise<unknown> => {
        for (let left = 200; left > 0; left--) {
          const value = await browser.evaluate(expression);
          if (value !== null && value !== false) return value;
          await delay(100);
        }
        throw new Error(`${expression} stays empty`);
      };
      await waitFor(`document.querySelector('.DocSearch-Button') !== null`);
      const type = `(() => {
          document.querySelector('.DocSearch-Button').click();
          const input = document.querySelector('.VPLocalSearchBox input');
          if (input === null) return false;
          input.value = ${JSON.stringify(words)};
          input.dispatchEvent(new Event('input', { bubbles: true }));
          return true;
        })()`;
      await waitFor(type);
      const found = `Array.from(document.querySelectorAll('.VPLocalSearchBox a.result'), ({ pathname }) => pathname)`;
      await waitFor(`${found}.length > 0`);
      expect(await browser.evaluate(found)).toContain(page);
      await browser.evaluate(`document.querySelector('.VPLocalSearchBox a.result').click()`);
      await waitFor(`location.pathname !== '/'`);
      // No request leaves the site.
      expect(browser.requests.filter((url) => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual(
        [],
      );
    });
  });
});

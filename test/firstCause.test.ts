/**
 * What a user sees of a mistake while a machine boots: a recorded serial console is played into `try`, beside the requests that the
 * machine makes. The terminal and the page name the cause and the fix within seconds.
 */

import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { liveIso } from './support/liveIso.ts';
import { have, oracleNote } from './support/programs.ts';
import { startOnTerminal, type Terminal } from './support/terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'first cause '));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hosts = ['worker-0', 'worker-1', 'worker-2'];
writeFileSync(join(folder, 'live.iso'), liveIso('2023-07'));
writeFileSync(
  join(folder, 'ramdisk.yaml'),
  `agent:
  ironic.apiUrls: http://192.0.2.1:6385
  agent.image: registry.example.com/ironic-agent
  host.sshKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9zIsVJMfhacIuKONUMGEmrH10rGh7UkLGfneQkUQH0 core@desk']
hosts:
${hosts.map((name, index) => `- {name: ${name}, mac: '52:54:00:00:00:0${index}'}`).join('\n')}
`,
);

let terminal: Terminal | undefined;
afterEach(() => terminal?.close());

async function start(
  ...more: readonly string[]
): Promise<{ readonly shown: Terminal; readonly page: () => Promise<string> }> {
  writeFileSync(join(folder, 'sol.log'), '');
  const images = '--inventory ramdisk.yaml --iso live.iso --listen 127.0.0.1:0 --serve-listen 127.0.0.1:0';
  const shown = startOnTerminal(
    ['try', ...images.split(' '), '--console-log', 'worker-0=sol.log', '--expect', hosts.join(','), ...more],
    {
      cwd: folder,
    },
  );
  terminal = shown;
  await shown.shows('0 of 3 called home');
  const url = /status page: (\S+)/.exec(shown.history())?.[1] ?? '';
  return { shown, page: async () => textOf(await fetchPage(url)) };
}

/** A user accepts the certificate of `try --tls`, which the browser does not know. */
async function fetchPage(url: string): Promise<string> {
  if (url.startsWith('http:')) return (await fetch(url)).text();
  return new Promise((resolve, reject) => {
    const asked = request(url, { rejectUnauthorized: false }, (response) => resolve(text(response)));
    asked.on('error', reject).end();
  });
}

/** The table of the page. */
function textOf(html: string): string {
  const [body = ''] = /<table[^]*?<\/table>/.exec(html) ?? [];
  return body
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Without line breaks, of the row of the machine. */
const rowsOf = (shown: Terminal): string => {
  const screen = shown.screen();
  const rows = screen.slice(screen.findLastIndex((line) => line.startsWith('status page:')));
  return rows.join(' ').replaceAll(/\s+/g, ' ');
};

/** The BMC reads the ISO in ranges. */
async function readIso(shown: Terminal): Promise<void> {
  await shown.shows(/worker-0\s+http:\S+\/worker-0\.iso/);
  const url = /http:\S+\/worker-0\.iso/.exec(shown.history())?.[0] ?? '';
  for (const range of ['0-65535', '65536-200000']) {
    await (await fetch(url, { headers: { Range: `bytes=${range}` } })).arrayBuffer();
  }
}

describe.skipIf(!have('tmux'))(`the first cause on the terminal and on the page${oracleNote('tmux')}`, () => {
  it.each<[title: string, log: string, stage: string, cause: string, fix: string]>([
    [
      'a wrong password for the registry',
      'pull-unauthorized',
      'image',
      'Proven: The registry refuses access to the container image: the pull secret is missing, has an invalid password,',
      'in render --pull-secret, pass a file whose auths contains the registry of --agent-image',
    ],
    [
      'another certificate authority of the registry',
      'pull-unknown-ca',
      'image',
      'Proven: The machine does not trust the certificate of the registry: its certificate authority is unknown.',
      'pass the certificate authority of the registry with render --ca-file, or use --insecure-registry',
    ],
    [
      'another certificate authority of Ironic',
      'agent-ca',
      'agent',
      'Proven: The machine does not trust the certificate authority of Ironic.',
      'pass the certificate authority with render --ca-file',
    ],
    [
      'a medium that was pulled out',
      'sr0-io',
      'image',
      'Proven: The machine gets read errors from its boot medium: the virtual medium was detached',
      'attach the medium again and restart the machine',
    ],
  ])('of %s', async (_title, log, stage, cause, fix) => {
    const { page, shown } = await start();
    await readIso(shown);
    const lines = readFileSync(join(import.meta.dirname, `trial/corpus/${log}.log`), 'utf8');
    appendFileSync(join(folder, 'sol.log'), lines.replaceAll('\n', '\r\n'));
    await shown.shows(/^0 of 3 called home: 1 failed, 2 no activity$/m);
    expect(rowsOf(shown)).toContain(`worker-0 failed ${stage}`);
    expect(rowsOf(shown)).toContain(cause);
    expect(rowsOf(shown)).toContain(`hint: ${fix}`);
    const row = await page();
    expect(row).toContain(`worker-0 failed ${stage}`);
    expect(row).toContain(cause);
    expect(row).toContain(`hint: ${fix}`);
  });

  it('of another certificate authority, without the console', async () => {
    const { page, shown } = await start('--tls');
    const origin = /listening on (https:[^;\s]+);/.exec(shown.history())?.[1] ?? '';
    spawnSync('curl', ['-s', `${origin}/v1/lookup?addresses=52:54:00:00:00:00`]);
    await shown.shows('0 of 3 called home: 1 failed, 3 no activity');
    const cause = 'Proven: The machine does not trust the certificate authority of Ironic.';
    const fix = 'hint: pass the certificate authority';
    expect(rowsOf(shown)).toMatch(/127\.0\.0\.1 failed (?:just now|\d+ s ago) /);
    expect(rowsOf(shown)).toContain(`${cause} ${fix}`);
    expect(await page()).toContain(`${cause} ${fix}`);
  });
});

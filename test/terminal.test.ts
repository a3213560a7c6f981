/**
 * `serve`, `try` and `boot` on a real terminal of 80 × 24, which tmux emulates: the status page comes first, `try` and `boot` have
 * rows below their log, and Ctrl-C is answered. In a pipe there are only lines of text.
 */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { SECOND_SIGNAL } from '../src/io/process.ts';
import { writeAgentIso } from './support/agentIso.ts';
import { bmcModels, bmcUser, type FakeBmc, startFakeBmc } from './support/fakeBmc.ts';
import { eventually } from './support/eventually.ts';
import { liveIsoWith } from './support/liveIso.ts';
import { program } from './support/packageFolder.ts';
import { have, oracleNote } from './support/programs.ts';
import { scriptedAgent } from './support/scriptedAgent.ts';
import { until } from './support/serveFixtures.ts';
import { startOnTerminal, type Terminal } from './support/terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'on terminal '));
const token = '0123456789abcdef0123456789abcdef';
const noise = createHash('shake256', { outputLength: 48 * 1024 * 1024 })
  .update('rootfs')
  .digest();
const path = (name: string): string => join(folder, name);
const macOf = (index: number): string =>
  `52:54:00:${[index >> 8, index & 255].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}:01`;

/** The image of `worker-13` cannot be pulled. */
function inventory(count: number): string {
  const entries = Array.from({ length: count }, (_, index) =>
    [
      `- name: worker-${index}`,
      `  mac: '${macOf(index)}'`,
      ...(index === 13 && count === 20 ? ["  overrides: {agent.image: 'no image'}"] : []),
    ].join('\n'),
  );
  return `agent:
  ironic.apiUrls: http://192.0.2.1:6385
  agent.image: registry.example.com/ironic-agent
  host.sshKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9zIsVJMfhacIuKONUMGEmrH10rGh7UkLGfneQkUQH0 core@desk']
hosts:
${entries.join('\n')}
`;
}

writeFileSync(
  path('live.iso'),
  liveIsoWith((files) => files.set('images/pxeboot/rootfs.img', noise)),
);
writeFileSync(path('ramdisk.yaml'), inventory(20));
writeFileSync(path('twenty.yaml'), inventory(20).replace(/ *overrides: .*\n/, ''));
writeFileSync(path('fifty.yaml'), inventory(50));
writeFileSync(path('tokens'), `${token}\n`, { mode: 0o600 });
writeFileSync(path('serve.key'), 'k'.repeat(32), { mode: 0o600 });
writeFileSync(path('bmc.json'), JSON.stringify(bmcUser), { mode: 0o600 });
if (have('tmux')) await writeAgentIso(folder, 'agent.iso', 'http://192.0.2.1:6385');

const open: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(
  args: readonly string[],
  place: Partial<Parameters<typeof startOnTerminal>[1]> = {},
): Terminal {
  const terminal = startOnTerminal(args, { cwd: folder, ...place });
  open.push(terminal);
  return terminal;
}

/** Arguments of `serve` for 20 hosts, of which one is invalid. */
const serve =
  'serve --inventory ramdisk.yaml --iso live.iso --listen 127.0.0.1:0 --token-file tokens --key-file serve.key'.split(
    ' ',
  );
/** Of the page, which is printed first. */
const originOf = (terminal: Terminal): string =>
  /status page: (http:\/\/[^/\s]+)\//.exec(terminal.history())?.[1] ?? '';

/** Has got the header, and takes nothing of the body. */
const begin = (url: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(url, { agent: false, headers: { Authorization: `Bearer ${token}` } }, resolve).on('error', reject);
  });

/** Arguments of `try` for 20 hosts, which it also serves. */
const trial =
  'try --listen 127.0.0.1:0 --inventory twenty.yaml --iso live.iso --serve-listen 127.0.0.1:0 --open'.split(
    ' ',
  );
const idle = '0 of 20 called home: 20 no activity';
/** Of the image server. */
const imagesOf = (terminal: Terminal): string =>
  /(http:\/\/[^/\s]+)\/boot\.ipxe/.exec(terminal.history())?.[1] ?? '';

describe.skipIf(!have('tmux'))(`a terminal${oracleNote('tmux')}`, () => {
  it('shows transfers with their rate', async () => {
    const terminal = start(trial);
    await terminal.shows(/boot\.ipxe/);
    const response = await begin(`${imagesOf(terminal)}/worker-0.iso`);
    const reading = setInterval(() => response.read(256 * 1024), 100); // not to its end before a busy machine shows the row
    const row = /^worker-0 {2}on the way {2}media \[#*\.+\] \d+ %, [\d.]+ [MK]iB\/s, [\d.]+ (?:s|min) left$/m;
    await expect.poll(() => terminal.screen().join('\n')).toMatch(row);
    clearInterval(reading);
    response.destroy();
  });

  it('writes the log above the rows, also after its size changes', async () => {
    const terminal = start(trial);
    await terminal.shows(/boot\.ipxe/);
    for (const [columns, rows] of [
      [50, 12],
      [120, 30],
      [80, 24],
    ] as const) {
      await terminal.resize(columns, rows);
      // Node handles a signal after all that came until then: with this answer, the program knows its new size.
      await (await fetch(`${originOf(terminal)}/v1`)).arrayBuffer();
      for (const index of [4, 5]) {
        await (await fetch(`${imagesOf(terminal)}/worker-${index}.ign`)).arrayBuffer();
      }
      await eventually(() => {
        const screen = terminal.screen();
        const head = screen.findIndex((line) => line.startsWith('status page:'));
        expect(screen.filter((line) => line.startsWith('status page:'))).toHaveLength(1);
        expect(screen.filter((line) => line.startsWith('0 of 20 called home:'))).toHaveLength(1);
        expect(screen.findLastIndex((line) => line.includes('fetched'))).toBeLessThan(head);
        expect(screen.length).toBeLessThan(rows);
      });
    }
  });

  it('keeps its cursor, and has no rows after the end', async () => {
    const terminal = start(trial);
    await terminal.shows(idle);
    terminal.press('C-c');
    expect(await terminal.ended()).toBe(1);
    expect(terminal.screen().join('\n')).not.toContain('20 no activity');
    // The cursor and the wrapping of lines are never switched off, so nothing has to be restored, also after SIGKILL.
    expect(terminal.raw()).toContain('\u001b[J');
    expect(terminal.raw()).toContain('\u001b[1m');
    expect(terminal.raw()).not.toContain('\u001b[?');
  });

  it('shows no rows to a shell that runs the program in the background', async () => {
    const terminal = start(trial, {
      shell: `bash --norc -ic 'eval "$PROGRAM ${trial.join(' ')}" & read -r _; kill %1; wait'`,
    });
    await terminal.shows(/boot\.ipxe/);
    await setTimeout(2500);
    expect(terminal.history()).not.toMatch(/^status page:/m);
    terminal.press('Enter');
    expect(await terminal.ended()).toBe(0);
  });

  it('shows only lines of serve', async () => {
    const terminal = start(serve);
    await terminal.shows(/boot\.ipxe/);
    await setTimeout(1500);
    expect(terminal.history()).not.toMatch(/no activity/);
  });

  it('with NO_COLOR has rows without colours', async () => {
    const terminal = start(trial, { env: { NO_COLOR: '1' } });
    await terminal.shows(idle);
    expect(terminal.raw()).not.toContain('\u001b[1m');
  });
});

/** Until it loads hosts, which is when it shows this. */
async function startLoading(shown: string | RegExp, ...command: readonly string[]): Promise<Terminal> {
  writeFileSync(path('many.yaml'), inventory(8000));
  const images = ['--inventory', 'many.yaml', '--iso', 'live.iso', '--listen', '127.0.0.1:0'];
  const terminal = start([...command, ...images]);
  await terminal.shows(shown);
  return terminal;
}

describe.skipIf(!have('tmux'))(`Ctrl-C${oracleNote('tmux')}`, () => {
  it('says what serve waits for, and a second one ends at once', async () => {
    const terminal = start([...serve, '--grace', '1h']);
    await terminal.shows(/boot\.ipxe/);
    const response = await begin(`${originOf(terminal)}/worker-0.iso`);
    response.on('error', () => undefined);
    terminal.press('C-c');
    await terminal.shows(
      /stopping message="waiting up to 60 min for 1 transfer; press Ctrl-C again to stop at once"/,
    );
    await setTimeout(2 * SECOND_SIGNAL); // an earlier one is a duplicate of the first
    terminal.press('C-c');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.history()).toContain('info stopped aborted=1');
  });

  it('while serve loads its hosts ends it at once', async () => {
    const terminal = await startLoading(/^hosts \d+\/8000$/m, 'serve');
    terminal.press('C-c');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.history()).toContain('info stopped aborted=0');
    expect(terminal.history()).not.toContain('info loaded');
  });

  it('while try loads its hosts says so, and a second one ends at once', async () => {
    const terminal = await startLoading('status page:', 'try', '--serve-listen', '127.0.0.1:0');
    terminal.press('C-c');
    await terminal.shows('stopping when the images are loaded\nhint: press Ctrl-C again to stop at once');
    await setTimeout(2 * SECOND_SIGNAL);
    terminal.press('C-c');
    expect(await terminal.ended()).toBe(130);
  });

  it('ends try at once with the report', async () => {
    const terminal = start(['try', '--listen', '127.0.0.1:0', '--expect', macOf(0)]);
    await terminal.shows('0 of 1 called home: 1 no activity');
    terminal.press('C-c');
    expect(await terminal.ended()).toBe(1);
    expect(terminal.history()).toContain(`0 hosts called home within`);
  });

  it('of boot restores the machine', async () => {
    const { bmc, terminal } = await bootOnTerminal();
    terminal.press('C-c');
    expect(await terminal.ended()).toBe(1);
    expect(terminal.history()).toContain('restored 1 of 1 machine');
    expect([bmc.state.power, bmc.state.images.size]).toEqual(['Off', 0]);
  });

  it('of boot restores the machine, and a second one ends that', async () => {
    const { silence, terminal } = await bootOnTerminal();
    silence();
    terminal.press('C-c');
    await terminal.shows('restoring 1 machine; press Ctrl-C again to stop');
    await setTimeout(2 * SECOND_SIGNAL);
    terminal.press('C-c');
    expect(await terminal.ended()).toBe(1);
    expect(terminal.history()).toMatch(/hint: run curl .*EjectMedia/);
  });
});

/** A machine that was powered on, and whose BMC does not answer any more once that is asked for. */
async function bootOnTerminal(): Promise<{
  readonly bmc: FakeBmc;
  readonly silence: () => void;
  readonly terminal: Terminal;
}> {
  let isSilent = false;
  const bmc = await startFakeBmc({
    model: bmcModels.ilo6,
    power: 'Off',
    fault: () => (isSilent ? () => undefined : undefined),
  });
  open.push(bmc);
  const machine = ['--bmc', bmc.origin, '--credentials', 'bmc.json', '--iso', 'agent.iso'];
  const servers = ['--listen', '127.0.0.1:0', '--serve-listen', '127.0.0.1:0'];
  const terminal = start(['boot', '--yes', ...machine, ...servers]);
  await terminal.shows(/^\S+ +on the way {2}power/m);
  return { bmc, silence: () => (isSilent = true), terminal };
}

describe.skipIf(!have('tmux'))(`--expect with 50 hosts${oracleNote('tmux')}`, () => {
  it('is one line of figures, and the machines that are missing', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `worker-${index}`).join(',');
    const args = [
      '--inventory',
      'fifty.yaml',
      '--iso',
      'live.iso',
      '--serve-listen',
      '127.0.0.1:0',
      '--open',
    ];
    const terminal = start(['try', '--listen', '127.0.0.1:0', '--expect', names, ...args]);
    await terminal.shows('0 of 50 called home: 50 no activity');
    const api = originOf(terminal);
    for (let index = 0; index < 48; index++) await scriptedAgent({ api, mac: macOf(index) }).callHome();
    await terminal.shows(/^48 of 50 called home: .*2 no activity$[^]*^no activity: worker-48, worker-49$/m);
    terminal.press('C-c');
    expect(await terminal.ended()).toBe(1);
    expect(terminal.history()).toMatch(/^48 hosts called home within .* 2 did not: worker-48, worker-49/m);
  });
});

describe('a pipe', () => {
  it.each<[string, readonly string[], string]>([
    ['serve', [...serve, '--log', 'text'], 'not pass'],
    ['try', ['try', '--listen', '127.0.0.1:0', '--expect', macOf(0)], 'loopback'],
  ])('of %s has lines without control characters, and the page first', async (_name, args) => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (part: Buffer) => (said += part.toString()));
    const rest = text(child.stderr);
    await until(() => said.includes('listening on'));
    await setTimeout(1500);
    child.kill('SIGINT');
    await rest;
    expect(said.split('\n')[0]).toMatch(/^info: status page: http:/);
    // oxlint-disable-next-line no-control-regex -- these are what must not be there
    expect(said).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});

/** The emulated machine as a process, played by a script in place of QEMU. */

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openConsoleOutput } from '../../../src/trial/console/consoleOutput.ts';
import { runMachine } from '../../../src/trial/emulation/emulatedTrial.ts';
import type { MachineEvent } from '../../../src/trial/timeline/events.ts';
import { freePort } from '../../support/listening.ts';
import { runCli } from '../../support/runCli.ts';
import { scriptedAgent } from '../../support/scriptedAgent.ts';
import { until } from '../../support/serveFixtures.ts';
import { startImageServer } from '../../support/imageServer.ts';
import { isoPair } from '../../support/minimalIso.ts';
import { type GivenTry, startTry } from '../../commands/try/startTry.ts';
import { createIo } from '../../support/createIo.ts';

const folder = mkdtempSync(join(tmpdir(), 'try emulated '));
const path = (name: string): string => join(folder, name);
/** Of the mock Ironic, where its URL is in a config. */
const port = await freePort();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(path('plain.iso'), isoPair().full);

/** Of the command line. Throws where it fails. */
async function runProgram(...args: readonly string[]): Promise<void> {
  const { code, stderr } = await runCli(args, { cwd: folder });
  if (code !== 0) throw new Error(stderr);
}

beforeAll(async () => {
  // What its agent calls is in a config that is fetched on boot.
  const url = 'ignition.config.url=http://192.0.2.1/config.ign';
  await runProgram('iso', 'kargs', 'modify', '-a', url, '-o', 'live.iso', 'plain.iso');
});

/** A script that is started in place of QEMU. */
function qemu(name: string, script: string): string {
  writeFileSync(path(name), `#!/bin/sh\n${script}\n`);
  chmodSync(path(name), 0o755);
  return path(name);
}

interface Played {
  readonly machine: Awaited<ReturnType<typeof runMachine>>;
  readonly events: MachineEvent[];
  readonly shown: string[];
}

const consoles: Awaited<ReturnType<typeof openConsoleOutput>>[] = [];
async function closeConsoles(): Promise<void> {
  for (const console of consoles.splice(0)) await console.close();
}
afterEach(closeConsoles);

async function play(script: string): Promise<Played> {
  const events: MachineEvent[] = [];
  const shown: string[] = [];
  const mac = '52:54:00:12:34:56';
  const io = createIo({ cwd: folder });
  const console = await openConsoleOutput('console.log', (line) => shown.push(line), io);
  consoles.push(console);
  const machine = await runMachine({
    command: [qemu('played', script), '-m', '1024M'],
    env: { PATH: process.env['PATH'] },
    onOutput: (bytes) => console.write(bytes),
    observe: (state, problem) =>
      void events.push({ kind: 'machine', at: new Date(), client: undefined, mac, state, problem }),
  });
  return { machine, events, shown };
}

const statesOf = (events: readonly MachineEvent[]): readonly string[] => events.map(({ state }) => state);

describe('an emulated machine', () => {
  it('tells its console and its end', async () => {
    const { machine, events, shown } = await play(String.raw`printf '\033[1;1Hbooting\r\n\033[31mred\n'`);
    await machine.ended;
    expect(statesOf(events)).toEqual(['started', 'powered off']);
    expect(shown).toEqual(['booting', 'red']);
    await closeConsoles(); // the file is complete only then
    expect(readFileSync(path('console.log'), 'latin1')).toBe('\u001B[1;1Hbooting\r\n\u001B[31mred\n');
  });

  it('tells why it failed', async () => {
    const { machine, events } = await play("echo 'qemu: no such firmware' >&2; exit 1");
    await machine.ended;
    expect(events.at(-1)).toMatchObject({
      state: 'failed',
      problem: 'QEMU exited with code 1: qemu: no such firmware',
    });
  });

  it('tells no password of the URL of its image', async () => {
    const { machine, events } = await play("echo 'qemu: file=http://u:pa55@h/x.iso: Failed' >&2; exit 1");
    await machine.ended;
    expect(events.at(-1)?.problem).toMatch(/^QEMU exited with code 1: qemu: file=.*: Failed$/);
    expect(events.at(-1)?.problem).not.toContain('pa55');
  });

  it('that is no program has failed', async () => {
    const { machine, events } = await play('');
    await machine.ended;
    rmSync(path('played'));
    const other = await play('exit 3');
    await other.machine.ended;
    expect([statesOf(events).at(-1), statesOf(other.events).at(-1)]).toEqual(['powered off', 'failed']);
  });

  it('tells that it was started anew by itself', async () => {
    const lines = [
      '{"return": {}}',
      '{"event": "RESET", "data": {"guest": false}}',
      '{"event": "RESET", "data": 1}',
      '{"event": ["RESET"]}',
      '}{',
      '{"event": "RESET", "data": {"guest": true}}',
    ];
    const [first, second] = [lines.join('\\r\\n').slice(0, -9), '"guest": true}}'.slice(-9)];
    const { machine, events } = await play(
      `printf '${first}' >&3; sleep 0.1; printf '${second}\\r\\n' >&3; sleep 0.2`,
    );
    await machine.ended;
    expect(statesOf(events)).toEqual(['started', 'rebooted', 'powered off']);
  });

  it.each<readonly [string, readonly string[], Partial<MachineEvent>]>([
    ['has failed', ['STOP'], { state: 'failed', problem: expect.stringContaining('use --accel tcg') }],
    ['at its end is off', ['SHUTDOWN', 'STOP'], { state: 'powered off' }],
  ])('that QEMU has stopped %s', async (_title, names, last) => {
    const lines = names.map((event) => `{"event": "${event}"}\\r\\n`).join('');
    const { machine, events } = await play(`printf '${lines}' >&3; sleep 0.2`);
    await machine.ended;
    expect(events.at(-1)).toMatchObject(last);
  });

  it('is gone when it is stopped, and no event of it comes any more', async () => {
    const { machine, events } = await play(`echo $$ > '${path('pid')}'; exec sleep 600`);
    await until(() => existsSync(path('pid')) && readFileSync(path('pid'), 'utf8').endsWith('\n'));
    const pid = Number(readFileSync(path('pid'), 'utf8'));
    await machine.stop();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(statesOf(events)).toEqual(['started']);
  });
});

/** The environment in which the script is found as QEMU. */
function asQemu(body: string): Record<string, string> {
  qemu('qemu-system-x86_64', body);
  return { PATH: `${folder}:${process.env['PATH'] ?? ''}` };
}

describe('try --qemu', () => {
  it('waits for this machine alone, and ends it when it has called', async () => {
    const env = asQemu(`echo $$ > '${path('pid2')}'; echo booting; exec sleep 600`);
    const options = { qemu: 'live.iso', mac: '52:54:00:00:00:05', accel: 'tcg', timeout: '60s' };
    const trial = await startTry(options, folder, env);
    await until(() => trial.said().includes('console| booting'));
    await scriptedAgent({ api: trial.origin, mac: '52:54:00:00:00:09' }).callHome();
    await scriptedAgent({ api: trial.origin, mac: '52:54:00:00:00:05' }).callHome();
    const { code, report } = await trial.ended;
    expect([code, report]).toEqual([0, expect.stringMatching(/^qemu: called home after /)]);
    expect(trial.said()).toContain('reaches this machine at 10.0.2.2');
    expect(() => process.kill(Number(readFileSync(path('pid2'), 'utf8')), 0)).toThrow('ESRCH');
  });

  it('contacts the agents of real machines beside it', async () => {
    const options = { qemu: 'live.iso', until: 'callback', accel: 'tcg', expect: '52:54:00:00:00:09' };
    const trial = await startTry(options, folder, asQemu('exit 0'));
    await scriptedAgent({ api: trial.origin, mac: '52:54:00:00:00:09' }).callHome();
    await until(() => trial.said().includes('52:54:00:00:00:09  did not answer at '));
    expect((await trial.stop()).code).toBe(1);
  });

  it('gives a host another URL where its own leads the machine to itself', async () => {
    const yaml = `agent: {ironic.apiUrls: "http://127.0.0.1:${port}"}\nhosts:\n- {name: worker-0}\n`;
    writeFileSync(path('here.yaml'), yaml);
    const served = { inventory: 'here.yaml', iso: ['live.iso'], serveListen: '127.0.0.1:0', boot: 'cd' };
    const options = {
      ...served,
      qemu: 'worker-0',
      listen: `127.0.0.1:${port}`,
      accel: 'tcg',
      timeout: '60s',
    };
    const trial = await startTry(options, folder, asQemu('exit 0'));
    await trial.ended;
    expect(trial.said()).toContain(`configs contain the Ironic URL http://10.0.2.2:${port}`);
    expect(trial.said()).not.toContain('worker-0.iso'); // whose URL would be good for whoever reads it
  });

  it('boots an image whose config is fetched, and says that it is not known what it calls', async () => {
    const trial = await startTry({ qemu: 'live.iso', accel: 'tcg' }, folder, asQemu('exit 0'));
    await trial.ended;
    expect(trial.said()).toMatch(
      /warning: cannot check whether the agent calls the mock Ironic: kernel arguments of live\.iso contain the URL of a config/,
    );
    expect(trial.said()).toContain('powered off');
  });

  it('says which hosts there are where it is none of them', async () => {
    writeFileSync(path('two.yaml'), 'hosts: [{name: worker-0}, {name: worker-1}]\n');
    await expect(startTry({ inventory: 'two.yaml', qemu: 'worker-2' }, folder)).rejects.toMatchObject({
      message: '--qemu "worker-2" not found: not a host of the inventory, a file or a folder',
      hint: 'use the path of an image or folder, or a host: worker-0, worker-1',
    });
  });

  it.each<readonly [string, GivenTry, string]>([
    ['images for network boot', {}, 'pass --iso, or --kernel and --initramfs'],
    ['an ISO', { boot: 'cd' }, 'pass --iso FILE'],
    ['boot scripts', { iso: ['live.iso'], artifacts: 'iso' }, 'add ipxe to --artifacts, or use --boot cd'],
    ['ISOs', { iso: ['live.iso'], artifacts: 'ign,ipxe', boot: 'cd' }, 'add iso to --artifacts'],
  ])('says what to pass for a host without %s', async (_title, options, hint) => {
    const yaml = `agent: {ironic.apiUrls: "http://192.0.2.1:${port}"}\nhosts:\n- {name: worker-0}\n`;
    writeFileSync(path('one.yaml'), yaml);
    const served = { inventory: 'one.yaml', qemu: 'worker-0', serveListen: '127.0.0.1:0', accel: 'tcg' };
    const trial = await startTry({ ...served, ...options }, folder, asQemu('exit 0'));
    await expect(trial.ended).rejects.toMatchObject({ hint });
  });

  it('ends when the machine does', async () => {
    const env = asQemu('exit 0');
    const trial = await startTry({ qemu: 'live.iso', accel: 'tcg', timeout: '60s' }, folder, env);
    const { code, report } = await trial.ended;
    expect([code, report]).toEqual([1, expect.stringContaining('powered off')]);
  });

  it.each([
    ['no image', { qemu: 'none.iso' }, 'not found: none.iso'],
    ['no ISO', { qemu: 'played' }, 'it is not a live ISO'],
    ['a folder that nobody prepared', { qemu: '.' }, 'contains no manifest.json'],
    ['no kind of firmware', { qemu: 'live.iso', firmware: 'efi' }, 'invalid value "efi" for --firmware'],
    ['no memory', { qemu: 'live.iso', memory: '4G' }, 'invalid value "4G" for --memory: not a whole number'],
    ['no MAC address', { qemu: 'live.iso', mac: 'x' }, 'invalid value "x" for --mac: '],
    ['no address', { qemu: 'live.iso', guestHost: 'localhost' }, '--guest-host "localhost"'],
    ['no accelerator', { qemu: 'live.iso', accel: 'xen' }, 'invalid value "xen" for --accel'],
    ['a way to boot that is for hosts', { qemu: 'live.iso', boot: 'cd' }, '--boot requires a host'],
    ['what is about a machine, without one', { mac: '52:54:00:00:00:05' }, '--mac requires --qemu'],
    ['what is about an inventory, without one', { iso: ['a.iso'] }, '--iso requires --inventory'],
    [
      'to be asked back',
      { qemu: 'live.iso', until: 'callback' },
      '--until callback requires that agents are contacted, but the emulated machine cannot be',
    ],
    [
      'to be asked for its steps beside a real machine',
      { qemu: 'live.iso', requireStep: ['x'], askBack: 'anywhere', expect: 'qemu,52:54:00:00:00:01' },
      '--require-step requires that agents are contacted, but the emulated machine cannot be',
    ],
  ])('refuses %s before anything listens', async (_title, options, message) => {
    await expect(startTry(options, folder, asQemu('exit 0'))).rejects.toThrow(message);
  });

  it('says how to install QEMU where it is not there', async () => {
    const env = { PATH: '/nonexistent' };
    await expect(startTry({ qemu: 'live.iso' }, folder, env)).rejects.toThrow(
      'QEMU is not installed: qemu-system-x86_64 not found on PATH',
    );
  });
});

/** Renders a config and embeds it. @param flags of `render` */
async function imageOf(name: string, ...flags: readonly string[]): Promise<string> {
  await runProgram('render', '--no-ssh-key', ...flags, '-o', `${name}.ign`);
  await runProgram('iso', 'ignition', 'embed', '-i', `${name}.ign`, '-o', `${name}.iso`, 'plain.iso');
  return `${name}.iso`;
}

/** Ends with an error before anything is started in place of QEMU. */
async function endAtOnce(options: GivenTry): Promise<unknown> {
  const env = asQemu(`touch '${path('booted')}'`);
  const starting = startTry({ accel: 'tcg', timeout: '60s', ...options }, folder, env);
  const error = await starting
    .then((trial) => trial.ended)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  expect(existsSync(path('booted'))).toBe(false);
  return error;
}

const otherIronic = {
  message: expect.stringContaining(
    'the agent would call another Ironic: its config contains http://192.0.2.9:6385, but the mock Ironic is at ',
  ),
};

describe('try --qemu with an image whose agent cannot call here', () => {
  it('ends at once where there is no config', async () => {
    expect(await endAtOnce({ qemu: 'plain.iso' })).toMatchObject({
      message: 'plain.iso contains no Ignition config',
      hint: 'embed one with `iso ignition embed`, or pass an image with a config',
    });
  });

  it('ends at once where the config cannot be read', async () => {
    writeFileSync(path('broken.ign'), '{"ignition": {"version": "9.9.9"}}');
    await runProgram(
      'iso',
      'ignition',
      'embed',
      '--no-validate',
      '-i',
      'broken.ign',
      '-o',
      'broken.iso',
      'plain.iso',
    );
    expect(await endAtOnce({ qemu: 'broken.iso' })).toMatchObject({
      message: expect.stringContaining('not a valid Ignition config: '),
    });
  });

  it.each([
    ['another port', 'http://192.0.2.9:6385', {}, 'use --listen 127.0.0.1:6385, or render'],
    [
      'another scheme',
      `https://192.0.2.9:${port}`,
      {},
      `use --listen 127.0.0.1:${port} and --tls, or render`,
    ],
    [
      'http in place of --tls',
      `http://192.0.2.9:${port}`,
      { tls: true },
      `use --listen 127.0.0.1:${port} without --tls`,
    ],
    [
      'an address of IPv6',
      `http://[2001:db8::1]:${port}`,
      {},
      `render the config with --api-url http://10.0.2.2:${port}`,
    ],
    [
      'the machine itself',
      `http://127.0.0.1:${port}`,
      {},
      `render the config with --api-url http://10.0.2.2:${port}`,
    ],
    [
      'the same by name',
      `http://localhost:${port}`,
      {},
      `render the config with --api-url http://10.0.2.2:${port}`,
    ],
    ['mdns', 'mdns', {}, `render the config with --api-url http://10.0.2.2:${port}`],
    [
      'another --guest-host',
      `http://192.0.2.9:${port}`,
      { guestHost: '192.0.2.8' },
      'use --guest-host 192.0.2.9',
    ],
  ])('ends at once where the config names %s', async (title, url, options, hint) => {
    const image = await imageOf(title.replaceAll(/\W/g, '-'), '--api-url', url);
    expect(await endAtOnce({ qemu: image, listen: `127.0.0.1:${port}`, ...options })).toMatchObject({
      message: expect.stringContaining(
        `the agent would call another Ironic: its config contains ${url}, but the mock Ironic is at `,
      ),
      hint: expect.stringContaining(hint),
    });
  });

  it('proves from its console why its agent did not call home', async () => {
    const image = await imageOf('pulling', '--api-url', `http://192.0.2.9:${port}`);
    const options = { qemu: image, listen: `127.0.0.1:${port}`, accel: 'tcg', timeout: '60s' };
    const transcript = [
      '[    0.000000] Linux version 6.11.3-200.fc40.x86_64 (x) #1 SMP',
      '[\u001B[0;32m  OK  \u001B[0m] Reached target \u001B[0;1;39mignition-complete.target\u001B[0m - Ignition Complete.',
      'This machine runs ironic-python-agent, which Ironic uses to manage it.',
      'localhost login: [   41.205873] podman[1432]: Error: initializing source docker://r.example/a:1: pinging container registry r.example: Get "https://r.example/v2/": x509: certificate signed by unknown authority',
    ];
    writeFileSync(path('transcript'), transcript.join('\r\n'));
    const trial = await startTry(options, folder, asQemu(`cat '${path('transcript')}'`));
    const { report } = await trial.ended;
    expect(report).toContain('did not call home; last step: live system');
    expect(report).toMatch(/Proven: The machine does not trust the certificate of the registry/);
    expect(report).toMatch(
      /seen: {2}\d\d:\d\d:\d\d console: {1,20}\[ {3}41\.205873\] podman\[1432\]: Error: /,
    );
    expect(report).not.toContain('Ignition failed');
    expect(trial.said()).toContain('console| This machine runs ironic-python-agent');
  });

  it('boots where one of its URLs leads here', async () => {
    const image = await imageOf('two', '--api-url', `http://192.0.2.9:1,http://192.0.2.9:${port}`);
    const options = { qemu: image, listen: `127.0.0.1:${port}`, accel: 'tcg', timeout: '60s' };
    const trial = await startTry(options, folder, asQemu('exit 0'));
    await trial.ended;
    expect(trial.said()).toContain('reaches this machine at 192.0.2.9');
    expect(trial.said()).toContain('powered off');
  });

  it('boots where the config does not say what the agent calls', async () => {
    writeFileSync(path('bare.ign'), '{"ignition": {"version": "3.4.0"}}');
    await runProgram('iso', 'ignition', 'embed', '-i', 'bare.ign', '-o', 'bare.iso', 'plain.iso');
    const trial = await startTry({ qemu: 'bare.iso', accel: 'tcg' }, folder, asQemu('exit 0'));
    await trial.ended;
    expect(trial.said()).toContain(
      'warning: cannot check whether the agent calls the mock Ironic: the config in bare.iso contains no Ironic URL',
    );
  });

  it('looks into a config that is inlined, as `iso customize` writes it', async () => {
    await runProgram('render', '--no-ssh-key', '--api-url', 'http://192.0.2.9:6385', '-o', 'inner.ign');
    await runProgram('iso', 'customize', '--live-ignition', 'inner.ign', '-o', 'inner.iso', 'plain.iso');
    expect(await endAtOnce({ qemu: 'inner.iso' })).toMatchObject(otherIronic);
  });

  it('takes an image from a URL', async () => {
    await imageOf('remote', '--api-url', 'http://192.0.2.9:6385');
    const server = await startImageServer();
    server.files.set('/remote.iso', { content: readFileSync(path('remote.iso')) });
    try {
      expect(await endAtOnce({ qemu: `${server.origin}/remote.iso` })).toMatchObject(otherIronic);
    } finally {
      await server.close();
    }
  });

  it('takes a prepared folder', async () => {
    writeFileSync(
      path('www.yaml'),
      'agent: {ironic.apiUrls: "http://192.0.2.9:6385"}\nhosts: [{name: worker-0, mac: "52:54:00:00:00:01"}]\n',
    );
    const made = ['--artifacts', 'archive,ipxe', '--base-url', `http://192.0.2.9:${port}`, '-o', 'www'];
    await runProgram('prepare', '--inventory', 'www.yaml', '--iso', 'plain.iso', ...made);
    expect(await endAtOnce({ qemu: 'www' })).toMatchObject(otherIronic);
  });
});

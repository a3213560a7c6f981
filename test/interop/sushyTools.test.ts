/** `boot` against sushy-tools, the Redfish service of OpenStack, with its fake driver: machines without a hypervisor. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootAndCallHome, type RunningBoot, startBoot, type GivenBoot } from '../commands/boot/startBoot.ts';
import { freePort, listenLocally } from '../support/listening.ts';
import { writeAgentIso } from '../support/agentIso.ts';
import { oracleFile, have, oracleNote } from '../support/programs.ts';

const mac = '52:54:00:00:00:01';
const uuid = '27946b59-9e44-4fa7-8e91-f3527a1ef094';
const folder = mkdtempSync(join(tmpdir(), 'boot sushy '));
let bmc = '';
let emulator: ChildProcess | undefined;
let machine: Server | undefined;
let running: RunningBoot | undefined;
let image = '';

/** The emulator sends the state of the machine with each change. */
interface State {
  readonly power_state?: string;
  readonly boot_device?: string;
}

async function isListening(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function startMachine(): Promise<number> {
  let power = 'Off';
  machine = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      response.end('{}');
      const state: State = JSON.parse(text);
      const isStarted = state.power_state === 'On' && power !== 'On';
      power = state.power_state ?? power;
      const current = running;
      if (isStarted && state.boot_device === 'Cd' && current !== undefined) {
        image = 'booted from Cd';
        bootAndCallHome(NO_IMAGE, mac, () => current);
      }
    });
  });
  return listenLocally(machine);
}

/** The fake driver never reads the image, so the agent calls without it. */
const NO_IMAGE = 'data:application/octet-stream,iso';

beforeAll(async () => {
  if (!have('sushy-emulator')) return;
  await writeAgentIso(folder, 'live.iso', 'http://192.0.2.1:6385');
  writeFileSync(join(folder, 'bmc.yaml'), 'username: admin\npassword: unused\n', { mode: 0o600 });
  const [port, notified] = [await freePort(), await startMachine()];
  const nics = `[{'mac': '${mac}', 'ip': '192.0.2.1'}]`;
  const system = `{'uuid': '${uuid}', 'name': 'fake', 'power_state': 'Off', 'external_notifier': True, 'nics': ${nics}}`;
  writeFileSync(
    join(folder, 'emulator.conf'),
    `SUSHY_EMULATOR_FAKE_DRIVER = True
SUSHY_EMULATOR_STATE_DIR = ${JSON.stringify(folder)}
EXTERNAL_NOTIFICATION_URL = 'http://127.0.0.1:${notified}'
SUSHY_EMULATOR_FAKE_SYSTEMS = [${system}]
`,
  );
  const args = ['--config', 'emulator.conf', '--fake', '-i', '127.0.0.1', '-p', String(port)];
  emulator = spawn(oracleFile('sushy-emulator'), args, { cwd: folder, stdio: 'ignore' });
  bmc = `http://127.0.0.1:${port}`;
  while (!(await isListening(`${bmc}/redfish/v1/`))) await setTimeout(100);
});

afterAll(() => {
  emulator?.kill();
  machine?.close();
  rmSync(folder, { recursive: true, force: true });
});

const read = async (path: string): Promise<Record<string, unknown>> => {
  const value: unknown = await (await fetch(`${bmc}/redfish/v1/Systems/${uuid}${path}`)).json();
  return typeof value === 'object' && value !== null ? { ...value } : {};
};

describe.skipIf(!have('sushy-emulator'))(`sushy-tools${oracleNote('sushy-emulator')}`, () => {
  const times = { power: 60_000, interval: 200 };

  it('shows what boot requires', async () => {
    const options: GivenBoot = { bmc, credentials: 'bmc.yaml', check: true };
    const { code, report } = await startBoot([], options, { cwd: folder }).ended;
    expect(report).toContain('sushy-tools');
    expect(report).toContain(mac);
    expect(code).toBe(0);
  });

  it('boots its machine and restores it', async () => {
    const address = `redfish-virtualmedia+${bmc}/redfish/v1/Systems/${uuid}`;
    const options: GivenBoot = {
      bmc: address,
      credentials: 'bmc.yaml',
      iso: ['live.iso'],
      askBack: 'never',
      timeout: '90s',
    };
    running = startBoot([], options, { cwd: folder, times });
    const { code, error, report } = await running.ended;
    expect([error, running.said()]).toEqual([undefined, expect.any(String)]);
    expect(report).toMatch(/^127\.0\.0\.1: called home/);
    // The emulator fetches the whole image before it inserts it.
    expect(running.said()).toContain('fetched the ISO');
    expect(image).toBe('booted from Cd');
    expect(code).toBe(0);
    const system = await read('');
    expect([system['PowerState'], system['Boot']]).toEqual([
      'Off',
      expect.objectContaining({ BootSourceOverrideTarget: 'Hdd' }),
    ]);
    expect((await read('/VirtualMedia/Cd'))['Inserted']).toBe(false);
  });
});

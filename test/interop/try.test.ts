/**
 * The real ironic-python-agent calls the Ironic that `try` plays, with configs that `render` makes: what works has to
 * come home, and each mistake has to be seen for what it is.
 */

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { TrialEvent } from '../../src/trial/timeline/events.ts';
import { createMachines } from '../../src/trial/timeline/machines.ts';
import { createTimeline, type HostTimeline } from '../../src/trial/timeline/timeline.ts';
import { causesOfInactive, likelyCauses } from '../../src/trial/timeline/likelyCauses.ts';
import { type PlayedIronic, playIronic, stopIronics } from '../support/ironicApi.ts';
import { freePort } from '../support/listening.ts';
import {
  hasRealAgent,
  ownMacs,
  type RealAgent,
  realAgentNote,
  startRealAgent,
} from '../support/realAgent.ts';
import { type HardwareManagerOptions, writeHardwareManager } from '../support/hardwareManager.ts';
import { runCli } from '../support/runCli.ts';
import { tlsFile, until } from '../support/serveFixtures.ts';

const folder = mkdtempSync(join(tmpdir(), 'try agent '));
chmodSync(folder, 0o755); // the agent runs as nobody
let agent: RealAgent | undefined;

afterEach(async () => {
  await agent?.stop();
  agent = undefined;
  await stopIronics();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The conf of a config that `render` makes, for an agent on this machine. */
async function confOf(...flags: readonly string[]): Promise<string> {
  const port = await freePort();
  const options = [`listen_port = ${port}`, `advertise_port = ${port}`, 'inspection_dhcp_wait_timeout = 0'];
  const rendered = await runCli(['render', ...flags, ...options.flatMap((option) => ['--option', option])]);
  if (rendered.code !== 0) throw new Error(rendered.stderr);
  const config: {
    storage: { files: { path: string; contents: { source: string } }[] };
  } = JSON.parse(rendered.stdout);
  const source = config.storage.files.find(({ path }) => path === '/etc/ironic-python-agent.conf')?.contents
    .source;
  const conf = await (await fetch(source ?? '')).text();
  // The path is that in the container.
  const ca = flags[flags.indexOf('--ca-file') + 1] ?? '';
  return conf.replace('/etc/ironic-python-agent/ca.crt', ca);
}

function start(conf: string, plugins?: string): void {
  agent = startRealAgent(conf, plugins);
}

async function untilSeen({ events }: PlayedIronic, kind: TrialEvent['kind'], count = 1): Promise<void> {
  const isSeen = (): boolean => events.filter((event) => event.kind === kind).length >= count;
  await until(isSeen).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${JSON.stringify(events)}\n${agent?.log() ?? ''}`);
  });
}

const kinds = ({ events }: PlayedIronic): string[] => events.map(({ kind }) => kind);

/** As the timeline of `try` has it. */
function hostOf({ events }: Pick<PlayedIronic, 'events'>): HostTimeline | undefined {
  const timeline = createTimeline(createMachines([]));
  for (const event of events) timeline.add(event);
  return timeline.hosts()[0];
}

function provenCauses(ironic: Pick<PlayedIronic, 'events'>): string[] {
  const host = hostOf(ironic);
  const found = host === undefined ? [] : likelyCauses(host, 'calls');
  return found.filter(({ certainty }) => certainty === 'proven').map(({ id }) => id);
}

async function playWithCa(): Promise<{ ironic: PlayedIronic; ca: string }> {
  const ironic = await playIronic({ tlsNames: ['127.0.0.1', 'localhost'], askBack: 'own' });
  const ca = join(folder, `${ironic.api.port}.pem`);
  writeFileSync(ca, ironic.api.ca ?? '');
  return { ironic, ca };
}

/** Without the logs of this machine. */
const inspecting = ['--option', 'inspection_collectors = default'];

/** Waits for the whole way, and tells what was seen of it. */
async function comeHome(ironic: PlayedIronic): Promise<object> {
  await untilSeen(ironic, 'steps');
  const told = new Set(['inspection', 'lookup', 'heartbeat', 'callback', 'steps', 'refusal']);
  const { stage, agentVersion, callback, inventory } = hostOf(ironic) ?? {};
  return {
    kinds: kinds(ironic).filter((kind) => told.has(kind)),
    problems: ironic.events.flatMap((event) => ('problem' in event ? (event.problem ?? []) : [])),
    saved: ironic.saved.length,
    stage,
    agentVersion,
    callback: callback?.url,
    inventory,
  };
}

const home = {
  kinds: ['inspection', 'lookup', 'heartbeat', 'callback', 'steps'],
  problems: [],
  saved: 1,
  stage: 'steps',
  agentVersion: expect.stringMatching(/^\d+\.\d+\.\d+$/),
  callback: expect.stringMatching(/^https:\/\/127\.0\.0\.1:/),
  inventory: expect.stringMatching(/CPUs? \(.*\), .* memory/),
};

interface StepsCase {
  /** Undefined for an agent with its own hardware managers only. */
  readonly manager?: HardwareManagerOptions;
  /** The required step. */
  readonly step: string;
  readonly cause?: string;
  readonly managers?: readonly string[];
  /** Undefined for an agent that reports its steps. */
  readonly problem?: string;
  /** A phrase that a check of the cause names. */
  readonly log?: string;
}

const genericSteps = expect.arrayContaining([
  { type: 'clean', step: 'erase_devices_metadata', interface: 'deploy', priority: 99 },
  { type: 'deploy', step: 'write_image', interface: 'deploy', priority: 0 },
]);

describe.skipIf(!hasRealAgent)(`the real agent${realAgentNote}`, () => {
  it('comes home over http', async () => {
    const ironic = await playIronic({ askBack: 'own' });
    start(await confOf('--api-url', ironic.api.origin));
    expect(await comeHome(ironic)).toEqual(home);
    expect(ironic.saved[0]?.body).toHaveProperty('logs');
  });

  it('comes home over https', async () => {
    const { ironic, ca } = await playWithCa();
    start(await confOf('--api-url', ironic.api.origin, '--ca-file', ca, ...inspecting));
    expect(await comeHome(ironic)).toEqual(home);
  });

  it('comes home by the second of two URLs', async () => {
    const { ironic, ca } = await playWithCa();
    const urls = `https://127.0.0.1:${await freePort()},${ironic.api.origin}`;
    start(await confOf('--api-url', urls, '--ca-file', ca, ...inspecting));
    expect(await comeHome(ironic)).toEqual(home);
  });

  it('comes home by the path of the inspector', async () => {
    const ironic = await playIronic({ askBack: 'own' });
    const { origin } = ironic.api;
    start(await confOf('--api-url', origin, '--inspection-callback-url', `${origin}/v1/continue`));
    expect(await comeHome(ironic)).toEqual(home);
  });

  it('comes home without an inspection', async () => {
    const ironic = await playIronic({ askBack: 'own' });
    start(await confOf('--api-url', ironic.api.origin, '--option', 'inspection_collectors ='));
    await untilSeen(ironic, 'callback');
    expect(kinds(ironic)).not.toContain('inspection');
    expect(hostOf(ironic)?.stage).toBe('callback');
  });

  it('is known by its MAC address', async () => {
    const ironic = await playIronic({ expected: [{ name: 'worker-0', macs: ownMacs }] });
    start(await confOf('--api-url', ironic.api.origin, ...inspecting));
    await untilSeen(ironic, 'heartbeat');
    expect(ironic.saved).toMatchObject([{ name: 'worker-0' }]);
  });

  it('does not trust another authority', async () => {
    const { ironic } = await playWithCa();
    start(await confOf('--api-url', ironic.api.origin, '--ca-file', tlsFile('ca'), ...inspecting));
    await untilSeen(ironic, 'refusal');
    expect(ironic.events[0]).toMatchObject({
      client: '127.0.0.1',
      problem: { kind: 'tls', reason: 'tlsv1 alert unknown ca' },
    });
    expect(provenCauses(ironic)).toEqual(['tls-unknown-ca']);
  });

  it('does not take a certificate for another name', async () => {
    const ironic = await playIronic({ tlsNames: ['ironic.example'] });
    const ca = join(folder, 'other-name.pem');
    writeFileSync(ca, ironic.api.ca ?? '');
    start(await confOf('--api-url', ironic.api.origin, '--ca-file', ca, ...inspecting));
    await untilSeen(ironic, 'refusal');
    expect(ironic.events[0]).toMatchObject({ problem: { kind: 'tls' } });
    expect(hostOf(ironic)?.stage).toBe('none');
  });

  it.each([
    ['https to a port without TLS', undefined, 'https', 'tls-to-http'],
    ['http to a port with TLS', ['127.0.0.1'], 'http', 'plain-http'],
  ] as const)('speaks %s', async (_title, tlsNames, scheme, problem) => {
    const ironic = await playIronic({ tlsNames });
    const url = ironic.api.origin.replace(/^https?/, scheme);
    start(await confOf('--api-url', url, ...inspecting));
    await untilSeen(ironic, 'refusal');
    expect(ironic.events[0]).toMatchObject({ client: '127.0.0.1', problem: { kind: problem } });
    expect(provenCauses(ironic)).toEqual([problem === 'plain-http' ? 'http-to-tls' : 'tls-to-http']);
  });

  it('calls a port of the right host on which nobody listens', async () => {
    const ironic = await playIronic();
    const url = `http://127.0.0.1:${await freePort()}`;
    start(await confOf('--api-url', url, ...inspecting));
    await until(() => /Connection refused/.test(agent?.log() ?? ''));
    expect([ironic.events, hostOf(ironic)]).toEqual([[], undefined]);
    expect(causesOfInactive('calls').map(({ id }) => id)).toContain('ironic-address');
  });

  it('goes on with the node of another Ironic that was here before', async () => {
    const before = await playIronic();
    const { origin, port } = before.api;
    start(await confOf('--api-url', origin, ...inspecting));
    await untilSeen(before, 'heartbeat');
    await stopIronics();
    const ironic = await playIronic({ listen: { kind: 'tcp', host: '127.0.0.1', port } });
    await untilSeen(ironic, 'heartbeat');
    expect(ironic.events[0]).toMatchObject({
      token: 'unknown',
      problem: expect.stringContaining('not be found'),
    });
    expect(provenCauses(ironic)).toEqual(['node-unknown']);
  });

  it('hands its inventory to nobody by a wrong path, and goes on', async () => {
    const ironic = await playIronic();
    const { origin } = ironic.api;
    start(await confOf('--api-url', origin, '--option', `inspection_callback_url = ${origin}/v1/inspect`));
    await untilSeen(ironic, 'lookup');
    expect(ironic.events[0]).toMatchObject({
      kind: 'refusal',
      problem: { kind: 'path', method: 'POST', path: '/v1/inspect' },
    });
    expect(provenCauses({ events: ironic.events.slice(0, 1) })).toEqual(['inspection-path']);
  });

  it('comes home with a token of its own in its conf', async () => {
    const ironic = await playIronic();
    start(await confOf('--api-url', ironic.api.origin, '--option', `agent_token = ${'q'.repeat(43)}`));
    await untilSeen(ironic, 'heartbeat');
    expect(ironic.events.at(-1)).toMatchObject({ token: 'valid', problem: undefined });
  });

  it('gives up where its token has been told before', async () => {
    const ironic = await playIronic({ expected: [{ name: 'worker-0', macs: ownMacs }] });
    await ironic.call('GET', `/v1/lookup?addresses=${ownMacs.join(',')}`, { version: '1.62' });
    start(await confOf('--api-url', ironic.api.origin));
    await untilSeen(ironic, 'lookup', 2);
    expect(ironic.events.at(-1)).toMatchObject({ kind: 'lookup', token: 'masked' });
    await until(() => agent?.log().includes('FATAL') === true);
    expect(kinds(ironic)).not.toContain('heartbeat');
  });

  it.each<readonly [string, StepsCase]>([
    [
      'a hardware manager that installs CoreOS',
      {
        manager: {},
        step: 'install_coreos',
        managers: ['CoreOSInstallHardwareManager', 'GenericHardwareManager'],
        log: 'Hardware manager found: ironic_coreos_install:CoreOSInstallHardwareManager',
      },
    ],
    [
      'an older one without the step',
      {
        manager: { steps: ['install_coreos'] },
        step: 'start_assisted_install',
        cause: 'step-missing',
        managers: ['CoreOSInstallHardwareManager', 'GenericHardwareManager'],
      },
    ],
    [
      'none',
      {
        step: 'install_coreos',
        cause: 'no-coreos-install',
        managers: ['GenericHardwareManager'],
      },
    ],
    [
      'one that cannot be loaded',
      {
        manager: { atImport: 'import missing_module' },
        step: 'install_coreos',
        cause: 'no-coreos-install',
        managers: ['GenericHardwareManager'],
        log: "Could not load 'ironic_coreos_install'",
      },
    ],
    [
      'one that fails',
      {
        manager: {
          atImport: 'from ironic_python_agent import errors',
          beforeSteps: "raise errors.RESTError('no disk')",
        },
        step: 'install_coreos',
        cause: 'steps-failed',
        problem: 'its command get_deploy_steps failed: no disk',
        log: 'Unexpected error dispatching',
      },
    ],
    [
      'one that fails with an error without a form in JSON',
      {
        manager: { beforeSteps: "raise RuntimeError('no disk')" },
        step: 'install_coreos',
        cause: 'steps-failed',
        problem: 'its command get_deploy_steps failed: Object of type RuntimeError is not JSON serializable',
        log: 'Unexpected error dispatching',
      },
    ],
  ])(
    'reports its steps with %s',
    async (_title, { manager, step, cause, managers = [], problem, log = '' }) => {
      const ironic = await playIronic({ askBack: 'own', requiredSteps: [step] });
      const plugins = manager && join(folder, `plugins ${ironic.api.port}`);
      if (plugins !== undefined) writeHardwareManager(plugins, manager);
      start(await confOf('--api-url', ironic.api.origin, ...inspecting), plugins);
      await untilSeen(ironic, 'steps');
      expect(provenCauses(ironic)).toEqual(cause === undefined ? [] : [cause]);
      const reported = ironic.events.findLast((event) => event.kind === 'steps');
      expect(reported?.managers.map(({ name }) => name).toSorted()).toEqual(managers);
      expect(reported?.managers.every(({ version }) => /^[\d.]+$/.test(version ?? ''))).toBe(true);
      expect(reported?.problem ?? '').toContain(problem ?? '');
      const steps = reported?.managers.flatMap((reporting) => reporting.steps);
      expect(steps).toEqual(problem === undefined ? genericSteps : []);
      expect(agent?.log()).toContain(log);
    },
  );

  it('that takes commands without TLS is refused', async () => {
    const ironic = await playIronic();
    start(await confOf('--api-url', ironic.api.origin, '--option', 'enable_auto_tls = False'));
    await untilSeen(ironic, 'heartbeat');
    expect(ironic.events.at(-1)).toMatchObject({
      token: 'valid',
      problem: expect.stringMatching(/^the callback URL is plain HTTP/),
    });
    expect(provenCauses(ironic)).toEqual(['callback-without-tls']);
  });
});

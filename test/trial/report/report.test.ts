import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv } from 'ajv';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatClosingReport, formatReportDocument } from '../../../src/trial/report/closingReport.ts';
import { createConsoleWatch } from '../../../src/trial/console/consoleWatch.ts';
import { judge } from '../../../src/trial/timeline/result.ts';
import { createMachines } from '../../../src/trial/timeline/machines.ts';
import { createTimeline } from '../../../src/trial/timeline/timeline.ts';
import { formatLiveLine } from '../../../src/trial/report/liveLines.ts';
import type { TrialEvent } from '../../../src/trial/timeline/events.ts';
import {
  anyEvent,
  asked,
  askedBack,
  fetched,
  heartbeat,
  inspected,
  listedSteps,
  lookedUp,
  machine,
  otherMac,
  readIso,
  refused,
  sharedFetch,
} from '../../support/trialEvents.ts';
import { expectedHosts, resultOf } from '../../support/trialResult.ts';

function liveLines(events: readonly TrialEvent[]): string[] {
  const timeline = createTimeline(createMachines(expectedHosts));
  return events.flatMap((event) => formatLiveLine(timeline.add(event)) ?? []);
}

const home = [
  sharedFetch(1, { artifact: 'script', path: 'boot.ipxe', size: 900 }),
  fetched(20),
  inspected(121),
  asked(122),
  lookedUp(123),
  heartbeat(124),
  askedBack(125),
  listedSteps(126),
  heartbeat(250),
];

describe('the first line of a machine that did not call home', () => {
  const silent: TrialEvent = {
    kind: 'console',
    at: lookedUp(1).at,
    client: undefined,
    host: 'worker-0',
    sign: 'kernel-started',
    stage: undefined,
    line: 'Linux version 6.1',
  };

  it.each<readonly [string, readonly TrialEvent[]]>([
    ['no activity', []],
    ['last step: none observed', [silent]],
    [
      'all its requests were refused',
      [silent, heartbeat(2, { problem: 'no' }), lookedUp(3, { node: undefined })],
    ],
    ['last step: ISO', [readIso(1, 1)]],
  ])('%s', (text, events) => {
    const report = formatClosingReport(resultOf(events));
    expect(report).toContain(`worker-0: did not call home; ${text}`);
  });
});

describe('the steps of an agent', () => {
  const arrived = [lookedUp(1), heartbeat(2)];
  it.each<readonly [string, readonly TrialEvent[], string]>([
    [
      'are not reported',
      [askedBack(3), listedSteps(4, { managers: [], problem: 'it is busy', reason: 'steps-busy' })],
      '\n  steps     not reported: it is busy\n',
    ],
    ['are unknown without contact', [], '\n  steps     not asked: the agent was not contacted\n'],
    [
      'are unknown without an answer',
      [askedBack(3, { problem: 'x', reason: 'callback-unreachable' })],
      '\n  steps     not asked: the agent did not answer\n',
    ],
    [
      'are unknown at another address',
      [askedBack(3, { problem: 'not contacted: x', reason: 'callback-address' })],
      '\n  steps     not asked: the agent was not contacted\n',
    ],
  ])('%s', (_title, events, lines) => {
    expect(formatClosingReport(resultOf([...arrived, ...events]))).toContain(lines);
  });

  it('of an agent without a required step', () => {
    const missing = ['install_coreos'];
    const problem = 'a required step is missing: install_coreos';
    const steps = listedSteps(4, { managers: [], missing, problem, reason: 'step-missing' });
    const report = formatClosingReport(
      resultOf([...arrived, askedBack(3), { ...steps, managers: [{ name: 'A', version: '1', steps: [] }] }], {
        successStage: 'steps',
      }),
    );
    expect(report).toContain('worker-0: called home, but did not report all required steps\n');
    expect(report).toContain(
      '12:00:04  reported 0 steps of 1 hardware manager: a required step is missing:\n            install_coreos\n',
    );
    expect(report).toContain('  1. Proven: The agent does not have the hardware manager');
    expect(report).toContain(' called home with all required steps within 10 min');
  });
});

describe('live lines', () => {
  it.each<readonly [string, readonly TrialEvent[], readonly string[]]>([
    [
      'a small file, when it is there',
      [fetched(1, { bytes: 0, outcome: 'began' }), fetched(1)],
      ['12:00:01 worker-0  fetched the Ignition config (3.0 KiB) from 192.0.2.7'],
    ],
    [
      'a large one, on its way',
      [
        readIso(1, 0, { outcome: 'began' }),
        readIso(2, 0.1),
        readIso(3, 0.3),
        readIso(4, 0.31, { outcome: 'client disconnected' }),
        readIso(5, 0.6),
        readIso(6, 1),
        readIso(7, 1),
      ],
      [
        '12:00:01 worker-0  started to fetch the ISO (1.0 GiB) from 10.0.0.8',
        '12:00:03 worker-0  fetched 30 % of the ISO (1.0 GiB) from 10.0.0.8',
        '12:00:05 worker-0  fetched 60 % of the ISO (1.0 GiB) from 10.0.0.8',
        '12:00:06 worker-0  fetched the ISO (1.0 GiB) from 10.0.0.8',
      ],
    ],
    [
      'what broke off, once',
      [
        fetched(1, { artifact: 'rootfs', bytes: 0, size: 8000, outcome: 'began' }),
        fetched(2, { artifact: 'rootfs', bytes: 2000, size: 8000, outcome: 'client disconnected' }),
        fetched(3, { artifact: 'rootfs', bytes: 2000, size: 8000, outcome: 'client disconnected' }),
      ],
      [
        '12:00:02 worker-0  fetched 25 % of the root filesystem (7.8 KiB): client disconnected from 192.0.2.7',
      ],
    ],
    [
      'calls, once each',
      [...home.slice(2), lookedUp(300), heartbeat(301)],
      [
        '12:02:01 worker-0  sent its inventory: QEMU Standard PC, 2 CPUs, 4.0 GiB memory, 1 disk (192.0.2.7)',
        '12:02:02 worker-0  requested the API versions (python-requests/2.32) (192.0.2.7)',
        '12:02:03 worker-0  sent a lookup for 52:54:00:12:34:56 → node 1be26c0b-03f2-4d2e-ae87-c02d7f33c123 (192.0.2.7)',
        '12:02:04 worker-0  sent a heartbeat (agent 13.0.0), callback URL https://192.0.2.7:9999 (192.0.2.7)',
        '12:02:05 worker-0  answered at https://192.0.2.7:9999',
        '12:02:06 worker-0  reported 9 steps of 2 hardware managers',
      ],
    ],
    [
      'what was refused',
      [
        refused(1, { kind: 'tls', reason: 'unknown ca' }),
        refused(2, { kind: 'plain-http' }),
        refused(3, { kind: 'tls-to-http' }),
        refused(4, { kind: 'path', method: 'GET', path: '/v1/v1/lookup?addresses=x' }),
        refused(5, { kind: 'request', status: 413, message: 'too large' }),
        lookedUp(6, { node: undefined, problem: 'no such node' }),
        inspected(7, { node: undefined, problem: undefined }),
        heartbeat(8, { token: 'invalid', problem: 'Unauthorized' }),
        askedBack(9, { problem: 'timed out' }),
      ],
      [
        '12:00:01 192.0.2.7  failed the TLS handshake: unknown ca',
        '12:00:02 192.0.2.7  sent plain HTTP to a TLS port',
        '12:00:03 192.0.2.7  sent a TLS handshake to a plain-HTTP port',
        '12:00:04 192.0.2.7  sent a request that Ironic does not support: GET /v1/v1/lookup',
        '12:00:05 192.0.2.7  sent a request that was refused: 413 too large',
        '12:00:06 worker-0  sent a lookup for 52:54:00:12:34:56, which was refused: no such node (192.0.2.7)',
        '12:00:07 worker-0  sent its inventory, which was refused (192.0.2.7)',
        '12:00:08 worker-0  sent a heartbeat with an invalid token, which was refused: Unauthorized (192.0.2.7)',
        '12:00:09 1be26c0b-03f2-4d2e-ae87-c02d7f33c123  did not answer at https://192.0.2.7:9999: timed out',
      ],
    ],
    [
      'an emulated machine',
      [machine(1), machine(2, { state: 'failed', problem: 'no KVM' })],
      ['12:00:01 worker-0  started', '12:00:02 worker-0  failed: no KVM'],
    ],
    [
      'harmless text',
      [asked(1, { userAgent: '\u001b[2J\u202eevil\n' })],
      [String.raw`12:00:01 192.0.2.7  requested the API versions (\u001b[2J\u202eevil\n)`],
    ],
  ])('%s', (_title, events, lines) => expect(liveLines(events)).toEqual(lines));
});

describe('the report at the end', () => {
  it('of a host whose calls are refused', () => {
    const events = [
      fetched(1),
      refused(60, { kind: 'tls', reason: 'unknown ca' }),
      refused(240, { kind: 'tls', reason: 'unknown ca' }),
    ];
    expect(formatClosingReport(resultOf(events))).toMatchInlineSnapshot(`
      "worker-0: did not call home; last step: Ignition config
        MACs      52:54:00:12:34:56
        12:00:01  fetched the Ignition config (3.0 KiB) from 192.0.2.7
        12:01:00  failed the TLS handshake: unknown ca (192.0.2.7), 2 times until
                  12:04:00
        Last activity 6 min before the end: failed the TLS handshake: unknown ca.
        Causes:
        1. Proven: The machine does not trust the certificate authority of Ironic.
           seen:  12:04:00 failed the TLS handshake: unknown ca (192.0.2.7)
           check: run openssl s_client -connect IRONIC:PORT -showcerts; run
                  ironic-coreos inspect IMAGE to list the certificate authorities in
                  the config
           fix:   pass the certificate authority with render --ca-file (for a
                  self-signed certificate, the certificate itself), or use --insecure

      worker-1: did not call home; no activity
        MACs      52:54:00:12:34:57
        No activity for 10 min.
        The cause is not known; possible causes:
        1. The machine is off: nothing of it was observed.
           check: run baremetal node show NODE (power_state, last_error); read the
                  power state in the BMC
           fix:   start the machine; if Ironic does not start it, fix the error in
                  last_error
        2. The machine boots from its disk: the boot device is not set, or was set for
           an earlier boot only.
           check: watch the console during boot; run baremetal node show NODE
                  (power_state, last_error); check the boot order in the BMC
           fix:   set virtual CD or network as the next boot device (in UEFI mode, for
                  UEFI), and restart the machine

      0 hosts called home within 10 min, 2 did not: worker-0, worker-1. Times are in
      UTC.
      "
    `);
  });

  it('has problems only of a host that called home, and the last events of others', () => {
    const fetches = [60, 61, 62, 63, 64, 65, 66, 240].map((at) =>
      fetched(at, { host: 'worker-1', path: `worker-1-${at}.ign`, size: at }),
    );
    expect(formatClosingReport(resultOf([...home, ...fetches]))).toMatchInlineSnapshot(`
      "worker-0: called home after 2 min

      worker-1: did not call home; last step: Ignition config
        MACs      52:54:00:12:34:57
        2 earlier events omitted
        12:01:02  fetched the Ignition config (62 B) from 192.0.2.7
        12:01:03  fetched the Ignition config (63 B) from 192.0.2.7
        12:01:04  fetched the Ignition config (64 B) from 192.0.2.7
        12:01:05  fetched the Ignition config (65 B) from 192.0.2.7
        12:01:06  fetched the Ignition config (66 B) from 192.0.2.7
        12:04:00  fetched the Ignition config (240 B) from 192.0.2.7
        Last activity 6 min before the end: fetched the Ignition config (240 B). The
        agent never called Ironic.
        The cause is not known; possible causes:
        1. Ignition failed: its lines on the console name the stage and the reason;
           the machine waits in an emergency shell.
           check: run ironic-coreos validate FILE with the config or the image; in the
                  emergency shell, run journalctl -t ignition
           fix:   fix the line that validate reports; render validates its configs
                  before it writes them
        2. The machine cannot connect to the registry: another address or port, no
           route, or the machine must use a proxy.
           check: on the machine, run journalctl -b -u ironic-agent and curl -I
                  https://REGISTRY/v2/
           fix:   set a proxy with render --https-proxy and --no-proxy, set a mirror
                  with --registries-conf, or use --agent-archive, which needs no
                  registry

      192.0.2.7: did not call home; last step: boot script
        12:00:01  fetched the boot script (900 B) from 192.0.2.7
        Last activity 10 min before the end: fetched the boot script (900 B). The
        agent never called Ironic.
        The cause is not known; possible causes:
        1. The boot loader fetched its script but not the kernel: the URLs in the
           script are not reachable from the machine.
           check: read the URL on the console; in the network of the machine, run curl
                  with the script and curl -I with the URLs in it
           fix:   in serve --public-url or prepare --base-url, use an address that
                  machines can reach
        2. The firmware refuses the boot loader or the kernel by its security policy
           (Secure Boot): an unsigned iPXE, or the ISO of another ramdisk.
           check: look for Security Violation or Access Denied on the console, or read
                  the event log of the firmware
           fix:   disable Secure Boot, or boot signed software: the live ISO of
                  CoreOS, or its shim and GRUB (prepare --loaders)

      1 host called home within 10 min, 1 did not: worker-1. Times are in UTC.
      "
    `);
  });

  it('of a machine whose console shows no known cause has its last lines, without secrets', () => {
    const timeline = createTimeline(createMachines([{ name: 'worker-0', macs: [] }]));
    const watch = createConsoleWatch(
      'worker-0',
      (event) => void timeline.add({ ...event, at: new Date(30_000) }),
    );
    for (const line of [
      'Welcome to another boot loader',
      'FATAL: module xyz cannot be loaded',
      'FATAL: cannot open https://user:5ec2e7@192.0.2.1/x',
      'waiting',
    ]) {
      watch(line);
    }
    const verdict = judge([], { kind: 'hosts', names: ['worker-0'] }, 'heartbeat');
    const result = resultOf([], { timeline, verdict, coverage: 'boot' });
    const report = formatClosingReport(result);
    expect(report).toContain(`
  Last lines on the console:
     FATAL: module xyz cannot be loaded
     FATAL: cannot open https://`);
    expect(report).toContain('The cause is not known; possible causes:');
    expect(report).not.toContain('The machine is off');
    expect(report).not.toContain('5ec2e7');
    const { hosts } = JSON.parse(formatReportDocument(result));
    expect(hosts[0].lastLines).toHaveLength(2);
  });

  it('of machines of which nothing was seen, whoever they are', () => {
    const timeline = createTimeline(createMachines([]));
    const verdict = judge([], { kind: 'any', count: 3 }, 'heartbeat');
    timeline.add(asked(1, { userAgent: 'curl/8.14.1' }));
    timeline.add(lookedUp(2));
    const result = resultOf([], { timeline, verdict, coverage: 'calls' });
    const report = formatClosingReport(result);
    expect(report).toContain(
      '\n2 machines: did not call home; no activity\n  The cause is not known; possible causes:\n  1. ',
    );
    expect(report).toContain('The machine boots from its disk: the boot device is not set');
    const ids = expect.arrayContaining([expect.objectContaining({ id: 'ironic-address' })]);
    expect(JSON.parse(formatReportDocument(result))).toMatchObject({ inactive: { count: 2, causes: ids } });
  });

  it('of a refused request has its own words, also for programs', () => {
    const message = 'requested worker-0.iso without a key (status 401)';
    const problem = { kind: 'file', message, hint: 'use the URL' } as const;
    const result = resultOf([refused(1, problem, { host: 'worker-0', client: '192.0.2.7' })]);
    const { hosts } = JSON.parse(formatReportDocument(result));
    const text = `192.0.2.7 ${message}`;
    expect(hosts[0].causes[0]).toMatchObject({ id: 'file-refused', text, fix: 'use the URL' });
    expect(formatClosingReport(result).replaceAll(/\s+/g, ' ')).toContain(text);
  });

  it('of a stranger, while others are missing', () => {
    const stranger = { client: '192.0.2.9', node: 'node-9' };
    const events = [lookedUp(1, { ...stranger, macs: ['52:54:00:99:99:99'] }), heartbeat(2, stranger)];
    expect(formatClosingReport(resultOf(events))).toContain(
      [
        '52:54:00:99:99:99: called home after 2.0 s',
        '  The inventory contains none of its MAC addresses. If it is one of the missing',
        '  hosts, add its MAC address to the inventory.',
      ].join('\n'),
    );
  });

  it('of many hosts explains the same once, and leaves out what led home', () => {
    const hosts = Array.from({ length: 40 }, (_, index) => ({ name: `node-${index}`, macs: [] }));
    const machines = createMachines(hosts);
    const timeline = createTimeline(machines);
    for (const { name } of hosts.slice(0, 30))
      timeline.add(fetched(1, { host: name, client: `10.0.0.${name.slice(5)}` }));
    const awaited = { kind: 'hosts', names: hosts.map(({ name }) => name) } as const;
    const verdict = judge(machines.all, awaited, 'heartbeat');
    const report = formatClosingReport(resultOf([], { timeline, verdict }));
    expect(report.split('The cause is not known; possible causes: same as for node-0\n')).toHaveLength(30);
    expect(report.replaceAll('\n', ' ')).toContain(
      'node-38, node-39: did not call home; no activity   The cause is not known; possible causes:   1. ',
    );
    expect(report.split('\n').length).toBeLessThan(350);
  });

  it('of 50 hosts of which 48 called home is about the other two, and one line of figures', () => {
    const hosts = Array.from({ length: 50 }, (_, index) => ({
      name: `node-${index}`,
      macs: [`52:54:00:00:00:${(index + 16).toString(16)}`],
    }));
    const machines = createMachines([...hosts, { name: 'spare', macs: [] }]);
    const timeline = createTimeline(machines);
    for (const [index, { macs, name }] of hosts.slice(0, 48).entries()) {
      const source = { client: `10.0.0.${index}`, node: name };
      timeline.add(lookedUp(1, { ...source, macs }));
      timeline.add(heartbeat(2, source));
    }
    timeline.add(fetched(3, { host: 'node-48', client: '10.0.0.48' }));
    const awaited = { kind: 'hosts', names: hosts.map(({ name }) => name) } as const;
    const verdict = judge(machines.all, awaited, 'heartbeat');
    const report = formatClosingReport(resultOf([], { timeline, verdict }));
    expect(report.match(/^\S+: .*/gm)).toEqual([
      'node-48: did not call home; last step: Ignition config',
      'node-49: did not call home; no activity',
    ]);
    expect(report).toMatch(
      /\n48 hosts called home within 10 min, 2 did not: node-48, node-49\. Times are in\nUTC\.\n$/,
    );
  });

  it.each<readonly [string, readonly TrialEvent[], string]>([
    ['none', [], '0 hosts called home within 10 min, 2 did not: worker-0, worker-1. Times are in\nUTC.\n'],
    ['one', home, '1 host called home within 10 min, 1 did not: worker-1. Times are in UTC.\n'],
    [
      'all',
      [...home, lookedUp(9, { macs: [otherMac], node: 'node-1' }), heartbeat(10, { node: 'node-1' })],
      '2 hosts called home within 10 min. Times are in UTC.\n',
    ],
  ])('says at its end how many came: %s', (_title, events, line) => {
    expect(formatClosingReport(resultOf(events)).endsWith(`\n${line}`)).toBe(true);
  });
});

interface ReportedHost {
  readonly entries: readonly { kind: string; count: number; reason?: string; sign?: string; path?: string }[];
  readonly droppedEntries: number;
  readonly steps?: { readonly managers: readonly object[] };
}

function firstHostOf(events: readonly TrialEvent[]): ReportedHost {
  const { hosts }: { hosts: readonly ReportedHost[] } = JSON.parse(formatReportDocument(resultOf(events)));
  return hosts[0]!;
}

describe('the report as JSON', () => {
  it('has all events with their reasons and signs, in the order of the first ones', () => {
    const host = firstHostOf([
      ...home,
      lookedUp(260, { node: undefined, problem: 'no', reason: 'several-nodes' }),
      askedBack(261, { problem: 'x', reason: 'callback-unreachable' }),
      refused(262, { kind: 'request', status: 400, message: 'no' }),
      {
        kind: 'console',
        at: new Date(0),
        client: undefined,
        host: 'worker-0',
        sign: 'kernel-panic',
        stage: undefined,
        line: 'x',
      },
    ]);
    expect(host.entries.map(({ kind, reason, sign, count }) => [kind, count, reason ?? sign])).toEqual([
      ['console', 1, 'kernel-panic'],
      ['fetch', 1, undefined],
      ['fetch', 1, undefined],
      ['inspection', 1, undefined],
      ['api', 1, undefined],
      ['lookup', 1, undefined],
      ['heartbeat', 2, undefined],
      ['callback', 1, undefined],
      ['steps', 1, undefined],
      ['lookup', 1, 'several-nodes'],
      ['callback', 1, 'callback-unreachable'],
      ['refusal', 1, undefined],
    ]);
    expect(host.steps?.managers).toHaveLength(2);
  });

  it('has the latest 50 entries of a machine, and counts the others', () => {
    const fetches = Array.from({ length: 60 }, (_, at) => fetched(at, { path: `${at}.ign` }));
    const host = firstHostOf(fetches);
    expect([host.entries.length, host.droppedEntries, host.entries[0]?.path]).toEqual([50, 10, '10.ign']);
  });
});

describe('whatever comes', () => {
  const schema = readFileSync(resolve(import.meta.dirname, '../../../schemas/try-report.json'), 'utf8');
  const formats = { 'date-time': true } as const;
  const validate = new Ajv({ allErrors: true, strict: false, formats }).compile(JSON.parse(schema));
  const harmful = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;

  it('no text has control characters, and the document is as its schema says', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
        for (const line of liveLines(events)) expect(line).not.toMatch(harmful);
        const result = resultOf(events);
        expect(formatClosingReport(result).replaceAll('\n', '')).not.toMatch(harmful);
        const document = formatReportDocument(result);
        expect(document.trimEnd()).not.toMatch(harmful);
        validate(JSON.parse(document));
        expect(validate.errors).toBeNull();
      }),
    );
  });

  it('lines have 80 columns, where words do not make them longer', () => {
    const report = formatClosingReport(resultOf([...home, readIso(30, 0.7, { host: 'worker-1' })]));
    expect(report.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

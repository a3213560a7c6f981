import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv } from 'ajv';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatClosingReport, formatReportDocument } from '../../../src/try/report/closingReport.ts';
import { formatLiveLine } from '../../../src/try/report/liveLines.ts';
import type { TrialEvent } from '../../../src/try/timeline/events.ts';
import { defaultPorts } from '../../../src/try/timeline/causes/cause.ts';
import { createJudge, type TrialResult } from '../../../src/try/timeline/result.ts';
import { createTimeline } from '../../../src/try/timeline/timeline.ts';
import {
  anyEvent,
  asked,
  askedBack,
  at,
  fetched,
  heartbeat,
  inspected,
  lookedUp,
  mac,
  machine,
  otherMac,
  refused,
  sharedFetch,
} from '../../support/trialEvents.ts';

const expected = [
  { name: 'worker-0', macs: [mac] },
  { name: 'worker-1', macs: [otherMac] },
];

const gigabyte = 1024 ** 3;
const ofIso = (seconds: number, share: number, given: Parameters<typeof fetched>[1] = {}): TrialEvent =>
  fetched(seconds, {
    artifact: 'iso',
    client: '10.0.0.8',
    bytes: share * gigabyte,
    size: gigabyte,
    ...given,
  });

/** Of a trial of ten minutes. */
function resultOf(events: readonly TrialEvent[], given: Partial<TrialResult> = {}): TrialResult {
  const timeline = createTimeline(expected);
  for (const event of events) timeline.add(event);
  const awaited = { kind: 'hosts', names: expected.map(({ name }) => name) } as const;
  const verdict = createJudge({ awaited, successStage: 'heartbeat' })(timeline.hosts());
  const successStage = 'heartbeat';
  const sight = 'boot';
  return {
    timeline,
    verdict,
    successStage,
    sight,
    ports: defaultPorts,
    started: at(0),
    ended: at(600),
    ...given,
  };
}

function liveLines(events: readonly TrialEvent[]): string[] {
  const timeline = createTimeline(expected);
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
  heartbeat(250),
];

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
        ofIso(1, 0, { outcome: 'began' }),
        ofIso(2, 0.1),
        ofIso(3, 0.3),
        ofIso(4, 0.31, { outcome: 'client disconnected' }),
        ofIso(5, 0.6),
        ofIso(6, 1),
        ofIso(7, 1),
      ],
      [
        '12:00:01 worker-0  began to fetch the ISO (1.0 GiB) from 10.0.0.8',
        '12:00:03 worker-0  got 30 % of the ISO (1.0 GiB) from 10.0.0.8',
        '12:00:05 worker-0  got 60 % of the ISO (1.0 GiB) from 10.0.0.8',
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
      ['12:00:02 worker-0  got 25 % of the root filesystem (7.8 KiB): client disconnected from 192.0.2.7'],
    ],
    [
      'calls, once each',
      [...home.slice(2), lookedUp(300), heartbeat(301)],
      [
        '12:02:01 worker-0  sent its inventory: QEMU Standard PC, 2 CPUs, 4.0 GiB memory, 1 disk (192.0.2.7)',
        '12:02:02 worker-0  asked for the versions of the API (python-requests/2.32) (192.0.2.7)',
        '12:02:03 worker-0  asked which node has 52:54:00:12:34:56: 1be26c0b-03f2-4d2e-ae87-c02d7f33c123 (192.0.2.7)',
        '12:02:04 worker-0  sent a heartbeat of agent 13.0.0, to be asked back at https://192.0.2.7:9999 (192.0.2.7)',
        '12:02:05 worker-0  answered at https://192.0.2.7:9999',
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
        heartbeat(8, { token: 'wrong', problem: 'Unauthorized' }),
        askedBack(9, { problem: 'timed out' }),
      ],
      [
        '12:00:01 192.0.2.7  broke off the TLS handshake: unknown ca',
        '12:00:02 192.0.2.7  spoke plain HTTP to the port of TLS',
        '12:00:03 192.0.2.7  spoke TLS to the port of plain HTTP',
        '12:00:04 192.0.2.7  asked for what Ironic does not have: GET /v1/v1/lookup',
        '12:00:05 192.0.2.7  sent a request that was refused: 413 too large',
        '12:00:06 worker-0  asked which node has 52:54:00:12:34:56, and was refused: no such node (192.0.2.7)',
        '12:00:07 worker-0  sent its inventory, which was refused (192.0.2.7)',
        '12:00:08 worker-0  sent a heartbeat with a wrong token, which was refused: Unauthorized (192.0.2.7)',
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
      [String.raw`12:00:01 192.0.2.7  asked for the versions of the API (\u001b[2J\u202eevil\n)`],
    ],
  ])('%s', (_title, events, lines) => expect(liveLines(events)).toEqual(lines));
});

describe('the report at the end', () => {
  it('of a host that is home and one that is not', () => {
    expect(formatClosingReport(resultOf([...home, ofIso(30, 0.7, { host: 'worker-1' })])))
      .toMatchInlineSnapshot(`
        "worker-0: home after 2 min
          MACs      52:54:00:12:34:56
          node      1be26c0b-03f2-4d2e-ae87-c02d7f33c123
          agent     13.0.0
          callback  https://192.0.2.7:9999: answers
          inventory QEMU Standard PC, 2 CPUs, 4.0 GiB memory, 1 disk
          12:00:01  fetched the boot script (900 B) from 192.0.2.7
          12:00:20  fetched the Ignition config (3.0 KiB) from 192.0.2.7
                    (nothing for 101 s)
          12:02:01  sent its inventory: QEMU Standard PC, 2 CPUs, 4.0 GiB memory, 1 disk
                    (192.0.2.7)
          12:02:02  asked for the versions of the API (python-requests/2.32) (192.0.2.7)
          12:02:03  asked which node has 52:54:00:12:34:56:
                    1be26c0b-03f2-4d2e-ae87-c02d7f33c123 (192.0.2.7)
          12:02:04  sent a heartbeat of agent 13.0.0, to be asked back at
                    https://192.0.2.7:9999 (192.0.2.7), 2 times until 12:04:10
          12:02:05  answered at https://192.0.2.7:9999

        worker-1: not home; it came as far as the ISO
          MACs      52:54:00:12:34:57
          12:00:30  got 70 % of the ISO (1.0 GiB) from 10.0.0.8
          It got 70 % of the ISO (1.0 GiB) 10 min before the end, and never called:
          Ignition, the container pull or the Ironic address.
          Likely causes:
          1. Ignition refuses the config, or cannot do what it says; the machine waits
             in an emergency shell.
             check: ironic-coreos validate FILE with the config or the image; in the
                    emergency shell journalctl -t ignition
             fix:   what validate says at the place where it says it; render checks its
                    configs before it writes them
          2. The container image of the agent cannot be pulled: the registry is not
             reached, by DNS, route or proxy.
             check: on the machine journalctl -b -u ironic-agent, and curl -I
                    https://REGISTRY/v2/
             fix:   render --https-proxy and --no-proxy, --registries-conf with a
                    mirror, or no registry at all: --agent-archive
          3. The agent runs, but does not reach Ironic: another address or port, a
             firewall, or no route from this network.
             check: on the machine grep api_url /etc/ironic-python-agent.conf, curl -k
                    URL, and sudo podman logs ironic-agent; on the machine of Ironic ss
                    -ltn and the firewall
             fix:   render --api-url with an address that machines reach and the port of
                    Ironic (6385), and open that port
          4. The running system has no network: nmstate or keyfiles name another
             interface or MAC address, or DHCP does not answer.
             check: on the console nmcli device, ip address, journalctl -b -u
                    NetworkManager
             fix:   find interfaces by MAC address in --nmstate or --keyfile (in the
                    inventory network), not by a name that may differ

        1 host called home within 10 min, 1 did not: worker-1. Times are in UTC.
        "
      `);
  });

  it('of a host whose calls are refused', () => {
    const events = [
      fetched(1),
      refused(60, { kind: 'tls', reason: 'unknown ca' }),
      refused(240, { kind: 'tls', reason: 'unknown ca' }),
    ];
    expect(formatClosingReport(resultOf(events))).toMatchInlineSnapshot(`
      "worker-0: not home; it came as far as the Ignition config
        MACs      52:54:00:12:34:56
        12:00:01  fetched the Ignition config (3.0 KiB) from 192.0.2.7
        12:01:00  broke off the TLS handshake: unknown ca (192.0.2.7), 2 times until
                  12:04:00
        It broke off the TLS handshake: unknown ca 6 min before the end, and then
        nothing came: the authority of Ironic's certificate.
        Likely causes:
        1. Proven: The machine does not trust the authority of Ironic's certificate.
           seen:  12:04:00 broke off the TLS handshake: unknown ca (192.0.2.7)
           check: openssl s_client -connect IRONIC:6385 -showcerts; ironic-coreos
                  inspect IMAGE says which authorities the config brings
           fix:   render --ca-file with the certificate of the authority (a
                  self-signed certificate itself), or --insecure

      worker-1: not home; nothing was seen of it
        MACs      52:54:00:12:34:57
        Nothing was seen for 10 min: the power or the boot order, the virtual medium
        or DHCP without a boot file.
        Likely causes:
        1. The machine is off, or starts from its disk: the boot device was not set,
           or only for a boot that is over.
           check: the console while it starts; baremetal node show NODE (power_state,
                  last_error); the boot order on the page of the BMC
           fix:   set virtual CD or network as the next boot device, for UEFI where
                  the firmware is in UEFI mode, and start the machine again
        2. The BMC has no medium attached: it does not reach the URL of the image, or
           does not trust its certificate.
           check: curl -I URL from the network of the BMCs; what the BMC says of its
                  virtual media
           fix:   serve on an address that BMCs reach, not on 127.0.0.1 (serve
                  --listen :8084 --public-url http://ADDRESS:8084, try
                  --serve-listen); plain HTTP on a network of their own where they
                  take no certificate
        3. DHCP does not answer on this network, or names no boot server and file
           (next-server, filename).
           check: the console (PXE-E51, PXE-E53, PXE-E16 stand for no offer and no
                  boot file); tcpdump -ni INTERFACE port 67 or port 69 on the DHCP
                  server
           fix:   take over dnsmasq.conf, which prepare and serve make, or its
                  options; between networks, a DHCP relay
        4. The boot loader came by TFTP, but does not reach the port of the images: a
           firewall, or DHCP names another address.
           check: curl -I URL of boot.ipxe from the network of the machine; the
                  console, which shows the URL that failed
           fix:   open the port of the images (8084), and give DHCP the URL that serve
                  and try print as # ipxe

      0 hosts called home within 10 min, 2 did not: worker-0, worker-1. Times are in
      UTC.
      "
    `);
  });

  it('of machines of which nothing was seen, whoever they are', () => {
    const timeline = createTimeline([]);
    const verdict = createJudge({ awaited: { kind: 'any', count: 3 }, successStage: 'heartbeat' })([]);
    timeline.add(asked(1, { userAgent: 'curl/8.14.1' }));
    timeline.add(lookedUp(2));
    const result = resultOf([], { timeline, verdict, sight: 'calls' });
    const report = formatClosingReport(result);
    expect(report).toContain('\n2 machines: not home; nothing was seen\n  Likely causes:\n  1. ');
    expect(report).toContain('The agent runs, but does not reach Ironic: another address or port');
    const ids = expect.arrayContaining([expect.objectContaining({ id: 'ironic-address' })]);
    expect(JSON.parse(formatReportDocument(result))).toMatchObject({ unseen: { count: 2, causes: ids } });
  });

  it('of a stranger, while others are missing', () => {
    const stranger = { client: '192.0.2.9', node: 'node-9' };
    const events = [lookedUp(1, { ...stranger, macs: ['52:54:00:99:99:99'] }), heartbeat(2, stranger)];
    expect(formatClosingReport(resultOf(events))).toContain(
      [
        '52:54:00:99:99:99: home after 2.0 s',
        '  It is in the inventory by none of its MAC addresses: if it is one of the',
        '  missing hosts, give its address there.',
      ].join('\n'),
    );
  });

  it('of many hosts explains the same once, and leaves out what led home', () => {
    const hosts = Array.from({ length: 40 }, (_, index) => ({ name: `node-${index}`, macs: [] }));
    const timeline = createTimeline(hosts);
    for (const { name } of hosts.slice(0, 30))
      timeline.add(fetched(1, { host: name, client: `10.0.0.${name.slice(5)}` }));
    const awaited = { kind: 'hosts', names: hosts.map(({ name }) => name) } as const;
    const verdict = createJudge({ awaited, successStage: 'heartbeat' })(timeline.hosts());
    const report = formatClosingReport(resultOf([], { timeline, verdict }));
    expect(report.split('Likely causes: as of node-0\n')).toHaveLength(30);
    expect(report.split('Likely causes: as of node-30\n')).toHaveLength(10);
    expect(report.split('\n').length).toBeLessThan(400);
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
    const report = formatClosingReport(resultOf([...home, ofIso(30, 0.7, { host: 'worker-1' })]));
    expect(report.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

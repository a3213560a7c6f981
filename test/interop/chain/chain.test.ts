/**
 * The real chain: what this program writes, booted with the real Ignition, systemd, NetworkManager, podman and
 * ironic-python-agent. `build.js` makes the parts. A boot takes some five minutes, so only those who ask get them:
 *
 *   npm run build && node test/interop/chain/build.js && IRONIC_COREOS_CHAIN=1 npx vitest run test/interop/chain
 *
 * IRONIC_COREOS_CHAIN_LOGS names a folder that keeps the consoles and reports.
 */

import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConnectProxy } from '../../support/connectProxy.ts';
import { boot, type BootPlan, type Outcome, type Setting, words } from './boot.ts';
import { expired, valid } from './certificates.ts';
import { direct, DISK_SERIAL, GUEST_MAC } from './machine.ts';
import { startTimeServer } from './timeServer.ts';
import { have, oracleNote } from '../../support/programs.ts';
import { parts } from './parts.js';

const MINUTES = 60_000;

interface Row {
  readonly title: string;
  readonly holds: (outcome: Outcome) => void;
}

/** A boot with one mistake. */
interface WrongBoot extends BootPlan {
  /** The id of the first cause that `try` reports. */
  readonly cause: string;
}

interface GoodBoot extends BootPlan {
  readonly rows: readonly Row[];
}

const fact = ({ facts }: Outcome, name: string): string => facts.get(name) ?? `(no section ${name})`;
const ironicUrl = ({ ironicPort, network }: Setting, scheme = 'http'): string =>
  `${scheme}://${network.host}:${ironicPort}`;
/** Ironic without TLS. */
const withoutTls = (setting: Setting): string[] =>
  words(`--api-url ${ironicUrl(setting)} --agent-image ${setting.image}`);
/** Ironic and the registry without TLS. */
const plain = (setting: Setting): string[] => [...withoutTls(setting), '--insecure-registry'];

/** What holds in each guest whose agent has called home. */
const everywhere: readonly Row[] = [
  {
    title: 'the agent calls home and answers',
    holds: ({ host }) => expect(host).toMatchObject({ calledHome: true }),
  },
  { title: 'no unit has failed', holds: (outcome) => expect(fact(outcome, 'failed')).toBe('') },
  {
    title: 'the agent sees the disk and the network card',
    holds: ({ inventories }) => {
      expect(inventories).toContain('"/dev/vda"');
      expect(inventories).toContain(GUEST_MAC);
    },
  },
];

/** The container of build.py does not get /run/udev, and without it the agent does not find serial numbers. */
const knownSerial: Row = {
  title: 'the agent knows the serial number of the disk',
  holds: ({ inventories }) => expect(inventories).toContain(DISK_SERIAL),
};

const validUnits: Row = {
  title: 'systemd-analyze verify reports nothing',
  holds: (outcome) => expect(fact(outcome, 'verify')).toBe(''),
};
/** image-customization-controller and assisted-service write the key into the wrong section, and systemd ignores it there. */
const upstreamUnits: Row = {
  title: "systemd-analyze verify reports only the misplaced key of upstream's unit",
  holds: (outcome) =>
    expect(fact(outcome, 'verify')).toMatch(
      /^\S+:\d+: Unknown key 'StartLimitIntervalSec' in section \[Service\], ignoring\.$/,
    ),
};

const modes = (expected: Readonly<Record<string, string>>): Row => ({
  title: 'files have the promised modes',
  holds: (outcome) => {
    const lines = fact(outcome, 'modes').split('\n');
    for (const [path, mode] of Object.entries(expected)) expect(lines).toContain(`${mode} root:root ${path}`);
  },
});
const noSecrets: Row = { title: 'no secret is in the journal', holds: ({ leaks }) => expect(leaks).toBe('') };
const cleanStop: Row = {
  title: 'systemctl stop ends the agent without SIGKILL, and the unit has not failed',
  holds: (outcome) => {
    expect(fact(outcome, 'stop')).toContain('Result=success');
    expect(fact(outcome, 'stop')).toContain('ActiveState=inactive');
  },
};

const imageFromRegistry: Row = {
  title: 'the image comes from the registry',
  holds: ({ registryRequests }) =>
    expect(registryRequests).toContain('GET /v2/ironic-agent/manifests/latest 200'),
};
const longAgo = new Date('2020-01-01T00:00:00Z');

const login = 'puller:s3cret-of-the-registry';
const proxyPassword = 'hunter2';

const writeJson = (path: string, document: object): void => writeFileSync(path, JSON.stringify(document));

/** Makes a file available under `filesUrl`. */
const linkInto = ({ folder }: Setting, file: string, name: string): void =>
  symlinkSync(file, join(folder, 'www', name));

/** Returns a function that ends it. */
async function forwardPort(from: number, to: number): Promise<() => void> {
  const server = createServer((client) => {
    const target = connect(to, '127.0.0.1');
    for (const socket of [client, target]) socket.on('error', () => undefined);
    client.pipe(target).pipe(client);
  });
  await once(server.listen(from), 'listening');
  return () => void server.close();
}

function writePullSecret({ folder, image }: Setting, credentials: string): string[] {
  const auths = { [image.split('/')[0] ?? '']: { auth: Buffer.from(credentials).toString('base64') } };
  writeJson(join(folder, 'pull-secret.json'), { auths });
  return ['--pull-secret', 'pull-secret.json'];
}

const nmstate = {
  interfaces: [
    {
      name: 'card',
      type: 'ethernet',
      state: 'up',
      identifier: 'mac-address',
      'mac-address': GUEST_MAC,
      ipv4: { enabled: true, dhcp: false, address: [{ ip: direct.guest, 'prefix-length': 24 }] },
      ipv6: { enabled: false },
    },
  ],
  routes: {
    config: [{ destination: '0.0.0.0/0', 'next-hop-address': direct.host, 'next-hop-interface': 'card' }],
  },
};

/** As assisted-service writes it: its agent starts at boot. */
const discoveryConfig = (sshKey: string): object => ({
  ignition: { version: '3.1.0' },
  passwd: { users: [{ name: 'core', sshAuthorizedKeys: [sshKey] }] },
  systemd: {
    units: [
      {
        name: 'agent.service',
        enabled: true,
        contents: '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n',
      },
    ],
  },
});

const goodBoots: readonly GoodBoot[] = [
  {
    title: 'ISO, BIOS: registry with own CA and pull secret, Ironic with own CA, hostname, time server',
    registry: { login, period: valid },
    ironicTls: true,
    secrets: [login.split(':')[1] ?? '', Buffer.from(login).toString('base64')],
    start: async () => (await startTimeServer()).close,
    render: (setting) => [
      ...words(`--api-url ${ironicUrl(setting, 'https')} --agent-image ${setting.image}`),
      ...words('--ca-file ironic-ca.pem --ca-file registry-ca.pem'),
      ...writePullSecret(setting, login),
      ...words(`--hostname rack1-node7 --ntp-server ${setting.network.host}`),
    ],
    rows: [
      validUnits,
      knownSerial,
      imageFromRegistry,
      {
        title: 'the host name is set',
        holds: (outcome) => expect(fact(outcome, 'hostname')).toBe('rack1-node7'),
      },
      {
        title: 'chrony uses the time server',
        holds: (outcome) => expect(fact(outcome, 'time')).toMatch(/\^\* 10\.0\.2\.2/),
      },
      modes({ '/etc/authfile.json': '600', '/etc/ironic-python-agent.conf': '644' }),
      noSecrets,
      cleanStop,
    ],
  },
  {
    title: 'ISO, UEFI: agent archive on the medium, static network without DHCP',
    firmware: 'uefi',
    network: direct,
    registry: { after: 'never' },
    render: (setting) => {
      writeJson(join(setting.folder, 'network.json'), nmstate);
      const archive = ['--agent-archive', setting.parts.archive];
      return [...words(`--api-url ${ironicUrl(setting)} --nmstate network.json`), ...archive];
    },
    embed: ({ parts: { archive } }) => ['--iso-file', `${archive}:agent.tar`],
    rows: [
      validUnits,
      knownSerial,
      {
        title: 'the network is static',
        holds: (outcome) => expect(fact(outcome, 'network')).toContain(`${direct.guest}/24`),
      },
      cleanStop,
    ],
  },
  {
    title: 'minimal ISO, BIOS: archive by URL, clock years off, time server',
    medium: 'minimal ISO',
    ironicTls: true,
    clock: longAgo,
    registry: { after: 'never' },
    start: async (setting) => {
      linkInto(setting, setting.parts.rootfs, 'rootfs.img');
      linkInto(setting, setting.parts.archive, 'agent.tar');
      return (await startTimeServer()).close;
    },
    render: (setting) => [
      ...words(
        `--api-url ${ironicUrl(setting, 'https')} --ca-file ironic-ca.pem --ntp-server ${setting.network.host}`,
      ),
      '--agent-archive',
      setting.parts.archive,
      ...words(`--archive-url ${setting.filesUrl}/agent.tar`),
    ],
    rows: [
      validUnits,
      knownSerial,
      {
        title: 'the clock is correct',
        holds: (outcome) => expect(fact(outcome, 'time')).toContain(String(new Date().getUTCFullYear())),
      },
    ],
  },
  {
    title: 'PXE with a root filesystem URL: registry through a proxy with a password',
    medium: 'PXE',
    registry: { period: valid },
    secrets: [proxyPassword],
    start: async (setting) => {
      linkInto(setting, setting.parts.rootfs, 'rootfs.img');
      const origin = `https://127.0.0.1:${setting.registryPort}`;
      const proxy = await startConnectProxy({ origin, port: setting.proxyPort });
      return () => void proxy.close();
    },
    // No name server knows the registry: only the proxy reaches it.
    render: ({ network, proxyPort, registryPort, ...setting }) => [
      ...words(
        `--api-url ${ironicUrl({ network, proxyPort, registryPort, ...setting })} --insecure-registry`,
      ),
      ...words(`--agent-image registry.test:${registryPort}/ironic-agent`),
      ...words(`--https-proxy http://user:${proxyPassword}@${network.host}:${proxyPort}`),
    ],
    rows: [validUnits, knownSerial, imageFromRegistry, noSecrets],
  },
  {
    title: 'ISO, BIOS: profile icc',
    render: (setting) => {
      const registry = `[[registry]]\nlocation = "${setting.image.split('/')[0]}"\ninsecure = true\n`;
      writeFileSync(join(setting.folder, 'registries.conf'), registry);
      return ['--profile', 'icc', '--registries-conf', 'registries.conf', ...withoutTls(setting)];
    },
    rows: [upstreamUnits, knownSerial],
  },
  {
    title: 'ISO, BIOS: profile buildpy',
    // build.py knows no other ports, and sends the inventory to the inspector of that time.
    ironicPort: 6385,
    start: async ({ ironicPort }) => forwardPort(5050, ironicPort),
    render: ({ network, registryPort }) =>
      words(
        `--profile buildpy --host ${network.host} --registry ${network.host}:${registryPort} --insecure-registry`,
      ),
    rows: [validUnits, imageFromRegistry],
  },
  {
    title: 'ISO, BIOS: profile assisted; the registry comes up four minutes after the machine',
    registry: { after: 240 },
    hasOwnKey: true,
    render: (setting) => {
      const sshKey = readFileSync(join(setting.folder, 'ssh-key.pub'), 'utf8').trim();
      writeJson(join(setting.folder, 'discovery.ign'), discoveryConfig(sshKey));
      return ['--profile', 'assisted', '--discovery', 'discovery.ign', ...withoutTls(setting)];
    },
    rows: [
      upstreamUnits,
      knownSerial,
      {
        title: 'the agent of assisted-service is present and not running',
        holds: (outcome) =>
          expect(fact(outcome, 'assisted').split('\n').toSorted()).toEqual([
            'ActiveState=inactive',
            'LoadState=loaded',
            'UnitFileState=disabled',
          ]),
      },
      {
        title: 'the unit has been restarted until the registry answered',
        holds: (outcome) =>
          expect(Number(/NRestarts=(\d+)/.exec(fact(outcome, 'unit'))?.[1])).toBeGreaterThan(0),
      },
    ],
  },
];

/** The last message of a failed pull; systemd starts the unit again after it. */
const pullFailed = /podman\[\d+\]: Error: /;

const wrongBoots: readonly WrongBoot[] = [
  {
    title: 'there is no registry',
    registry: { after: 'never' },
    render: plain,
    until: pullFailed,
    cause: 'container-pull',
  },
  {
    title: 'the pull secret is incorrect',
    registry: { login, period: valid },
    render: (setting) => [
      ...words(`--api-url ${ironicUrl(setting)} --agent-image ${setting.image} --ca-file registry-ca.pem`),
      ...writePullSecret(setting, 'puller:wrong'),
    ],
    until: pullFailed,
    cause: 'pull-secret',
  },
  {
    title: 'the certificate of the registry has expired',
    registry: { period: expired },
    render: (setting) =>
      words(`--api-url ${ironicUrl(setting)} --agent-image ${setting.image} --ca-file registry-ca.pem`),
    until: pullFailed,
    cause: 'registry-expired',
  },
  {
    title: 'the clock is years off, and there is no time server',
    registry: { period: valid },
    clock: longAgo,
    render: (setting) =>
      words(`--api-url ${ironicUrl(setting)} --agent-image ${setting.image} --ca-file registry-ca.pem`),
    until: pullFailed,
    cause: 'clock',
  },
  {
    title: 'the CA of the registry is missing',
    registry: { period: valid },
    render: (setting) => words(`--api-url ${ironicUrl(setting)} --agent-image ${setting.image}`),
    until: pullFailed,
    cause: 'registry-ca',
  },
  {
    title: 'the registry does not have the image',
    render: (setting) =>
      words(`--api-url ${ironicUrl(setting)} --agent-image ${setting.image}:missing --insecure-registry`),
    until: pullFailed,
    cause: 'container-image',
  },
  { title: 'the medium has no config', until: / login:/, cause: 'no-config' },
  {
    title: 'the root filesystem is not at its URL',
    medium: 'PXE',
    render: plain,
    until: /EMERGENCY/,
    cause: 'rootfs-not-found',
  },
  {
    title: 'the medium is pulled out while the system starts',
    render: plain,
    ejectAt: /live-init.*Ignition finished successfully/,
    until: /error, dev sr0/,
    cause: 'medium-unreadable',
  },
];

const logs = process.env['IRONIC_COREOS_CHAIN_LOGS'];
const folder = logs ?? mkdtempSync(join(tmpdir(), 'ironic-coreos chain '));
if (!have('chain')) rmSync(folder, { recursive: true, force: true });
afterAll(() => {
  if (logs === undefined) rmSync(folder, { recursive: true, force: true });
});

// Loops, as the titles of a table are cut off.
for (const plan of goodBoots) {
  describe.skipIf(!have('chain'))(`${plan.title}${oracleNote('chain')}`, () => {
    let booted: Promise<Outcome>;
    beforeAll(async () => {
      mkdirSync(folder, { recursive: true });
      booted = boot(mkdtempSync(join(folder, 'boot-')), parts, plan);
      // If it fails, each row fails: vitest would only skip them.
      const outcome = await booted.catch(() => undefined);
      console.log(`${plan.title}: ${outcome?.seconds} s, ${outcome?.host?.stage}`);
    }, 40 * MINUTES);

    const rows = [...everywhere, ...plan.rows].map(({ holds, title }) => [title, holds] as const);
    // oxlint-disable-next-line vitest/expect-expect -- they are in `holds`
    it.each(rows)('%s', async (_title, holds) => holds(await booted));
  });
}

for (const plan of wrongBoots) {
  describe.skipIf(!have('chain'))(`mistake: ${plan.title}${oracleNote('chain')}`, () => {
    it(
      `try proves ${plan.cause}`,
      async () => {
        mkdirSync(folder, { recursive: true });
        const { host, seconds } = await boot(mkdtempSync(join(folder, 'boot-')), parts, plan);
        const [first] = host?.causes ?? [];
        console.log(`${plan.title}: ${seconds} s, ${host?.stage}, ${first?.id} ${first?.certainty}`);
        expect(first).toMatchObject({ id: plan.cause, certainty: 'proven' });
      },
      40 * MINUTES,
    );
  });
}

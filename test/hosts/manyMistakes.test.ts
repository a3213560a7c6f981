/** The same mistake in each of 200 hosts: every command says it once, with the hosts, in a few lines. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bmcModels, bmcUser, type FakeBmc, startFakeBmc } from '../support/fakeBmc.ts';
import { writeAgentIso } from '../support/agentIso.ts';
import { runCli } from '../support/runCli.ts';

const folder = mkdtempSync(join(tmpdir(), 'many mistakes '));
let bmc: FakeBmc;
beforeAll(async () => {
  await writeAgentIso(folder, 'live.iso', 'http://192.0.2.1:6385');
  bmc = await startFakeBmc({ model: bmcModels.openbmc });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await bmc.close();
});

const numbers = Array.from({ length: 200 }, (_, number) => number);
const mac = (number: number): string => `52:54:00:00:00:${number.toString(16).padStart(2, '0')}`;
const address = (number: number): string => `10.0.0.${number + 1}`;

/** @param more keys of the interface @param routes of the host */
const withNetwork = (number: number, more: object, routes: readonly object[] = []) => ({
  mac: mac(number),
  network: {
    nmstate: {
      interfaces: [
        {
          name: 'eno1',
          type: 'ethernet',
          state: 'up',
          ipv4: { enabled: true, address: [{ ip: address(number), 'prefix-length': 24 }] },
          ...more,
        },
      ],
      routes: { config: routes },
    },
  },
});

const withSettings = (number: number, overrides: object) => ({ mac: mac(number), overrides });

/** Fields of a host. */
const mistakes: readonly (readonly [string, (number: number) => object])[] = [
  ['an unknown key', (number) => ({ macAddress: mac(number) })],
  ['a MAC address that is too short', (number) => ({ mac: mac(number).slice(0, -1) })],
  ['one MAC address for two hosts each', (number) => ({ mac: mac(number - (number % 2)) })],
  ['another architecture', (number) => ({ mac: mac(number), architecture: `arm${number}` })],
  [
    'an unknown setting',
    (number) => withSettings(number, { ironic: { apiUrlz: `http://${address(number)}` } }),
  ],
  ['an invalid URL', (number) => withSettings(number, { ironic: { apiUrls: [`htp://${address(number)}`] } })],
  ['a missing file', (number) => withSettings(number, { host: { sshKeys: [`keys/worker-${number}.pub`] } })],
  ['a placeholder', (number) => withSettings(number, { ironic: { apiUrls: [`http://<ironic-${number}>`] } })],
  ['an unknown key of a network', (number) => withNetwork(number, { mtuu: 9000 + number })],
  [
    'an unreachable gateway, which is a warning',
    (number) => {
      const gateway = { 'next-hop-address': `10.9.9.${number}`, 'next-hop-interface': 'eno1' };
      return withNetwork(number, {}, [{ destination: '0.0.0.0/0', ...gateway }]);
    },
  ],
];

/** What a command says about 200 hosts with the same mistake. */
async function toldBy(args: readonly string[], fieldsOf: (number: number) => object): Promise<string> {
  const inventory = {
    agent: { ironic: { apiUrls: ['http://192.0.2.1:6385'] } },
    deploy: {
      bmcAddress: `redfish-virtualmedia+http://${new URL(bmc.origin).host}/redfish/v1/Systems/{name}`,
      deployIso: 'http://192.0.2.1/{name}.iso',
    },
    hosts: numbers.map((number) => ({ name: `worker-${number}`, ...fieldsOf(number) })),
  };
  writeFileSync(join(folder, 'hosts.yaml'), JSON.stringify(inventory, undefined, 2));
  const env = {
    IRONIC_COREOS_BMC_USERNAME: bmcUser.username,
    IRONIC_COREOS_BMC_PASSWORD: bmcUser.password,
  };
  const options = { cwd: folder, env, stopAt: /loopback/ };
  const { stderr, stdout } = await runCli([...args, '--inventory', 'hosts.yaml'], options);
  return args.includes('--check') ? stderr + stdout : stderr;
}

const serve = ['serve', '--listen', '127.0.0.1:0', '--artifacts', 'ign'];
const commands: readonly (readonly [string, readonly string[]])[] = [
  ['render', ['render', '-o', 'out']],
  ['prepare', ['prepare', '-o', 'boot', '--artifacts', 'ign']],
  ['deploy', ['deploy', 'baremetalhost']],
  ['serve', [...serve, '--log', 'text']],
  ['boot --check', ['boot', '--check', '--iso', 'live.iso', ...numbers.map((number) => `worker-${number}`)]],
];

describe.each(mistakes)('%s', (_title, fieldsOf) => {
  it.each(commands)('%s', { timeout: 60_000 }, async (_name, args) => {
    const said = await toldBy(args, fieldsOf);

    const problems = said.split(/^(?=error|warning|info)/m);
    const ofHosts = problems.filter((problem) => /^(?:error|warning): 200 hosts/.test(problem));
    expect(ofHosts[0]).toContain('worker-0 … worker-199');
    for (const problem of problems) expect(problem.split('\n').length - 1).toBeLessThanOrEqual(12);
    expect(problems.length).toBeLessThanOrEqual(8);
    const severities = ofHosts.map((problem) => problem.replace(/:[^]*/, ''));
    expect(severities).toEqual(
      severities.toSorted((one, other) => order.indexOf(one) - order.indexOf(other)),
    );
  });
});

const order = ['error', 'warning', 'info'];

describe.each([
  [
    'with --verbose',
    ['render', '-o', 'out', '--verbose'],
    /^error: worker-\d+ is not written \(.*unknown key/gm,
  ],
  ['in a JSON log', [...serve, '--log', 'json'], /"message":"unknown key .*"host":"worker-\d+"/g],
])('%s', (_title, args, pattern) => {
  it('each host', async () => {
    const said = await toldBy(args, (number) => ({ macAddress: mac(number) }));
    expect(new Set(said.match(pattern)).size).toBe(numbers.length);
  });
});

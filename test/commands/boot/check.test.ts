/** `boot --check`: what it reports, and that it changes nothing. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { readBmcCredentials } from '../../../src/trial/bmc/bmcCredentials.ts';
import { servedIsoName } from '../../../src/trial/serving/isoService.ts';
import {
  bmcModels,
  type BmcModel,
  bmcUser,
  type FakeBmc,
  type FakeBmcOptions,
  refuseWith,
  startFakeBmc,
} from '../../support/fakeBmc.ts';
import { writeAgentIso, writeIsoWith } from '../../support/agentIso.ts';
import { createIo } from '../../support/createIo.ts';
import { isoPair } from '../../support/minimalIso.ts';
import { tlsFile } from '../../support/serveFixtures.ts';
import { type BootEnd, startBoot, type GivenBoot } from './startBoot.ts';

const folder = mkdtempSync(join(tmpdir(), 'boot check '));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const bmcs: FakeBmc[] = [];
afterEach(async () => {
  for (const bmc of bmcs.splice(0)) await bmc.close();
});

const env = { IRONIC_COREOS_BMC_USERNAME: bmcUser.username, IRONIC_COREOS_BMC_PASSWORD: bmcUser.password };

async function check(
  fake: FakeBmcOptions,
  options: GivenBoot = {},
): Promise<BootEnd & { readonly bmc: FakeBmc }> {
  const bmc = await startFakeBmc(fake);
  bmcs.push(bmc);
  const end = await startBoot([], { bmc: bmc.origin, check: true, ...options }, { cwd: folder, env }).ended;
  return { ...end, bmc };
}

const schema: object = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../schemas/boot-check.json'), 'utf8'),
);
const isValid = new Ajv().compile(schema);

const twoSystems: FakeBmcOptions['fault'] = ({ path }) =>
  path === '/redfish/v1/Systems'
    ? (response) => void response.end('{"Members":[{"@odata.id":"/a"},{"@odata.id":"/b"}]}')
    : undefined;

const noMedia: FakeBmcOptions['fault'] = ({ path }) =>
  path.endsWith('/VirtualMedia')
    ? refuseWith({ status: 403, id: 'Base.1.8.InsufficientPrivilege', text: 'License needed' })
    : undefined;

const slowMedia: FakeBmcOptions['fault'] = ({ path }) =>
  path.endsWith('/VirtualMedia') ? (response) => void setTimeout(() => response.end('{}'), 60) : undefined;

/** The network settings of a BMC, as iDRAC and iLO show them. */
const ofBmc = (gateway: string | undefined, nameServers: readonly string[]) => ({
  IPv4Addresses: [{ Address: '192.0.2.10', SubnetMask: '255.255.255.0', Gateway: gateway }],
  NameServers: nameServers,
});

describe('--check', () => {
  const vendors: Readonly<Record<keyof typeof bmcModels, readonly [vendor: string, slots: string]>> = {
    idrac10: ['Dell iDRAC 10', '1'],
    idrac9: ['Dell iDRAC 9', '1, 2'],
    idrac9old: ['Dell iDRAC with firmware before 6', 'CD'],
    ilo5: ['HPE iLO', '2'],
    ilo6: ['HPE iLO', '2'],
    xcc: ['Lenovo XCC', 'EXT1'],
    supermicro: ['Supermicro', 'VirtualMedia1'],
    cimc: ['Cisco UCS (CIMC)', '0, 1'],
    irmc: ['Fujitsu iRMC', '0, 1'],
    openbmc: ['OpenBMC', 'Slot_1'],
    unknown: ['Redfish', 'Cd'],
  };
  const models: readonly (readonly [string, BmcModel])[] = Object.entries(bmcModels);

  it.each(models)('%s: vendor and slots, without a change', async (name, model) => {
    const [vendor, slots] = Object.entries(vendors).find(([key]) => key === name)![1];
    const { bmc, code, report } = await check({ model }, { publicUrl: 'https://192.0.2.1', format: 'json' });
    const document: { machines: { vendor: string; slots: { id: string }[] }[] } = JSON.parse(report);
    expect([isValid(document), isValid.errors]).toEqual([true, null]);
    const [machine] = document.machines;
    expect([machine?.vendor, machine?.slots.map(({ id }) => id).join(', ')]).toEqual([vendor, slots]);
    expect(code).toBe(0);
    expect(bmc.seen.every(({ method, path }) => method === 'GET' || path.includes('/Sessions'))).toBe(true);
  });

  it('text', async () => {
    const { report } = await check({ model: bmcModels.ilo5, inserted: { 2: 'http://192.0.2.9/old.iso' } });
    expect(report.replace(/127\.0\.0\.1:\d+/, 'BMC')).toBe(
      `127.0.0.1: can be booted
  bmc          HPE iLO (iLO 5, iLO 5 v2.72)
  system       /redfish/v1/Systems/1, HPE ProLiant DL380 Gen10,
               52:54:00:00:00:01
  architecture unknown
  memory       unknown
  power        Off
  media        warning: slots: 2; media is inserted in 2
               hint: boot ejects this media and does not insert it again
  boot-device  Cd, once
  boot-mode    UEFI
  secure-boot  enabled; live ISOs of CoreOS contain a signed boot loader
  uefi-http    supported
  image-url    http://127.0.0.1/…
  clock        differs by 0.0 s

1 of 1 can be booted
`.replace('0.0 s', /differs by (.*)/.exec(report)?.[1] ?? ''),
    );
  });

  interface Case {
    readonly title: string;
    readonly fake?: FakeBmcOptions;
    readonly options?: GivenBoot;
    /** Default: that of the BMC. */
    readonly path?: string;
    readonly code: number;
    readonly text: RegExp;
  }
  it.each<Case>([
    {
      title: 'a clock years behind',
      fake: { date: new Date('2000-01-01') },
      code: 0,
      text: /clock warning: the clock of the BMC is \d{4} days behind/,
    },
    {
      title: 'http for OpenBMC',
      fake: { model: bmcModels.openbmc },
      code: 1,
      text: /image-url error: OpenBMC supports only https/,
    },
    {
      title: 'a name in the URL',
      options: { publicUrl: 'http://boot.example.com' },
      code: 0,
      text: /image-url warning: .*name boot\.example\.com/,
    },
    {
      title: 'a BMC without a gateway',
      fake: { ownInterface: ofBmc('0.0.0.0', []) },
      options: { publicUrl: 'http://198.51.100.1' },
      code: 1,
      text: /image-url error: the BMC cannot reach http:\/\/198\.51\.100\.1\/…: it has no gateway, and 198\.51\.100\.1 is outside of its network hint: set a gateway/,
    },
    {
      title: 'a BMC without a gateway, in the network of the image server',
      fake: { ownInterface: ofBmc('0.0.0.0', []) },
      options: { publicUrl: 'http://192.0.2.9' },
      code: 0,
      text: /image-url http:\/\/192\.0\.2\.9\/… clock/,
    },
    {
      title: 'a BMC that does not show its gateway',
      fake: { ownInterface: ofBmc(undefined, []) },
      options: { publicUrl: 'http://198.51.100.1' },
      code: 0,
      text: /image-url http:\/\/198\.51\.100\.1\/… clock/,
    },
    {
      title: 'a BMC without a DNS server',
      fake: { ownInterface: ofBmc('192.0.2.1', ['0.0.0.0', '::']) },
      options: { publicUrl: 'http://boot.example.com' },
      code: 1,
      text: /image-url error: the BMC cannot reach http:\/\/boot\.example\.com\/…: it has no DNS server to resolve boot\.example\.com/,
    },
    {
      title: 'a BMC with a DNS server',
      fake: { ownInterface: ofBmc('192.0.2.1', ['192.0.2.2']) },
      options: { publicUrl: 'http://boot.example.com' },
      code: 0,
      text: /image-url http:\/\/boot\.example\.com\/… clock/,
    },
    {
      title: 'a URL that some BMCs reject',
      options: { iso: [`http://127.0.0.1:1/${'a'.repeat(250)}?b=1&c=2`] },
      code: 0,
      text: /image-url warning: the image URL has 277 characters; some BMCs accept only 255, and it contains a query \(\?\); some BMCs reject it, and it does not end with \.iso; some BMCs require it hint: use a URL that ends with \.iso/,
    },
    {
      title: 'another address family',
      options: { publicUrl: 'http://[2001:db8::1]' },
      code: 0,
      text: /image-url warning: .*an IPv6 address/,
    },
    {
      title: 'TLS',
      fake: { tls: true },
      code: 1,
      text: /bmc error: .*TLS certificate is not trusted hint: pass the CA/,
    },
    {
      title: 'TLS with a CA',
      fake: { tls: true },
      options: { caFile: tlsFile('ca') },
      code: 0,
      text: /can be booted/,
    },
    {
      title: 'little memory',
      fake: { memory: 4 },
      code: 0,
      text: /memory warning: 4 GiB, but 6 GiB are recommended/,
    },
    ...[1e308, -5, 0].map((memory) => ({
      title: `${memory} GiB of memory`,
      fake: { memory },
      code: 0,
      text: /memory unknown power/,
    })),
    {
      title: 'enough memory',
      fake: { memory: 64, processor: { InstructionSet: 'x86-64' } },
      code: 0,
      text: /architecture x86_64 memory 64 GiB power/,
    },
    {
      title: 'the license of the slots',
      fake: { fault: noMedia },
      code: 1,
      text: /media error: .*no license for this.*iDRAC Enterprise/,
    },
    {
      title: 'no UEFI HTTP boot',
      fake: { model: bmcModels.xcc },
      options: { method: 'uefi-http' },
      code: 1,
      text: /boot-device error: .*allows only the boot devices/,
    },
    {
      title: 'the path of a manager, outside of the tree of the standard',
      fake: {
        fault: ({ path }) =>
          path === '/rest/managers/bmc'
            ? (response) => void response.end('{"@odata.type":"#Manager.v1_5_0.Manager"}')
            : undefined,
      },
      path: '/rest/managers/bmc',
      code: 1,
      text: /bmc error: \/rest\/managers\/bmc is not a system, but of the type #Manager/,
    },
    {
      title: 'another MAC address',
      options: { mac: '52:54:00:00:00:09' },
      code: 0,
      text: /system warning: .*does not list the MAC address 52:54:00:00:00:09 of 127\.0\.0\.1, so it may be/,
    },
    {
      title: 'a system that does not exist',
      path: '/redfish/v1/Systems/none',
      code: 1,
      text: /bmc error: .*does not have this resource/,
    },
  ])('$title', async ({ code, fake = {}, options = {}, path = '', text }) => {
    const bmc = await startFakeBmc(fake);
    bmcs.push(bmc);
    const all = { bmc: `${bmc.origin}${path}`, check: true, ...options };
    const end = await startBoot([], all, { cwd: folder, env }).ended;
    expect(end.report.replaceAll(/\s+/g, ' ')).toMatch(text);
    expect(end.code).toBe(code);
  });

  it('https on a port of http', async () => {
    const bmc = await startFakeBmc();
    bmcs.push(bmc);
    const options = { bmc: bmc.origin.replace('http', 'https'), check: true };
    const { code, report } = await startBoot([], options, { cwd: folder, env }).ended;
    expect(report.replaceAll(/\s+/g, ' ')).toContain(
      'the server does not use TLS on this port hint: fix the port in the address of the BMC',
    );
    expect(code).toBe(1);
  });

  it('the last line names the machines that cannot be booted', async () => {
    const [one, other] = [await startFakeBmc(), await startFakeBmc({ fault: twoSystems })];
    bmcs.push(one, other);
    const hosts = [other, one, other].map(
      ({ origin }, index) => `- {name: worker-${index}, bmc: {address: 'redfish+${origin}'}}`,
    );
    writeFileSync(
      join(folder, 'three.yaml'),
      [
        "agent: {ironic.apiUrls: 'http://192.0.2.1:6385', agent.image: registry.example.com/ironic-agent, host.sshKeys: []}",
        'hosts:',
        ...hosts,
      ].join('\n'),
    );
    const names = ['worker-0', 'worker-1', 'worker-2'];
    const { report } = await startBoot(names, { inventory: 'three.yaml', check: true }, { cwd: folder, env })
      .ended;
    expect(report.trimEnd().split('\n').slice(-2)).toEqual([
      '1 of 3 can be booted',
      'cannot be booted: worker-0, worker-2',
    ]);
  });

  it('a BMC that does not answer is named while the check waits', async () => {
    const bmc = await startFakeBmc({ fault: slowMedia });
    bmcs.push(bmc);
    const options = { bmc: bmc.origin, check: true };
    const { ended, said } = startBoot([], options, { cwd: folder, env, times: { silence: 20 } });
    await ended;
    expect(said()).toContain('waiting for the BMC of 127.0.0.1; no response for 0 seconds\n');
  });

  it('an ISO that cannot be fetched from here is asked for once', async () => {
    const bmc = await startFakeBmc({});
    bmcs.push(bmc);
    const options = { bmc: bmc.origin, iso: ['http://127.0.0.1:1/a.iso'], check: true };
    const { ended, said } = startBoot([], options, { cwd: folder, env });
    expect((await ended).report).toMatch(/image +warning: the ISO cannot be read from this machine/);
    expect(said().match(/retrying in 1 s/g)).toHaveLength(1);
  });

  it('several systems require a path', async () => {
    const { report } = await check({ fault: twoSystems });
    expect(report).toContain('the BMC manages several systems: /a, /b');
  });
});

describe('the image', () => {
  const invalid = '{"ignition":{"version":"3.4.0"},\n"storage":{"files":[{"path":"a"}]}}';

  it.each<[title: string, options: GivenBoot, code: number, text: RegExp]>([
    ['valid', { iso: ['agent.iso'] }, 0, /image the agent calls http:\/\/192\.0\.2\.1:6385 /],
    ['valid, with its architecture', { iso: ['x86_64=agent.iso'] }, 0, /image the agent calls http:/],
    ['no config', { iso: ['empty.iso'] }, 1, /image error: empty\.iso contains no/],
    ['no ISO', { iso: ['text.iso'] }, 1, /image error: text\.iso: not an ISO 9660 image/],
    ['half of an ISO', { iso: ['half.iso'] }, 1, /image error: half\.iso: ISO image is incomplete/],
    ['an invalid config', { iso: ['invalid.iso'] }, 1, /image error: .*invalid\.iso: .*path not absolute/],
    [
      'a config for another Ironic',
      { iso: ['agent.iso'], listen: '127.0.0.1:6385' },
      0,
      /image warning: agent\.iso contains the Ironic URL http:\/\/192\.0\.2\.1:6385, which is not the mock/,
    ],
  ])('%s', async (_, options, code, text) => {
    await writeAgentIso(folder, 'agent.iso', 'http://192.0.2.1:6385');
    const { full } = isoPair();
    writeFileSync(join(folder, 'empty.iso'), full);
    writeFileSync(join(folder, 'half.iso'), full.subarray(0, full.length / 2));
    writeFileSync(join(folder, 'text.iso'), 'password: x\n');
    await writeIsoWith(folder, 'invalid.iso', invalid);
    const end = await check({}, options);
    expect([end.report.replaceAll(/\s+/g, ' '), end.error]).toEqual([expect.stringMatching(text), undefined]);
    expect(end.code).toBe(code);
  });

  it.each([
    ['refused', [], 1, /image error: .*\(agent-image-reference\)/],
    ['not refused if its rule is ignored', ['agent-image-reference'], 0, /: can be booted /],
  ] as const)('with a config that cannot start the agent is %s', async (_, ignored, code, text) => {
    const contents = `[Service]\nRestart=always\nExecStart=/bin/podman run --privileged https://x\n`;
    const unit = { name: 'ironic-agent.service', enabled: true, contents };
    const config = { ignition: { version: '3.4.0' }, systemd: { units: [unit] } };
    await writeIsoWith(folder, 'lint.iso', JSON.stringify(config));
    const bmc = await startFakeBmc();
    bmcs.push(bmc);
    const options = { bmc: bmc.origin, check: true, iso: ['lint.iso'] };
    const end = await startBoot([], options, { cwd: folder, env, ignored }).ended;
    expect([end.report.replaceAll(/\s+/g, ' '), end.code]).toEqual([expect.stringMatching(text), code]);
  });

  it.each([
    ['by its instruction set', { ProcessorArchitecture: 'ARM', InstructionSet: 'ARM-A64' }],
    ['by its processor', { ProcessorArchitecture: 'ARM', InstructionSet: null }],
  ])('for another architecture, known %s', async (_, processor) => {
    await writeAgentIso(folder, 'agent.iso', 'http://192.0.2.1:6385');
    const { code, report } = await check({ processor }, { iso: ['agent.iso'] });
    expect(report.replaceAll(/\s+/g, ' ')).toContain(
      'architecture error: the machine has the architecture aarch64, but its image is for x86_64 hint: pass an image for aarch64',
    );
    expect(code).toBe(1);
  });

  it('a URL that only the BMC can read', async () => {
    const other = await startFakeBmc();
    bmcs.push(other);
    const { code, report } = await check({}, { iso: [`${other.origin}/none.iso`] });
    expect(report).toContain('image        warning: the ISO cannot be read from');
    expect(code).toBe(0);
  });

  it.each<[title: string, host: string, listen: string, text: RegExp]>([
    ['of a host', '', '127.0.0.1:0', /image its config is valid/],
    [
      'for another Ironic',
      '',
      '127.0.0.1:6385',
      /image warning: its config contains the Ironic URL http:\/\/192\.0\.2\.1:6385, which is not the mock/,
    ],
    [
      'with an unknown option',
      "overrides: {agent.options: ['DEFAULT.x = 1']}",
      '127.0.0.1:0',
      /image warning: inv\.yaml:7:\d+: /,
    ],
  ])('%s in an inventory', async (_, host, listen, text) => {
    const bmc = await startFakeBmc();
    bmcs.push(bmc);
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9zIsVJMfhacIuKONUMGEmrH10rGh7UkLGfneQkUQH0 a';
    const lines = [
      `agent: {ironic.apiUrls: 'http://192.0.2.1:6385', agent.image: registry.example.com/ironic-agent, host.sshKeys: ['${key}']}`,
      'hosts:',
      '- name: a',
      '  mac: 52:54:00:00:00:01',
      '  bmc:',
      `    address: redfish+${bmc.origin}`,
      `  ${host}`,
    ];
    writeFileSync(join(folder, 'inv.yaml'), lines.join('\n'));
    writeFileSync(join(folder, 'live.iso'), isoPair().full);
    const options = { inventory: 'inv.yaml', iso: ['live.iso'], grow: true, check: true, listen };
    const { code, error, report } = await startBoot(['a'], options, { cwd: folder, env }).ended;
    expect([report.replaceAll(/\s+/g, ' '), error]).toEqual([expect.stringMatching(text), undefined]);
    expect(code).toBe(0);
  });
});

describe('the URL of an image that boot serves', () => {
  const name = 'a'.repeat(60);

  const served = /image-url +http:\/\/127\.0\.0\.1\/…/;

  it.each<[title: string, options: GivenBoot, text: RegExp]>([
    ['with a host name of 60 characters', { publicUrl: 'http://127.0.0.1:8084' }, served],
    ['on all addresses', { serveListen: ':0' }, served],
    ['on all addresses of IPv4', { serveListen: '0.0.0.0:0' }, served],
    ['on all addresses of IPv6 and IPv4', { serveListen: '[::]:0' }, served],
  ])('%s', async (_, given, text) => {
    const bmc = await startFakeBmc();
    bmcs.push(bmc);
    const lines = [
      "agent: {ironic.apiUrls: 'http://192.0.2.1:6385', agent.image: registry.example.com/ironic-agent, host.sshKeys: []}",
      'hosts:',
      `- {name: ${name}, mac: '52:54:00:00:00:01', bmc: {address: 'redfish+${bmc.origin}'}}`,
    ];
    writeFileSync(join(folder, 'long.yaml'), lines.join('\n'));
    writeFileSync(join(folder, 'live.iso'), isoPair().full);
    const options = { inventory: 'long.yaml', iso: ['live.iso'], grow: true, check: true, ...given };
    const { report } = await startBoot([name], options, { cwd: folder, env }).ended;
    expect(report).toMatch(text);
  });

  it.each([
    ['coreos.iso', 'coreos.iso'],
    ['images/fedora coreos.ISO', 'fedora_coreos.iso'],
    ['coreos.img', 'coreos.img.iso'],
    [`${'a'.repeat(200)}.iso`, `${'a'.repeat(60)}.iso`],
  ])('%s is served as %s', (file, path) => {
    expect(servedIsoName(file)).toBe(path);
  });
});

const encoded = (text: string): string => Buffer.from(text).toString('base64');

describe('credentials', () => {
  const { password, username } = bmcUser;

  it.each<[string, string]>([
    ['YAML', `username: ${username}\npassword: '${password}'\n`],
    ['JSON', JSON.stringify({ username, password })],
    ['a Secret', `kind: Secret\ndata: {username: ${encoded(username)}, password: ${encoded(password)}}\n`],
    ['a Secret with text', `kind: Secret\nstringData: {username: ${username}, password: '${password}'}\n`],
  ])('%s', async (_, text) => {
    writeFileSync(join(folder, 'credentials'), text, { mode: 0o600 });
    const bmc = await startFakeBmc();
    bmcs.push(bmc);
    const options = { bmc: bmc.origin, check: true, credentials: 'credentials' };
    expect((await startBoot([], options, { cwd: folder }).ended).code).toBe(0);
  });

  it.each<[string, string, RegExp]>([
    ['without a password', 'username: admin\n', /contains no password$/],
    [
      'that is not YAML',
      'username: a\npassword: "hunter2\n',
      /^credentials:\d+:\d+: this is not valid YAML or JSON$/,
    ],
    [
      'with a number that YAML changes',
      'password: 0123\n',
      /^credentials:1:11: this is not valid YAML or JSON$/,
    ],
  ])('a file %s', async (_, text, message) => {
    writeFileSync(join(folder, 'credentials'), text, { mode: 0o600 });
    const options = { bmc: 'https://192.0.2.1', check: true, credentials: 'credentials' };
    const { error } = await startBoot([], options, { cwd: folder }).ended;
    expect(error?.message).toMatch(message);
    expect(`${error?.message} ${String(error?.cause)}`).not.toContain('hunter2');
  });

  it.each([
    ['decimal digits', '{username: 31, password: 31}', '31', '31'],
    ['a hexadecimal number and a sign', 'username: +5 # digits\npassword: 0x1F\n', '+5', '0x1F'],
    ['an octal number in a Secret', 'stringData: {username: é, password: 0o17}', 'é', '0o17'],
    ['an alias', 'username: &name 0x1F\npassword: *name\n', '0x1F', '0x1F'],
  ])('%s without quotes', async (_, text, name, secret) => {
    writeFileSync(join(folder, 'credentials'), text, { mode: 0o600 });
    const io = createIo({ cwd: folder });
    expect(await readBmcCredentials('credentials', 'a', io)).toEqual({ username: name, password: secret });
  });

  it.each([
    ['password', encoded(username), encoded(`${password}\n`)],
    ['user name', encoded(`${username}\n`), encoded(password)],
  ])('a %s with the line break of echo', async (what, name, secret) => {
    const text = `data: {username: ${name}, password: ${secret}}\n`;
    writeFileSync(join(folder, 'credentials'), text, { mode: 0o600 });
    const options = { bmc: 'http://127.0.0.1:1', check: true, credentials: 'credentials' };
    const { ended, said } = startBoot([], options, { cwd: folder });
    await ended;
    expect(said().match(/ends with a line break/g)).toHaveLength(1);
    expect(said()).toContain(`warning: the ${what} in credentials ends with a line break`);
  });

  it('none', async () => {
    const { error } = await startBoot([], { bmc: 'https://192.0.2.1', check: true }, { cwd: folder }).ended;
    expect(error?.message).toBe('no credentials for the BMC of 192.0.2.1');
  });
});

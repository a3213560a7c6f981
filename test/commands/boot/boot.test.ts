/** `boot` from its options to its report, against the fake BMC of each vendor and its faults. */

import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { writeAgentIso } from '../../support/agentIso.ts';
import { isoPair } from '../../support/minimalIso.ts';
import {
  bmcModels,
  type BmcModel,
  bmcUser,
  type Fault,
  type FakeBmc,
  type FakeBmcOptions,
  refuseWith,
  startFakeBmc,
} from '../../support/fakeBmc.ts';
import { until } from '../../support/serveFixtures.ts';
import { withBrackets } from '../../../src/formats/url.ts';
import { commandsIn, runCommands } from './silentBmc.ts';
import { bootAndCallHome, type RunningBoot, startBoot, type GivenBoot } from './startBoot.ts';

const folder = mkdtempSync(join(tmpdir(), 'boot it '));
await writeAgentIso(folder, 'live.iso', 'http://192.0.2.1:6385');
writeFileSync(join(folder, 'bmc.yaml'), `username: ${bmcUser.username}\npassword: '${bmcUser.password}'\n`, {
  mode: 0o600,
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bmcs: FakeBmc[] = [];
afterEach(async () => {
  for (const bmc of bmcs.splice(0)) await bmc.close();
});

const mac = '52:54:00:00:00:01';

interface Booted extends RunningBoot {
  readonly bmc: FakeBmc;
}

/** One machine without an inventory. Its agent calls home if it boots from the ISO. */
async function bootFake(fake: FakeBmcOptions, options: GivenBoot = {}, typed?: string): Promise<Booted> {
  const place: { running?: RunningBoot } = {};
  const bmc = await startFakeBmc({
    mac,
    onBoot: (image) => bootAndCallHome(image, mac, () => place.running!),
    ...fake,
  });
  bmcs.push(bmc);
  const common = {
    bmc: bmc.origin,
    credentials: 'bmc.yaml',
    iso: ['live.iso'],
    askBack: 'never',
    timeout: '20s',
    yes: true,
  };
  const given = typed === undefined ? {} : { typed };
  const running = startBoot([], { ...common, ...options }, { cwd: folder, ...given });
  place.running = running;
  return { ...running, bmc };
}

const initialBoot = {
  BootSourceOverrideTarget: 'None',
  BootSourceOverrideEnabled: 'Disabled',
  BootSourceOverrideMode: 'UEFI',
};

describe('each vendor', () => {
  const { openbmc: _, ...overHttp } = bmcModels;
  it.each(Object.entries(overHttp))('%s boots, calls home and is restored', async (_name, model) => {
    const { bmc, ended, said } = await bootFake({ model });
    const { code, error, report } = await ended;
    expect([error, said()]).toEqual([undefined, expect.any(String)]);
    expect(report).toMatch(/^127\.0\.0\.1: called home after /);
    expect(code).toBe(0);
    expect([...bmc.state.images]).toEqual([]);
    expect(bmc.state.boot).toMatchObject(initialBoot);
    expect(bmc.state.power).toBe('Off');
    expect(said()).toMatch(/ejected the ISO from slot \S+$/m);
    expect(`${said()}${report}`).not.toContain(bmcUser.password);
  });

  it('UEFI HTTP boot', async () => {
    const { bmc, ended } = await bootFake({}, { method: 'uefi-http' });
    expect((await ended).code).toBe(0);
    expect(bmc.changes().some((change) => change.includes('VirtualMedia'))).toBe(false);
    expect(bmc.state.boot).toMatchObject(initialBoot);
  });

  it('OpenBMC does not fetch images over http', async () => {
    const { ended, said } = await bootFake({ model: bmcModels.openbmc });
    expect((await ended).error?.message).toBe('no machine can be booted');
    expect(said()).toContain('OpenBMC supports only https for images');
  });
});

describe('the order of the requests', () => {
  it('is that of Ironic, but the machine runs until the ISO is inserted', async () => {
    const { bmc, ended } = await bootFake({ power: 'On', inserted: { 1: 'http://192.0.2.9/old.iso' } });
    expect((await ended).code).toBe(0);
    expect(bmc.changes()).toEqual([
      'POST Actions/VirtualMedia.EjectMedia',
      'POST Actions/VirtualMedia.InsertMedia',
      'POST Actions/ComputerSystem.Reset', // off
      'PATCH Systems/System.Embedded.1',
      'POST Actions/ComputerSystem.Reset', // on
      'POST Actions/ComputerSystem.Reset', // off
      'POST Actions/VirtualMedia.EjectMedia',
      'POST Actions/ComputerSystem.Reset', // on
    ]);
    expect(bmc.state.power).toBe('On');
  });

  it('a machine whose BMC refuses the ISO is not powered off', async () => {
    const fault = onPath('InsertMedia', () => refuseWith({ status: 403, id: 'x', text: 'no' }));
    const { bmc, ended } = await bootFake({ power: 'On', fault });
    expect((await ended).code).toBe(1);
    expect(bmc.changes().filter((change) => change.includes('Reset'))).toEqual([]);
    expect(bmc.state.power).toBe('On');
  });

  it('--leave changes nothing at the end', async () => {
    const { bmc, ended } = await bootFake({}, { leave: true });
    expect((await ended).code).toBe(0);
    expect(bmc.state.power).toBe('On');
    expect(bmc.state.images.size).toBe(1);
  });
});

const onPath =
  (end: string, fault: Fault): Fault =>
  (request, count) =>
    request.path.endsWith(end) ? fault(request, count) : undefined;

const nothingKnown: Fault = onPath('/EthernetInterfaces', () =>
  refuseWith({ status: 404, id: 'x', text: 'no' }),
);

const poweredOnLater: Fault = ({ method, path }, count) =>
  method === 'GET' && /Systems\/[^/]+$/.test(path) && count > 1
    ? (response) => void response.end('{"PowerState":"On"}')
    : undefined;

const nothingWorks: Fault = (request, count) =>
  nothingKnown(request, count) ??
  onPath('InsertMedia', () => refuseWith({ status: 403, id: 'x', text: 'no' }))(request, count);

describe('faults: the cause is reported, and the machine is as before', () => {
  const cases: readonly (readonly [title: string, fake: FakeBmcOptions, cause: RegExp])[] = [
    [
      'license',
      {
        fault: onPath('InsertMedia', () =>
          refuseWith({ status: 403, id: 'iLO.2.14.LicenseKeyRequired', text: 'A license is required.' }),
        ),
      },
      /the BMC has no license for this/,
    ],
    [
      '404 on the action',
      { fault: onPath('InsertMedia', () => refuseWith({ status: 404, id: 'x', text: 'no' })) },
      /the BMC does not have this resource/,
    ],
    [
      '500 on the action',
      { fault: onPath('InsertMedia', () => (response) => void response.writeHead(500).end()) },
      /the BMC failed/,
    ],
    [
      '412 without end',
      {
        fault: ({ method }) =>
          method === 'PATCH' ? refuseWith({ status: 412, id: 'x', text: 'changed' }) : undefined,
      },
      /the resource was changed meanwhile/,
    ],
    [
      'power on is ignored',
      { fault: onPath('ComputerSystem.Reset', () => (response) => void response.writeHead(204).end()) },
      /stays off after the BMC accepted "On"/,
    ],
  ];

  it.each(cases)('%s', async (_, fake, cause) => {
    const { bmc, ended } = await bootFake(fake);
    const { code, report } = await ended;
    expect(code).toBe(1);
    expect(report.replaceAll(/\s+/g, ' ')).toMatch(cause);
    expect(report).toMatch(/Proven: cannot be booted: [^]*fix: /);
    expect([...bmc.state.images]).toEqual([]);
    expect(bmc.state.boot).toMatchObject(initialBoot);
    expect(bmc.state.power).toBe('Off');
  });

  it.each<[string, FakeBmcOptions, string, RegExp]>([
    [
      'the ISO is inserted but never fetched',
      { onBoot: () => undefined },
      'powered on',
      /did not fetch it: it cannot reach the address/,
    ],
    [
      'the agent never calls',
      {
        onBoot: (image) =>
          void fetch(image).then(
            (one) => one.arrayBuffer(),
            () => undefined,
          ),
      },
      'fetched the ISO',
      /last step: ISO/,
    ],
  ])('%s', async (_, fake, lastStep, cause) => {
    const { bmc, said, stop } = await bootFake(fake);
    await until(() => said().includes(lastStep));
    const { code, report } = await stop();
    expect(code).toBe(1);
    expect(report.replaceAll(/\s+/g, ' ')).toMatch(cause);
    expect([...bmc.state.images]).toEqual([]);
    expect(bmc.state.power).toBe('Off');
  });

  it('the console of the machine shows why the agent does not call', async () => {
    const log = join(folder, 'sol.log');
    writeFileSync(log, '');
    const refused =
      'podman[9]: Error: initializing source docker://r.example/a: reading manifest: unauthorized';
    const fake: FakeBmcOptions = { onBoot: () => appendFileSync(log, `[   41.205873] ${refused}\r\n`) };
    const { bmc, said, stop } = await bootFake(fake, { consoleLog: ['sol.log'] });
    await until(() => said().includes('unauthorized'));
    const { code, report } = await stop();
    expect(code).toBe(1);
    expect(report).toContain('unauthorized');
    expect(report).toMatch(/pull secret/i);
    expect([...bmc.state.images]).toEqual([]);
  });

  it('an ISO without a config is refused, and the machine is not touched', async () => {
    writeFileSync(join(folder, 'empty.iso'), isoPair().full);
    const { bmc, ended, said } = await bootFake({ power: 'On' }, { iso: ['empty.iso'] });
    expect((await ended).error?.message).toBe('no machine can be booted');
    expect(said()).toContain('empty.iso contains no Ignition config');
    expect(bmc.changes()).toEqual([]);
  });

  it('a missing log of the console is reported before the machine is touched', async () => {
    const { bmc, ended } = await bootFake({ power: 'On' }, { consoleLog: ['missing.log'] });
    expect((await ended).error?.message).toContain('missing.log');
    expect(bmc.changes()).toEqual([]);
  });

  it('a machine that does not shut down is forced off', async () => {
    const fault = onPath('ComputerSystem.Reset', ({ body }) =>
      body['ResetType'] === 'GracefulShutdown' ? (response) => void response.writeHead(204).end() : undefined,
    );
    const { bmc, ended, said } = await bootFake({ power: 'On', fault }, { shutdownTimeout: '1s' });
    expect((await ended).code).toBe(0);
    expect(said()).toContain('forcing it off');
    expect(bmc.state.power).toBe('On');
  });

  it('a machine that cannot be restored', async () => {
    const fault = onPath('EjectMedia', () => (response) => void response.writeHead(500).end());
    const { bmc, ended, said } = await bootFake({ fault });
    const { code, error } = await ended;
    expect([code, error?.message]).toEqual([1, '1 machine not restored']);
    expect(said()).toContain('ejecting media from slot 1 failed');
    expect(said()).toMatch(/; trying again in 1 second$/m);
    expect(said()).toMatch(
      /^error: 127\.0\.0\.1: slot 1 may contain the ISO\nhint: run curl -u USER -X POST /m,
    );
    expect(bmc.state.power).toBe('Off');
  });

  it('the boot device is restored before the ISO is ejected: sushy-tools refuses Cd without a medium', async () => {
    const bootDevice = { BootSourceOverrideTarget: 'Cd', BootSourceOverrideEnabled: 'Continuous' };
    let isInserted = false;
    const { bmc, ended } = await bootFake({
      bootDevice,
      fault: ({ method, path }) => {
        if (/(?:Insert|Eject)Media$/.test(path)) isInserted = path.endsWith('InsertMedia');
        return method === 'PATCH' && !isInserted
          ? (response) => void response.writeHead(500).end()
          : undefined;
      },
    });
    expect(await ended).toMatchObject({ code: 0, error: undefined });
    expect(bmc.state.boot).toMatchObject(bootDevice);
  });

  it('a machine without a known MAC address may be any machine that calls', async () => {
    const { ended, said } = await bootFake({ fault: nothingKnown });
    expect((await ended).code).toBe(0);
    expect(said()).toContain('or pass --mac');
  });

  it('a machine without a known MAC address that cannot be booted ends at once', async () => {
    const { code } = await (await bootFake({ fault: nothingWorks }, { timeout: '1h' })).ended;
    expect(code).toBe(1);
  });

  it('--mac names the machine', async () => {
    const { ended } = await bootFake({ fault: nothingKnown }, { mac: mac.toUpperCase() });
    const { code, report } = await ended;
    expect(report).toMatch(/^127\.0\.0\.1: called home/);
    expect(code).toBe(0);
  });

  it('a machine that is on is not touched without --yes', async () => {
    const { bmc, ended } = await bootFake({ power: 'On' }, { yes: false });
    expect((await ended).error?.message).toMatch(
      /^confirmation required to power off and boot 127\.0\.0\.1, which is on;/,
    );
    expect(bmc.changes()).toEqual([]);
  });

  it.each([
    ['n', 'n\n'],
    ['the end of input', ''],
  ])('%s at the question leaves a machine alone', async (_, typed) => {
    const { bmc, ended, said } = await bootFake({ power: 'On' }, { yes: false }, typed);
    expect((await ended).error?.message).toBe('canceled; nothing was booted');
    expect(said()).toContain('Power off and boot 127.0.0.1, which is on? [y/N] ');
    expect(bmc.changes()).toEqual([]);
  });

  it('a machine that is powered on after the check is not touched without --yes', async () => {
    const { bmc, ended } = await bootFake({ fault: poweredOnLater }, { yes: false });
    const { code, report } = await ended;
    expect(report.replaceAll(/\s+/g, ' ')).toContain('the machine was powered on after it was checked');
    expect([code, bmc.changes()]).toEqual([1, []]);
  });

  it('y at the question boots it', async () => {
    const { ended } = await bootFake({ power: 'On' }, { yes: false }, 'y\n');
    expect((await ended).code).toBe(0);
  });
});

/** The BMC accepts the request, and nothing changes. */
const accept = (response: ServerResponse): void => void response.writeHead(204).end();

const ignored = (
  end: string,
  matches: (body: Readonly<Record<string, unknown>>) => boolean = () => true,
): Fault => onPath(end, ({ body, method }) => (method !== 'GET' && matches(body) ? accept : undefined));

const ignoredBootDevice: Fault = ({ body, method }) =>
  method === 'PATCH' && 'Boot' in body ? accept : undefined;

const insertFails = (id: string, text: string): Fault =>
  onPath('InsertMedia', () => refuseWith({ status: 400, id, text }));

describe('what a BMC says is the cause in the report', () => {
  it.each<[title: string, fault: Fault, answer: string, fix: string]>([
    [
      'an image that it cannot reach',
      insertFails('IDRAC.2.8.RAC0904', 'The remote file location is not accessible or reachable.'),
      'the BMC cannot fetch the image (The remote file location is not accessible or reachable)',
      'use --public-url with an address that the BMC can reach',
    ],
    [
      'a certificate that it rejects',
      insertFails('Base.1.8.GeneralError', 'The certificate of the server is not trusted.'),
      'the BMC cannot fetch the image (The certificate of the server is not trusted)',
      'use --public-url with an address that the BMC can reach; if it rejects the certificate',
    ],
    [
      'an image that it accepts and does not insert',
      ignored('VirtualMedia.InsertMedia'),
      'the slots 1, 2 stay empty after the BMC accepted the ISO',
      'make http://127.0.0.1:',
    ],
    [
      'a license',
      insertFails('iLO.2.14.LicenseKeyRequired', 'no license'),
      'the BMC has no license for this (no license)',
      'install the license of the BMC that contains virtual media',
    ],
  ])('%s', async (_title, fault, answer, fix) => {
    const { ended } = await bootFake({ fault }, { timeout: '1h' });
    const report = (await ended).report.replaceAll(/\s+/g, ' ');
    const [, causes = ''] = report.split('Proven: cannot be booted: ');
    expect(causes).toContain(answer);
    expect(causes).toContain(`fix: ${fix}`);
    expect(report).not.toContain('boot --check');
  });
});

describe('a status code is no proof', () => {
  it('a slot that stays empty is left for the next one', async () => {
    const { bmc, ended, said } = await bootFake({ fault: ignored('/1/Actions/VirtualMedia.InsertMedia') });
    expect(await ended).toMatchObject({ code: 0, error: undefined });
    expect(said()).toContain('slot 1 stays empty after the BMC accepted the ISO');
    expect(said()).toContain('inserted the ISO into slot 2');
    expect(bmc.state.images.size).toBe(0);
  });

  it.each(['system', 'manager'] as const)(
    'the slots of the other resource follow those of the %s',
    async (mediaOf) => {
      const model: BmcModel = {
        ...bmcModels.unknown,
        mediaOf,
        slots: [{ id: 'Cd', types: ['CD'] }],
        otherSlots: [{ id: 'Remote', types: ['CD'] }],
      };
      const first = mediaOf === 'system' ? 'Cd' : 'Remote';
      const { ended, said } = await bootFake({
        model,
        fault: ignored(`/${first}/Actions/VirtualMedia.InsertMedia`),
      });
      expect(await ended).toMatchObject({ code: 0, error: undefined });
      expect(said()).toContain(`inserted the ISO into slot ${first === 'Cd' ? 'Remote' : 'Cd'}`);
    },
  );

  it.each<[string, FakeBmcOptions, RegExp]>([
    [
      'slots',
      { fault: ignored('VirtualMedia.InsertMedia') },
      /cannot be booted: http:\/\/127\.0\.0\.1:\d+: the slots 1, 2 stay empty after the BMC accepted the ISO/,
    ],
    [
      'boot device',
      { fault: ignored('/System.Embedded.1', (body) => 'Boot' in body) },
      /the boot device is not set after the BMC accepted "Cd"/,
    ],
  ])('%s: named at once, and the machine is as before', async (_, fake, cause) => {
    const { bmc, ended } = await bootFake(fake, { timeout: '1h' });
    const { code, report } = await ended;
    expect(code).toBe(1);
    const text = report.replaceAll(/\s+/g, ' ');
    expect(text).toMatch(cause);
    expect(text).toMatch(/fix: .*the (?:Lifecycle Log|Virtual Console) of the iDRAC/);
    expect(bmc.state).toMatchObject({ power: 'Off', boot: initialBoot });
    expect(bmc.state.images.size).toBe(0);
  });

  it.each<[keyof typeof bmcModels, string]>([
    ['idrac9', 'the Virtual Console of the iDRAC'],
    ['ilo6', 'the Integrated Remote Console of the iLO'],
    ['xcc', 'the remote console of the XCC'],
    ['cimc', 'the vKVM console of the CIMC'],
    ['irmc', 'the video redirection (AVR) of the iRMC'],
    ['supermicro', 'the remote console of the BMC'],
    ['unknown', 'the remote console of the BMC'],
  ])('the hint about the boot device of %s names its console: %s', async (name, console) => {
    const { ended } = await bootFake({ model: bmcModels[name], fault: ignoredBootDevice });
    const { code, report } = await ended;
    expect(code).toBe(1);
    expect(report.replaceAll(/\s+/g, ' ')).toContain(
      `fix: set the boot device in ${console}, or use --method uefi-http`,
    );
  });

  it('a machine that is not powered on again is reported', async () => {
    let ons = 0;
    const fault = ignored('ComputerSystem.Reset', ({ ResetType: type }) => type === 'On' && ++ons > 1);
    const { ended, said } = await bootFake({ power: 'On', fault });
    expect((await ended).error?.message).toBe('1 machine not restored');
    expect(said()).toContain('the machine stays off after the BMC accepted "On"');
    expect(said()).toContain('it was on, and may be off');
  });

  it('a boot device that is not restored is reported with a command', async () => {
    let changes = 0;
    const fault: Fault = (request, count) =>
      ignored('ComputerSystem.Reset')(request, count) ??
      ignored('/System.Embedded.1', (body) => 'Boot' in body && ++changes > 1)(request, count);
    const { ended, said } = await bootFake({ fault });
    expect((await ended).error?.message).toBe('1 machine not restored');
    expect(said()).toContain('the boot device stays Cd after the BMC accepted its change');
    expect(said()).toMatch(/its boot device is not restored\nhint: run curl /);
  });
});

const withSlot = (slot: Partial<BmcModel['slots'][number]>, refuse: BmcModel['refuseInsert']): BmcModel => {
  const { refuseInsert: _, ...model } = bmcModels.unknown;
  return {
    ...model,
    slots: [{ id: 'Cd', types: ['CD'], ...slot }],
    ...(refuse !== undefined && { refuseInsert: refuse }),
  };
};
const unless =
  (isAccepted: (body: Readonly<Record<string, unknown>>) => boolean): BmcModel['refuseInsert'] =>
  (_slot, body) =>
    isAccepted(body) ? undefined : { status: 400, id: 'Base.1.8.GeneralError', text: 'no' };

describe('InsertMedia honours what the slot allows', () => {
  const upload = { 'TransferMethod@Redfish.AllowableValues': ['Upload'] };

  it.each<[string, BmcModel]>([
    [
      'only uploads',
      withSlot(
        { insert: upload },
        unless(({ TransferMethod: method }) => method === 'Upload'),
      ),
    ],
    [
      'parameters that its ActionInfo requires',
      withSlot(
        {
          actionInfo: [
            { Name: 'Image', Required: true },
            { Name: 'TransferProtocolType', Required: true, AllowableValues: ['NFS', 'http'] },
            { Name: 'TransferMethod', Required: true, AllowableValues: ['Upload', 'Stream'] },
          ],
        },
        unless((body) => body['TransferProtocolType'] === 'http' && body['TransferMethod'] === 'Stream'),
      ),
    ],
    [
      'nothing more than the image',
      withSlot(
        {},
        unless((body) => Object.keys(body).join() === 'Image'),
      ),
    ],
    [
      'credentials for images without any (NVIDIA DGX)',
      withSlot({}, (_slot, body) =>
        body['UserName'] === undefined || body['Password'] === undefined
          ? {
              status: 400,
              id: 'Base.1.15.ActionParameterMissing',
              text: 'The action InsertMedia requires the parameter UserName/Password to be present',
            }
          : undefined,
      ),
    ],
  ])('%s', async (_, model) => {
    const { ended, said } = await bootFake({ model });
    expect([(await ended).code, said()]).toEqual([0, expect.any(String)]);
  });

  it('a slot that cannot use the protocol is refused before a change', async () => {
    const insert = { 'TransferProtocolType@Redfish.AllowableValues': ['CIFS', 'HTTPS'] };
    const { bmc, ended, said } = await bootFake({ power: 'On', model: withSlot({ insert }, undefined) });
    expect((await ended).error?.message).toBe('no machine can be booted');
    expect(said()).toContain(
      'the virtual media slots support only images by CIFS, HTTPS, but the URL is http://…',
    );
    expect(bmc.changes()).toEqual([]);
  });
});

it('--leave says what it leaves, with the command that restores it', async () => {
  const { ended, said } = await bootFake({}, { leave: true });
  expect((await ended).code).toBe(0);
  expect(said()).toMatch(/127\.0\.0\.1 is left: slot 1 may contain the ISO\nhint: run curl /);
});

it.each([
  ['requires entity tags', bmcModels.xcc, true],
  ['has no entity tags', bmcModels.cimc, false],
])('the commands restore the machine of a BMC that %s', async (_, model, requiresTags) => {
  const { bmc, ended, said } = await bootFake({ model, requiresTags }, { leave: true });
  expect((await ended).code).toBe(0);
  const commands = commandsIn(said());
  const withTag = commands.filter((command) => command.includes(" -H 'If-Match: *' "));
  const changes = commands.filter((command) => command.includes(' -X PATCH '));
  expect(changes).not.toEqual([]);
  expect(withTag).toEqual(changes);
  expect(await runCommands(commands)).toEqual([]);
  expect([...bmc.state.images]).toEqual([]);
  expect(bmc.state.boot).toMatchObject(initialBoot);
});

const writeInventory = (extra: string, hosts: readonly string[]): void =>
  writeFileSync(
    join(folder, 'inv.yaml'),
    `agent: {ironic.apiUrls: 'http://192.0.2.1:6385'}\nbmc: {credentialsFile: bmc.yaml}\n${extra}hosts:\n${hosts.join('\n')}\n`,
  );

describe('hosts of an inventory', () => {
  it('boots the named hosts only, each from its own ISO', async () => {
    const place: { running?: RunningBoot } = {};
    const macs = [1, 2, 3].map((number) => `52:54:00:00:00:0${number}`);
    const [first, second, third] = await Promise.all(
      macs.map((one) =>
        startFakeBmc({
          model: bmcModels.ilo6,
          mac: one,
          onBoot: (image) => bootAndCallHome(image, one, () => place.running!),
        }),
      ),
    );
    bmcs.push(first!, second!, third!);
    writeInventory(
      '',
      [first!, second!, third!].map(
        ({ host }, index) =>
          `- {name: worker-${index}, mac: '${macs[index]}', bmc: {address: 'redfish-virtualmedia+http://${host}/redfish/v1/Systems/1'}}`,
      ),
    );
    place.running = startBoot(
      ['worker-0', 'worker-2'],
      {
        inventory: 'inv.yaml',
        iso: ['live.iso'],
        askBack: 'never',
        timeout: '20s',
        parallel: '1',
        grow: true,
      },
      { cwd: folder },
    );
    const { code, error, report } = await place.running.ended;
    expect([error, place.running.said()]).toEqual([undefined, expect.any(String)]);
    expect(report).toMatch(/^worker-0: called home.*^worker-2: called home/ms);
    expect(code).toBe(0);
    expect(second!.seen).toEqual([]);
    const images = [first!, third!].map(
      ({ seen }) => seen.find(({ path }) => path.endsWith('InsertMedia'))?.body['Image'],
    );
    expect(images).toEqual([
      expect.stringMatching(/\/worker-0\.iso$/),
      expect.stringMatching(/\/worker-2\.iso$/),
    ]);
  });

  it.each([
    [':0', ['127.0.0.1', '::1']],
    ['[::]:0', ['127.0.0.1', '::1']],
    ['[0:0::0]:0', ['127.0.0.1', '::1']],
    ['0.0.0.0:0', ['127.0.0.1']],
  ])('served on %s, each BMC gets an address of its own family', async (listen, own) => {
    const place: { running?: RunningBoot } = {};
    const images: string[] = [];
    const macs = ['52:54:00:00:00:01', '52:54:00:00:00:02'];
    const started = await Promise.all(
      own.map((address, index) =>
        startFakeBmc({
          address,
          mac: macs[index]!,
          onBoot: (image) => {
            images.push(new URL(image).hostname);
            bootAndCallHome(image, macs[index]!, () => place.running!);
          },
        }),
      ),
    );
    bmcs.push(...started);
    writeInventory(
      '',
      started.map(
        ({ host }, index) =>
          `- {name: w-${index}, mac: '${macs[index]}', bmc: {address: 'redfish-virtualmedia+http://${host}'}}`,
      ),
    );
    const options = {
      inventory: 'inv.yaml',
      iso: ['live.iso'],
      askBack: 'never',
      timeout: '20s',
      grow: true,
    };
    const servers = { listen, serveListen: listen };
    const names = started.map((_bmc, index) => `w-${index}`);
    place.running = startBoot(names, { ...options, ...servers }, { cwd: folder });
    const { code, error } = await place.running.ended;
    expect([error, code, place.running.said()]).toEqual([undefined, 0, expect.any(String)]);
    expect(images.toSorted()).toEqual(own.map((address) => withBrackets(address)));
  });

  it('the others are booted if one cannot be', async () => {
    const place: { running?: RunningBoot } = {};
    const good = await startFakeBmc({
      mac,
      onBoot: (image) => bootAndCallHome(image, mac, () => place.running!),
    });
    bmcs.push(good);
    const deploy = `deploy: {bmcAddress: 'redfish-virtualmedia+http://${good.host}'}`;
    writeInventory('', [
      `- {name: good, mac: '${mac}', ${deploy}}`,
      `- {name: bad, mac: '52:54:00:00:00:02', bmc: {address: 'redfish+http://127.0.0.1:1'}}`,
    ]);
    const options = {
      inventory: 'inv.yaml',
      iso: ['live.iso'],
      askBack: 'never',
      timeout: '20s',
      grow: true,
    };
    place.running = startBoot([], { ...options, all: true }, { cwd: folder });
    const { code, report } = await place.running.ended;
    expect(report).toMatch(/^good: called home/m);
    expect(report).toMatch(/^bad: did not call home/m);
    expect(report).toContain('connection refused');
    expect(code).toBe(1);
  });

  it('two hosts with the same system are refused, with and without its path', async () => {
    const bmc = await startFakeBmc();
    bmcs.push(bmc);
    writeInventory('', [
      `- {name: a, bmc: {address: 'redfish+http://${bmc.host}'}}`,
      `- {name: b, bmc: {address: 'redfish+http://${bmc.host}${bmc.systemPath}/'}}`,
    ]);
    const { error } = await startBoot(['a', 'b'], { inventory: 'inv.yaml' }, { cwd: folder }).ended;
    expect(error?.message).toBe('a and b are the same system of the same BMC');
    expect(bmc.changes()).toEqual([]);
  });

  it('the BMC of another host of the inventory is refused', async () => {
    const bmc = await startFakeBmc({ mac: '52:54:00:00:00:02', power: 'On' });
    bmcs.push(bmc);
    writeInventory('', [
      `- {name: a, mac: '${mac}', bmc: {address: 'redfish+http://${bmc.host}'}}`,
      `- {name: b, mac: '52:54:00:00:00:02'}`,
    ]);
    const options = { inventory: 'inv.yaml', iso: ['live.iso'], yes: true };
    const { ended, said } = startBoot(['a'], options, { cwd: folder });
    expect((await ended).error?.message).toBe('no machine can be booted');
    expect(said()).toContain('this is the BMC of b, because it lists the MAC address 52:54:00:00:00:02');
    expect(bmc.changes()).toEqual([]);
  });

  it('all hosts and names of hosts exclude each other', async () => {
    writeInventory('', [`- {name: a, mac: '${mac}'}`]);
    const { error } = await startBoot(['a'], { inventory: 'inv.yaml', all: true }, { cwd: folder }).ended;
    expect(error?.message).toBe('--all cannot be combined with names of hosts');
  });

  it.each<[string, string[], GivenBoot, string]>([
    ['a URL as a host', ['redfish://192.0.2.10'], {}, 'names of hosts require --inventory'],
    ['hosts without an inventory', ['w'], {}, 'names of hosts require --inventory'],
    ['nothing', [], {}, 'no machine to boot'],
    ['all hosts of no inventory', [], { all: true }, 'no machine to boot'],
    ['a BMC without an ISO', [], { bmc: 'https://192.0.2.1' }, '--bmc requires --iso'],
  ])('%s is a mistake', async (_title, names, options, message) => {
    expect((await startBoot(names, options, { cwd: folder }).ended).error?.message).toBe(message);
  });

  it.each<[string, string | Uint8Array, string]>([
    ['without certificates', Buffer.from([0x30, 0x82]), 'ca.pem contains no PEM certificate'],
    ['that was cut', '-----BEGIN CERTIFICATE-----\nMIIB', 'ca.pem contains a PEM block without an END line'],
  ])('a file %s is not accepted as CA certificates', async (_title, content, message) => {
    writeFileSync(join(folder, 'ca.pem'), content);
    const options = { bmc: 'https://192.0.2.1', check: true, caFile: 'ca.pem' };
    const env = { IRONIC_COREOS_BMC_USERNAME: 'root', IRONIC_COREOS_BMC_PASSWORD: 'x' };
    const { error } = await startBoot([], options, { cwd: folder, env }).ended;
    expect(error?.message).toBe(message);
  });

  it('an unknown key is reported with the one that is meant', async () => {
    writeInventory('', [`- {name: w, bmc: {addres: 'redfish://192.0.2.1'}}`]);
    const { ended, said } = startBoot(['w'], { inventory: 'inv.yaml' }, { cwd: folder });
    expect((await ended).error?.message).toBe('a host is invalid; nothing was booted');
    expect(said()).toContain('use "address"');
  });

  it.each<[string, string, RegExp]>([
    [
      'IPMI',
      `address: 'ipmi://192.0.2.1'`,
      /bmc\.address of w is invalid: IPMI does not support virtual media/,
    ],
    ['no scheme', `address: '192.0.2.1'`, /bmc\.address of w is invalid: the scheme is missing/],
    ['a port without scheme', `address: 'bmc.example.com:443'`, /the scheme is missing/],
    ['no address', `caFile: x`, /bmc\.address of w is missing/],
    ['a password', `address: 'redfish://root:calvin@192.0.2.1'`, /it contains a user/],
  ])('%s in the address is refused', async (_, bmc, message) => {
    writeInventory('', [`- {name: w, bmc: {${bmc}}}`]);
    const { error } = await startBoot(['w'], { inventory: 'inv.yaml' }, { cwd: folder }).ended;
    expect(error?.message).toMatch(message);
    expect(error?.message).not.toContain('calvin');
  });
});

describe('a port that is in use', () => {
  const other = createServer();
  beforeAll(() => new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve)));
  afterAll(() => other.close());

  it.each([
    ['listen', '--listen'],
    ['serveListen', '--serve-listen'],
  ])('of %s names %s', async (option, flag) => {
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : address;
    const { ended } = await bootFake({}, { [option]: `127.0.0.1:${port}` });
    const { error } = await ended;
    expect(error).toMatchObject({
      message: `Cannot listen on 127.0.0.1:${port}: the address is already in use`,
      hint: expect.stringMatching(new RegExp(` with ${flag}$`)),
    });
  });
});

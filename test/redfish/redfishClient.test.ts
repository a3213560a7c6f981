/** The Redfish client against a fake BMC: logins, retries, entity tags, tasks, and BMCs that answer badly. */

import { afterAll, describe, expect, it } from 'vitest';
import { CliError } from '../../src/core/errors.ts';
import { openRedfish, type RedfishClient, type RedfishSettings } from '../../src/redfish/redfishClient.ts';
import { connectionError } from '../../src/redfish/redfishError.ts';
import {
  bmcModels,
  bmcUser,
  type Fault,
  type FakeBmc,
  type FakeBmcOptions,
  refuseWith,
  startFakeBmc,
} from '../support/fakeBmc.ts';
import { tlsText } from '../support/serveFixtures.ts';

const timing = { connect: 5000, answer: 20_000, task: 20_000, logout: 5000, interval: 1 };
const running: { close: () => Promise<void> }[] = [];
afterAll(async () => {
  for (const one of running.splice(0).toReversed()) await one.close();
});

async function start(options: FakeBmcOptions = {}): Promise<FakeBmc> {
  const bmc = await startFakeBmc(options);
  running.push(bmc);
  return bmc;
}

async function open(bmc: FakeBmc, settings: Partial<RedfishSettings> = {}): Promise<RedfishClient> {
  const client = await openRedfish({
    origin: bmc.origin,
    ca: undefined,
    isInsecure: false,
    credentials: bmcUser,
    timing,
    ...settings,
  });
  running.push(client);
  return client;
}

const failureOf = async (promise: Promise<unknown>): Promise<CliError> => {
  const error: unknown = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (error instanceof CliError) return error;
  throw error;
};

const onSystem =
  (fault: Fault): Fault =>
  (request, count) =>
    request.path.startsWith('/redfish/v1/Systems/') ? fault(request, count) : undefined;

const refusal = (status: number, id: string, text: string) => refuseWith({ status, id, text });

describe('login', () => {
  it('opens a session, uses its token, and deletes it', async () => {
    const bmc = await start();
    const client = await open(bmc);
    await client.get(bmc.systemPath, 'reading the system');
    await client.close();
    expect(bmc.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /redfish/v1/',
      'POST /redfish/v1/SessionService/Sessions',
      `GET ${bmc.systemPath}`,
      'DELETE /redfish/v1/SessionService/Sessions/1',
    ]);
  });

  it.each<[string, FakeBmcOptions]>([
    ['without a session service', { model: { ...bmcModels.unknown, hasSessions: false } }],
    [
      'with too many sessions',
      {
        fault: ({ method }) =>
          method === 'POST' ? refusal(503, 'Base.1.8.SessionLimitExceeded', 'Too many sessions') : undefined,
      },
    ],
    [
      'with a session service that does not exist',
      { fault: ({ method }) => (method === 'POST' ? refusal(404, 'x', 'missing') : undefined) },
    ],
  ])('uses basic authentication for a BMC %s', async (_, options) => {
    const bmc = await start(options);
    const client = await open(bmc);
    expect((await client.get(bmc.systemPath, 'reading the system')).body['PowerState']).toBe('Off');
  });

  it('deletes its session behind port forwarding, where the BMC sends URLs with its own name', async () => {
    const headers = { 'X-Auth-Token': 't', Location: 'https://ilo.example.com/redfish/v1/Sessions/9' };
    const bmc = await start({
      fault: ({ method }) =>
        method === 'POST' ? (response) => void response.writeHead(201, headers).end('{}') : undefined,
    });
    await (await open(bmc)).close();
    expect(bmc.seen.at(-1)).toMatchObject({ method: 'DELETE', path: '/redfish/v1/Sessions/9' });
  });

  it('opens another session after the first one has expired', async () => {
    const bmc = await start();
    const client = await open(bmc);
    bmc.state.tokens.clear();
    expect((await client.get(bmc.systemPath, 'reading the system')).path).toBe(bmc.systemPath);
    expect(bmc.seen.filter(({ method }) => method === 'POST')).toHaveLength(2);
  });

  it('reports an invalid password without it', async () => {
    const bmc = await start();
    const error = await failureOf(open(bmc, { credentials: { username: 'admin', password: 'hunter2' } }));
    expect(error.message).toBe(
      `${bmc.origin}: logging in failed: the BMC rejects the user name or the password (Unauthorized)`,
    );
    expect(error.hint).toContain('credentials file');
  });
});

describe('TLS', () => {
  it.each([
    ['ERR_TLS_CERT_ALTNAME_INVALID', /is for other host names$/, 'use a name in the certificate'],
    ['CERT_HAS_EXPIRED', /has expired or is not valid yet$/, 'renew the certificate of the BMC'],
    ['INVALID_PURPOSE', /is not trusted$/, 'pass the CA certificate of the BMC'],
  ])('names the cause %s', (code, message, hint) => {
    const error = connectionError(Object.assign(new Error(code), { code }), 'https://192.0.2.1: reading');
    expect(error.code).toBe('ERR_TLS');
    expect(error.message).toMatch(message);
    expect(error.hint).toContain(hint);
  });

  it('verifies the certificate', async () => {
    const bmc = await start({ tls: true });
    const error = await failureOf(open(bmc));
    expect(error.code).toBe('ERR_TLS');
    expect(error.hint).toContain('--ca-file');
  });

  it.each<[string, Partial<RedfishSettings>]>([
    ['the CA certificate', { ca: tlsText('ca') }],
    ['no verification', { isInsecure: true }],
  ])('connects with %s', async (_, settings) => {
    const client = await open(await start({ tls: true }), settings);
    expect(client.root.makers).toEqual(['Dell']);
  });
});

describe('answers that are no success', () => {
  const cases: readonly (readonly [title: string, answer: ReturnType<Fault>, message: RegExp])[] = [
    ['garbage', (response) => void response.end('<html>'), /the response is not JSON$/],
    [
      'truncated JSON',
      (response) => {
        response.writeHead(200, { 'Content-Length': '100' });
        response.write('{"Id": "1"');
        response.socket?.end();
      },
      /the connection was interrupted$/,
    ],
    ['too large', (response) => void response.end(Buffer.alloc(5 * 1024 * 1024, 32)), /larger than 4 MiB$/],
    [
      'a redirect to another host',
      (response) => void response.writeHead(302, { Location: 'http://127.0.0.2:1/redfish/v1/' }).end(),
      /redirects to another address$/,
    ],
    [
      '403 license',
      refusal(403, 'iLO.2.14.LicenseKeyRequired', 'iLO Advanced is required.'),
      /the BMC has no license for this \(iLO Advanced is required\)$/,
    ],
    ['403', refusal(403, 'Base.1.8.InsufficientPrivilege', 'No.'), /the account may not do this \(No\)$/],
    [
      'a message with the password and an image URL',
      refusal(400, 'x', `bad: ${bmcUser.password} for https://u:p@192.0.2.1/secret-token/a.iso`),
      /HTTP status 400 \(bad: \(secret\) for http\(s\):\/\/192\.0\.2\.1\/…\)$/,
    ],
    ['500 without a body', (response) => void response.writeHead(500).end(), /the BMC failed$/],
  ];

  it.each(cases)('%s', async (_, answer, message) => {
    const bmc = await start({ fault: onSystem(() => answer) });
    const client = await open(bmc);
    const error = await failureOf(client.get(bmc.systemPath, 'reading the system'));
    expect(error.message).toMatch(message);
    expect(error.hint).toBeDefined();
    expect(`${error.message} ${error.hint}`).not.toContain(bmcUser.password);
  });

  it.each<[string, ReturnType<Fault>]>([
    ['hangs', () => undefined],
    [
      'sends a byte now and then',
      (response) => {
        const timer = setInterval(() => response.write(' '), 5);
        response.on('close', () => clearInterval(timer));
      },
    ],
  ])('a BMC that %s', async (_, answer) => {
    const bmc = await start({ fault: onSystem(() => answer) });
    const client = await open(bmc, { timing: { ...timing, answer: 200 } });
    const error = await failureOf(client.get(bmc.systemPath, 'reading the system'));
    expect(error.message).toMatch(/no complete response from the BMC within 0 seconds$/);
  });

  it('another web server', async () => {
    const bmc = await start({ fault: () => (response) => void response.end('{}') });
    expect((await failureOf(open(bmc))).message).toMatch(/it is not a Redfish service$/);
  });

  it('nobody listens', async () => {
    const bmc = await start();
    await bmc.close();
    expect((await failureOf(open(bmc))).message).toMatch(/connection refused$/);
  });
});

const busy =
  (status: number, headers: Record<string, string> = {}): Fault =>
  (_, count) =>
    count > 1 ? undefined : (response) => void response.writeHead(status, headers).end();

describe('retries', () => {
  it.each<[string, Fault]>([
    ['503 with Retry-After', busy(503, { 'Retry-After': '0' })],
    ['429', busy(429)],
    ['500', busy(500)],
  ])('reads again after %s', async (_, fault) => {
    const bmc = await start({ fault: onSystem(fault) });
    const client = await open(bmc);
    await client.get(bmc.systemPath, 'reading the system');
    expect(bmc.seen.filter(({ path }) => path === bmc.systemPath)).toHaveLength(2);
  });

  it('repeats an action that the BMC has not processed, and no other one', async () => {
    const reset = '/redfish/v1/Systems/System.Embedded.1/Actions/ComputerSystem.Reset';
    const post = onSystem((_, count) =>
      count > 1 ? undefined : refusal(400, 'iLO.2.14.UnableToModifyDuringSystemPOST', 'POST'),
    );
    const inPost = await start({ fault: post });
    await (
      await open(inPost)
    ).change({ method: 'POST', path: reset, body: { ResetType: 'On' } }, 'powering on');
    expect(inPost.state.power).toBe('On');
    const failing = await start({ fault: onSystem(busy(500)) });
    const error = await failureOf(
      (await open(failing)).change({ method: 'POST', path: reset, body: { ResetType: 'On' } }, 'powering on'),
    );
    expect(error.message).toMatch(/powering on failed: the BMC failed$/);
  });

  it('does not wait for hours', async () => {
    const bmc = await start({ fault: onSystem(busy(503, { 'Retry-After': '7200' })) });
    const error = await failureOf((await open(bmc)).get(bmc.systemPath, 'reading the system'));
    expect(error.message).toMatch(/the BMC is busy$/);
  });
});

const taskFault =
  (task: object): Fault =>
  ({ path }, count) => {
    if (path.endsWith('.Reset')) {
      return (response) =>
        void response.writeHead(202, { Location: '/redfish/v1/TaskService/Tasks/7' }).end();
    }
    const state = JSON.stringify(count < 3 ? { TaskState: 'Running' } : task);
    return path.endsWith('/Tasks/7') ? (response) => void response.end(state) : undefined;
  };

describe('changes', () => {
  it('sends a weak entity tag as a strong one after status 412', async () => {
    const bmc = await start({ model: bmcModels.ilo5 });
    const client = await open(bmc);
    const body = { Boot: { BootSourceOverrideTarget: 'Cd' } };
    await client.change({ method: 'PATCH', path: bmc.systemPath, body }, 'setting the boot device');
    expect(bmc.state.boot['BootSourceOverrideTarget']).toBe('Cd');
    expect(bmc.seen.filter(({ method }) => method === 'PATCH')).toHaveLength(2);
  });

  const reset = '/redfish/v1/Systems/System.Embedded.1/Actions/ComputerSystem.Reset';

  it('waits for a task', async () => {
    const bmc = await start({ fault: taskFault({ TaskState: 'Completed', TaskStatus: 'OK' }) });
    await (await open(bmc)).change({ method: 'POST', path: reset, body: {} }, 'powering on');
    expect(bmc.seen.filter(({ path }) => path.endsWith('/Tasks/7'))).toHaveLength(3);
  });

  it('reports why a task failed', async () => {
    const message = { MessageId: 'IDRAC.2.8.RAC0681', Message: 'The image cannot be opened.' };
    const bmc = await start({ fault: taskFault({ TaskState: 'Exception', Messages: [message] }) });
    const error = await failureOf(
      (await open(bmc)).change({ method: 'POST', path: reset, body: {} }, 'powering on'),
    );
    expect(error.message).toMatch(/powering on failed: .*\(The image cannot be opened\)$/);
  });

  it('ends when it is canceled', async () => {
    const controller = new AbortController();
    const bmc = await start({ fault: onSystem(() => () => controller.abort()) });
    const client = await open(bmc, { signal: controller.signal });
    expect((await failureOf(client.get(bmc.systemPath, 'reading the system'))).message).toMatch(
      /was canceled, 0 seconds after it was sent$/,
    );
  });
});

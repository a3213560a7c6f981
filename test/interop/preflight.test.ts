/**
 * `preflight` against real servers: the registry of Debian (distribution) without a login, with a password and with tokens, chronyd,
 * Ironic, and the Redfish service of sushy-tools.
 */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, listenLocally } from '../support/listening.ts';
import { have, oracleFile, oracleNote } from '../support/programs.ts';
import { pushImage } from '../support/pushImage.ts';
import { runCli } from '../support/runCli.ts';
import { tlsFile, tlsText } from '../support/serveFixtures.ts';

const folder = mkdtempSync(join(tmpdir(), 'preflight-'));
const closers: (() => unknown)[] = [];

afterAll(async () => {
  await Promise.all(closers.map((close) => close()));
  rmSync(folder, { recursive: true, force: true });
});

function start(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(program, args, { cwd: folder, stdio: 'ignore', env: { ...process.env, ...env } });
  closers.push(() => child.exitCode !== null || (child.kill() && once(child, 'exit')));
  return child;
}

async function untilAnswering(url: string): Promise<void> {
  const isAnswering = async (): Promise<boolean> =>
    fetch(url).then(
      () => true,
      () => false,
    );
  while (!(await isAnswering())) await sleep(100);
}

interface Check {
  readonly check: string;
  readonly status: string;
  readonly text: string;
}

interface Answered {
  readonly checks: readonly Check[];
  readonly code: number;
  /** Everything that was printed. */
  readonly printed: string;
}

/** @param agent settings of the inventory, in JSON */
async function ask(agent: object, host: object = {}): Promise<Answered> {
  const inventory = {
    agent: {
      'ironic.apiUrls': 'mdns',
      'agent.image': 'localhost/x',
      'agent.pullPolicy': 'never',
      'host.sshKeys': [],
      ...agent,
    },
    hosts: [{ name: 'worker-0', architecture: 'x86_64', ...host }],
  };
  writeFileSync(join(folder, 'ramdisk.yaml'), JSON.stringify(inventory));
  const args = ['preflight', '--inventory', 'ramdisk.yaml', '--format', 'json', '--timeout', '20s'];
  const { code, stderr, stdout } = await runCli(args, { cwd: folder, env: { IRONIC_AGENT_IMAGE: '' } });
  const { checks }: Answered = JSON.parse(stdout);
  return { checks, code, printed: stdout + stderr };
}

const user = 'puller';
const password = 'pa55:w"ord';
/** bcrypt of the password, as `htpasswd -B` writes it. */
const HTPASSWD = `${user}:$2b$04$lbrpdnNFg0KibPbmRiN47eYTyV7Az6gBU7NxsG7eI0HAjL4twG0C.\n`;

const authOf = (secret: string): string => Buffer.from(`${user}:${secret}`).toString('base64');
const secretFor = (registry: string, secret: string): string => {
  writeFileSync(
    join(folder, 'pull.json'),
    JSON.stringify({ auths: { [registry]: { auth: authOf(secret) } } }),
    {
      mode: 0o600,
    },
  );
  return 'pull.json';
};

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Tokens as in docs/spec/auth/jwt.md of distribution. */
const signToken = (scope: string): string => {
  const [, name = ''] = scope.split(':');
  const der = tlsText('server').replaceAll(/-----.*-----|\s/g, '');
  const now = Math.floor(Date.now() / 1000);
  const access = [{ type: 'repository', name, actions: ['pull'] }];
  const claims = {
    iss: 'test',
    aud: 'registry',
    sub: user,
    exp: now + 300,
    nbf: now - 10,
    iat: now,
    jti: randomUUID(),
    access,
  };
  const text = `${encode({ typ: 'JWT', alg: 'ES256', x5c: [der] })}.${encode(claims)}`;
  const key = { key: tlsText('server-key'), dsaEncoding: 'ieee-p1363' } as const;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
};

describe.skipIf(!have('docker-registry'))(`distribution${oracleNote('docker-registry')}`, () => {
  const registries = { open: '', password: '', token: '' };
  const realms: string[] = [];

  beforeAll(async () => {
    writeFileSync(join(folder, 'htpasswd'), HTPASSWD);
    writeFileSync(join(folder, 'roots.pem'), tlsText('server') + tlsText('ca'));
    const tokens = createServer(
      { key: tlsText('server-key'), cert: tlsText('server') },
      ({ headers, url = '' }, response) => {
        realms.push(url);
        const query = new URL(url, 'https://localhost').searchParams;
        const isKnown = headers.authorization === `Basic ${authOf(password)}`;
        const token = isKnown ? signToken(query.get('scope') ?? '') : undefined;
        response.writeHead(isKnown ? 200 : 401).end(JSON.stringify({ token }));
      },
    );
    const realm = `https://localhost:${await listenLocally(tokens)}/token`;
    closers.push(() => tokens.close());
    const auths = {
      open: {},
      password: { auth: { htpasswd: { realm: 'test', path: join(folder, 'htpasswd') } } },
      token: {
        auth: {
          token: { realm, service: 'registry', issuer: 'test', rootcertbundle: join(folder, 'roots.pem') },
        },
      },
    };
    for (const [name, auth] of Object.entries(auths)) {
      const port = await freePort();
      const tls =
        name === 'open' ? {} : { tls: { certificate: tlsFile('server'), key: tlsFile('server-key') } };
      const conf = {
        version: '0.1',
        storage: { filesystem: { rootdirectory: join(folder, 'registry') } },
        http: { addr: `127.0.0.1:${port}`, secret: 'x', ...tls },
        ...auth,
      };
      writeFileSync(join(folder, `${name}.yml`), JSON.stringify(conf));
      start(oracleFile('docker-registry'), ['serve', `${name}.yml`]);
      Object.assign(registries, { [name]: `localhost:${port}` });
    }
    const origin = `http://${registries.open}`;
    await untilAnswering(`${origin}/v2/`);
    await pushImage(origin, { name: 'team/agent', tag: 'both', architectures: ['amd64', 'arm64'] });
    await pushImage(origin, { name: 'team/agent', tag: 'arm', architectures: ['arm64'] });
    for (const name of ['password', 'token'] as const) {
      const isListening = async (): Promise<boolean> =>
        runCli(['inspect', `https://${registries[name]}/`]).then(({ stderr }) => !stderr.includes('refused'));
      while (!(await isListening())) await sleep(100);
    }
  });

  const image = (registry: keyof typeof registries, tag: string, more: object = {}): object => ({
    'agent.image': `${registries[registry]}/team/agent:${tag}`,
    'agent.pullPolicy': 'always',
    ...more,
  });
  const trusted = { 'ironic.caFiles': [tlsFile('ca')] };

  it.each<[title: string, agent: () => object, status: string, text: RegExp]>([
    [
      'has an image for several architectures',
      () => image('open', 'both', { 'agent.insecureRegistry': true }),
      'ok',
      /the image is for x86_64, aarch64$/,
    ],
    [
      'has an image for another architecture',
      () => image('open', 'arm', { 'agent.insecureRegistry': true }),
      'error',
      /the image is for aarch64, but the host is x86_64$/,
    ],
    [
      'has no such tag',
      () => image('open', 'none', { 'agent.insecureRegistry': true }),
      'error',
      /the registry has no such image$/,
    ],
    ['does not use TLS', () => image('open', 'both'), 'error', /the server does not use TLS on this port$/],
    ['is not trusted', () => image('password', 'both'), 'error', /its TLS certificate is not trusted$/],
    ['requires a login', () => image('password', 'both', trusted), 'error', /the registry requires a login$/],
    [
      'accepts a password',
      () =>
        image('password', 'both', {
          ...trusted,
          'agent.pullSecret': secretFor(registries.password, password),
        }),
      'ok',
      /x86_64, aarch64$/,
    ],
    [
      'rejects a password',
      () =>
        image('password', 'both', {
          ...trusted,
          'agent.pullSecret': secretFor(registries.password, 'wrong pa55'),
        }),
      'error',
      /the registry rejects the entry for localhost:\d+ in the pull secret$/,
    ],
    [
      'accepts the token for a password',
      () => image('token', 'both', { ...trusted, 'agent.pullSecret': secretFor(registries.token, password) }),
      'ok',
      /x86_64, aarch64$/,
    ],
    [
      'names a server for tokens that rejects a password',
      () =>
        image('token', 'both', { ...trusted, 'agent.pullSecret': secretFor(registries.token, 'wrong pa55') }),
      'error',
      /the registry rejects the entry/,
    ],
    [
      'names a server for tokens',
      () => image('token', 'both', trusted),
      'error',
      /the registry requires a login$/,
    ],
  ])('%s', async (_, agent, status, text) => {
    const { checks, code, printed } = await ask(agent());
    const check = checks.find((one) => one.check === 'registry');
    expect(check).toMatchObject({ status, text: expect.stringMatching(text) });
    expect(code).toBe(status === 'ok' ? 0 : 1);
    for (const secret of [password, 'wrong pa55', authOf(password), authOf('wrong pa55')])
      expect(printed).not.toContain(secret);
  });

  it('asks for a token only for the repository, and only to read', () => {
    const scopes = realms.map((url) => new URL(url, 'https://localhost').searchParams.get('scope'));
    expect(new Set(scopes)).toEqual(new Set(['repository:team/agent:pull']));
  });
});

const chrony = async (lines: string): Promise<Check | undefined> => {
  const port = await freePort();
  writeFileSync(
    join(folder, 'chrony.conf'),
    `port ${port}\ncmdport 0\nbindcmdaddress /\npidfile ${join(folder, 'chrony.pid')}\nallow\n${lines}`,
  );
  const child = start(oracleFile('chronyd'), [
    '-x',
    '-d',
    '-u',
    userInfo().username,
    '-f',
    join(folder, 'chrony.conf'),
  ]);
  await sleep(1500);
  writeFileSync(join(folder, 'time.conf'), `server 127.0.0.1 iburst port ${port}\n`);
  const { checks } = await ask({ 'ignition.files': ['/etc/chrony.d/time.conf=time.conf'] });
  child.kill();
  return checks.find(({ check }) => check === 'time');
};

describe.skipIf(!have('chronyd'))(`chronyd${oracleNote('chronyd')}`, () => {
  it('has a time', async () => {
    expect(await chrony('local stratum 5\n')).toEqual(
      expect.objectContaining({ status: 'ok', text: 'NTP server 127.0.0.1 answers' }),
    );
  });

  it('is not synchronized itself', async () => {
    expect(await chrony('')).toEqual(
      expect.objectContaining({ status: 'error', text: 'NTP server 127.0.0.1: it has no time for clients' }),
    );
  });
});

describe.skipIf(!have('Ironic'))(`Ironic${oracleNote('Ironic')}`, () => {
  let api = '';

  beforeAll(async () => {
    const port = await freePort();
    const work = join(folder, 'ironic');
    for (const name of ['state', 'tmp', 'http']) mkdirSync(join(work, name), { recursive: true });
    const values = { WORK: work, API_PORT: port, GATEWAY: '127.0.0.1', HTTP_PORT: 1, FRONT_PORT: port };
    const template = readFileSync(join(import.meta.dirname, 'chain/ironic/ironic.conf'), 'utf8');
    const conf = Object.entries(values).reduce(
      (text, [key, value]) => text.replaceAll(`@${key}@`, String(value)),
      template,
    );
    writeFileSync(join(work, 'ironic.conf'), conf);
    const settings = ['--config-file', join(work, 'ironic.conf')];
    const programs = dirname(oracleFile('Ironic'));
    execFileSync(join(programs, 'ironic-dbsync'), [...settings, 'create_schema'], { stdio: 'pipe' });
    start(join(programs, 'ironic'), settings, { TMPDIR: join(work, 'tmp') });
    api = `http://127.0.0.1:${port}`;
    await untilAnswering(api);
  }, 120_000);

  it('answers, and is not changed', async () => {
    const { checks, code } = await ask({
      'ironic.apiUrls': api,
      'ironic.inspectionCallbackUrls': `${api}/v1/continue_inspection`,
    });
    expect(checks.map(({ check, status, text }) => [check, status, text])).toEqual([
      ['ironic', 'ok', expect.stringMatching(/Ironic API 1\.\d+$/)],
      ['clock', 'ok', expect.stringContaining('Ironic and this machine differ by')],
      ['inspection', 'ok', expect.stringMatching(/\/v1\/continue_inspection answers$/)],
    ]);
    expect(code).toBe(0);
  });

  it('has no such path for inspection data', async () => {
    const { checks, code } = await ask({
      'ironic.apiUrls': api,
      'ironic.inspectionCallbackUrls': `${api}/v1/continue`,
    });
    expect(checks.find(({ check }) => check === 'inspection')).toMatchObject({
      status: 'error',
      text: `${api}/v1/continue: the server returned HTTP status 404`,
    });
    expect(code).toBe(1);
  });
});

describe.skipIf(!have('sushy-emulator'))(`sushy-tools${oracleNote('sushy-emulator')}`, () => {
  let bmc = '';

  beforeAll(async () => {
    const port = await freePort();
    writeFileSync(join(folder, 'htpasswd'), HTPASSWD);
    writeFileSync(
      join(folder, 'emulator.conf'),
      `SUSHY_EMULATOR_FAKE_DRIVER = True
SUSHY_EMULATOR_STATE_DIR = ${JSON.stringify(folder)}
SUSHY_EMULATOR_AUTH_FILE = ${JSON.stringify(join(folder, 'htpasswd'))}
SUSHY_EMULATOR_FAKE_SYSTEMS = [{'uuid': '27946b59-9e44-4fa7-8e91-f3527a1ef094', 'name': 'fake', 'power_state': 'Off', 'nics': []}]
`,
    );
    start(oracleFile('sushy-emulator'), [
      '--config',
      'emulator.conf',
      '--fake',
      '-i',
      '127.0.0.1',
      '-p',
      String(port),
    ]);
    bmc = `http://127.0.0.1:${port}`;
    await untilAnswering(bmc);
  });

  it.each([
    ['accepts the password', password, 'ok', /sushy-tools.*slots: .*; UEFI HTTP boot: /],
    ['rejects another password', 'wrong pa55', 'error', /rejects the user name or the password/],
  ])('%s', async (_, secret, status, text) => {
    writeFileSync(join(folder, 'bmc.yaml'), JSON.stringify({ username: user, password: secret }), {
      mode: 0o600,
    });
    const address = `redfish-virtualmedia+${bmc}/redfish/v1/Systems/27946b59-9e44-4fa7-8e91-f3527a1ef094`;
    const { checks, printed } = await ask({}, { bmc: { address, credentialsFile: 'bmc.yaml' } });
    expect(checks.find(({ check }) => check === 'bmc')).toMatchObject({
      status,
      text: expect.stringMatching(text),
    });
    expect(printed).not.toContain(secret);
  });
});

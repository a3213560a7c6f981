/** `preflight` against servers of the test: what it reports, that it only reads, and that secrets go only to their servers. */

import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { startConnectProxy } from '../../support/connectProxy.ts';
import { bmcModels, bmcUser, type FakeBmcOptions, startFakeBmc } from '../../support/fakeBmc.ts';
import { freePort, listenLocally } from '../../support/listening.ts';
import { runCli } from '../../support/runCli.ts';
import { tlsFile, tlsText } from '../../support/serveFixtures.ts';

const folder = mkdtempSync(join(tmpdir(), 'preflight '));
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Requests to all servers of a test: `GET http://127.0.0.1/…`, with the login. */
const seen: string[] = [];

interface ServedBy {
  readonly tls?: boolean;
}

/** @returns the origin; with TLS that of a certificate for localhost */
async function serve(listener: RequestListener, { tls = false }: ServedBy = {}): Promise<string> {
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`);
    listener(request, response);
  };
  const server = tls
    ? createHttpsServer({ key: tlsText('server-key'), cert: tlsText('server') }, answer)
    : createHttpServer(answer);
  const port = await listenLocally(server);
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `${tls ? 'https://localhost' : 'http://127.0.0.1'}:${port}`;
}

/** As the API of Ironic 39 answers. */
const ironic: RequestListener = ({ url }, response) => {
  if (url === '/') {
    response.end(JSON.stringify({ name: 'OpenStack Ironic API', default_version: { version: '1.115' } }));
  } else response.writeHead(url === '/v1/continue_inspection' ? 405 : 404).end();
};

/** Accepts connections and never says anything. */
async function startSilence(): Promise<number> {
  const server: Server = createServer((socket) => {
    closers.push(() => socket.destroy());
    socket.on('error', () => undefined);
  });
  closers.push(() => server.close());
  return listenLocally(server);
}

interface Check {
  readonly check: string;
  readonly status: string;
  readonly text: string;
  readonly hint?: string;
  readonly hosts: readonly string[];
}

interface Report {
  readonly passed: boolean;
  readonly hosts: readonly { readonly name: string; readonly passed: boolean }[];
  readonly checks: readonly Check[];
}

interface Given {
  /** Settings of the agent. */
  readonly agent?: object;
  /** Null for an inventory without hosts. */
  readonly hosts?: readonly object[] | null;
  /** Other keys of the inventory. */
  readonly more?: object;
  readonly args?: readonly string[];
  readonly timeout?: string;
}

async function run({
  agent = {},
  args = [],
  hosts = [{ name: 'worker-0' }],
  more = {},
  timeout = '1s',
}: Given) {
  const quiet = { 'ironic.apiUrls': 'mdns', 'agent.image': 'localhost/x', 'agent.pullPolicy': 'never' };
  const inventory = {
    agent: { ...quiet, 'host.sshKeys': [], ...agent },
    ...(hosts !== null && { hosts }),
    ...more,
  };
  writeFileSync(join(folder, 'ramdisk.yaml'), JSON.stringify(inventory));
  const all = ['preflight', '--inventory', 'ramdisk.yaml', '--timeout', timeout, ...args];
  const env = {
    IRONIC_AGENT_IMAGE: '',
    IRONIC_COREOS_BMC_USERNAME: bmcUser.username,
    IRONIC_COREOS_BMC_PASSWORD: bmcUser.password,
  };
  return runCli(all, { cwd: folder, env });
}

const isReport = new Ajv().compile<Report>(
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../schemas/preflight.json'), 'utf8')),
);

async function ask({ args = [], ...given }: Given) {
  const { code, stderr, stdout } = await run({ ...given, args: [...args, '--format', 'json'] });
  const report: unknown = JSON.parse(stdout);
  if (!isReport(report)) throw new Error(JSON.stringify(isReport.errors));
  return { ...report, code, printed: `${stdout}${stderr}` };
}

/** `check status text` of each check, with a hint if there is one. */
const linesOf = ({ checks }: Report): readonly string[] =>
  checks.map(
    ({ check, hint, status, text }) => `${check} ${status} ${text}${hint === undefined ? '' : ` (${hint})`}`,
  );

describe('Ironic', () => {
  interface Case {
    readonly title: string;
    /** Settings, with the origin of the server in place of ORIGIN and a port without a server for NONE. */
    readonly agent: object;
    readonly listener?: RequestListener;
    readonly tls?: true;
    readonly code: 0 | 1;
    readonly lines: readonly RegExp[];
  }
  const api = { 'ironic.apiUrls': 'ORIGIN' };
  const trusted = { 'ironic.caFiles': [tlsFile('ca')] };

  it.each<Case>([
    {
      title: 'answers',
      agent: { ...api, 'ironic.inspectionCallbackUrls': 'ORIGIN/v1/continue_inspection' },
      code: 0,
      lines: [
        /^ironic ok http:\S+\/: Ironic API 1\.115$/,
        /^clock ok Ironic and this machine differ by /,
        /^inspection ok http:\S+\/v1\/continue_inspection answers$/,
      ],
    },
    {
      title: 'is another web server',
      agent: api,
      listener: (_, response) => response.end('<html>'),
      code: 1,
      lines: [
        /^ironic error http:\S+: no API of Ironic; the server returned HTTP status 200 \(fix ironic\.apiUrls/,
      ],
    },
    {
      title: 'has another path for inspection data',
      agent: { ...api, 'ironic.inspectionCallbackUrls': 'ORIGIN/v1/continue' },
      code: 1,
      lines: [
        /^ironic ok/,
        /^clock ok/,
        /^inspection error http:\S+\/v1\/continue: .* status 404 \(fix ironic\.insp/,
      ],
    },
    {
      title: 'has a certificate of the CA that the host gets',
      agent: { ...api, ...trusted },
      tls: true,
      code: 0,
      lines: [/^ironic ok https:/, /^clock ok/],
    },
    {
      title: 'has a certificate of a CA that the host does not get',
      agent: { ...api, 'ironic.caFiles': [tlsFile('other-ca')] },
      tls: true,
      code: 1,
      lines: [/^ironic error https:\S+: its TLS certificate is not trusted \(set ironic\.caFiles/],
    },
    {
      title: 'has no certificate of a public CA',
      agent: api,
      tls: true,
      code: 1,
      lines: [/^ironic error https:\S+: its TLS certificate is not trusted/],
    },
    {
      title: 'is not verified by the agent',
      agent: { ...api, 'ironic.insecure': true },
      tls: true,
      code: 0,
      lines: [
        /^ironic ok https:\S+: Ironic API 1\.115, with a certificate that is not verified$/,
        /^clock ok/,
      ],
    },
    {
      title: 'has two URLs, of which the second answers',
      agent: { 'ironic.apiUrls': 'http://127.0.0.1:NONE,ORIGIN' },
      code: 0,
      lines: [/^ironic warning http:\S+: connection refused/, /^ironic ok/, /^clock ok/],
    },
    {
      title: 'does not listen',
      agent: { 'ironic.apiUrls': 'http://127.0.0.1:NONE' },
      code: 1,
      lines: [/^ironic error http:\S+: connection refused/],
    },
    {
      title: 'has a clock days behind',
      agent: api,
      listener: (request, response) => {
        response.setHeader('Date', new Date('2020-01-01').toUTCString());
        ironic(request, response);
      },
      code: 0,
      lines: [/^ironic ok/, /^clock warning the clock of Ironic is \d+ days behind/],
    },
  ])('$title', async ({ agent, code, lines, listener = ironic, tls = false }) => {
    const text = JSON.stringify(agent)
      .replaceAll('ORIGIN', await serve(listener, { tls }))
      .replaceAll('NONE', String(await freePort()));
    const report = await ask({ agent: JSON.parse(text) });
    expect(linesOf(report)).toEqual(lines.map((line) => expect.stringMatching(line)));
    expect(report.code).toBe(code);
  });

  it.each([
    ['http', 'the response'],
    ['https', 'the TLS handshake'],
  ])('%s without an answer', async (scheme, awaited) => {
    const url = `${scheme}://127.0.0.1:${await startSilence()}`;
    const report = await ask({ agent: { 'ironic.apiUrls': url } });
    expect(linesOf(report)).toEqual([
      expect.stringContaining(`ironic error ${url}/: no response within 1 second, waiting for ${awaited}`),
    ]);
  });

  it('a check that takes long is named', async () => {
    const url = `http://127.0.0.1:${await startSilence()}`;
    const { stderr } = await run({ agent: { 'ironic.apiUrls': url }, timeout: '8s' });
    expect(stderr).toBe(`info: waiting for ${url}/; no response for 5 seconds\n`);
  }, 20_000);
});

it('Ctrl-C ends all checks', async () => {
  const url = `http://127.0.0.1:${await startSilence()}`;
  const inventory = { agent: { 'ironic.apiUrls': url, 'agent.pullPolicy': 'never', 'host.sshKeys': [] } };
  writeFileSync(join(folder, 'silent.yaml'), JSON.stringify(inventory));
  const started = performance.now();
  const { code, stderr, stdout } = await runCli(
    ['preflight', '--inventory', 'silent.yaml', '--timeout', '10m'],
    { cwd: folder, stopAt: /waiting for/ },
  );
  expect([code, stdout, stderr.split('\n')[1]]).toEqual([1, '', 'error: canceled']);
  expect(performance.now() - started).toBeLessThan(60_000);
}, 90_000);

describe('a file', () => {
  const size = 2 * 1024 * 1024;
  const ranged: RequestListener = (_, response) => {
    response.writeHead(206, { 'content-range': `bytes 0-0/${size}`, 'content-length': 1 }).end('x');
  };
  it.each<[title: string, listener: RequestListener, line: RegExp, tls?: boolean]>([
    ['of a server with ranges', ranged, /^boot-file ok kernel http:\S+\/kernel: 2 MiB$/],
    [
      'of a server without ranges, of which only the start is read',
      (_, response) => response.writeHead(200, { 'content-length': size }).write('x'),
      /^boot-file ok kernel http:\S+: 2 MiB$/,
    ],
    [
      'behind a redirect',
      (request, response) => {
        if (request.url === '/kernel') response.writeHead(302, { location: '/other' }).end();
        else ranged(request, response);
      },
      /^boot-file ok kernel http:\S+\/kernel: 2 MiB$/,
    ],
    [
      'that is forbidden',
      (_, response) => response.writeHead(403).end(),
      /^boot-file error kernel \S+: .* status 403 \(publish/,
    ],
    [
      'that is an error page',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html', 'content-length': size }).end(),
      /^boot-file error kernel \S+: it is a web page/,
    ],
    [
      'that is too small',
      (_, response) => response.end('x'.repeat(1024)),
      /^boot-file error kernel \S+: 1 KiB is too small/,
    ],
    [
      'with a certificate of a CA of the boot loader',
      ranged,
      /^boot-file warning kernel \S+: its TLS certificate is not/,
      true,
    ],
  ])('%s', async (_, listener, line, tls = false) => {
    const origin = await serve(listener, { tls });
    const report = await ask({ more: { deploy: { deployKernel: `${origin}/kernel?token=hunter2` } } });
    expect(linesOf(report).slice(0, 1)).toEqual([expect.stringMatching(line)]);
    expect(report.printed).not.toContain('hunter2');
  });

  it('not of the ramdisk and the image of all hosts that a host replaces', async () => {
    const origin = await serve(ranged);
    const deploy = { deployIso: `${origin}/a`, imageSource: `${origin}/b`, imageChecksum: `${origin}/c` };
    const own = { deployKernel: `${origin}/d`, deployRamdisk: `${origin}/e`, bootIso: `${origin}/f` };
    const { checks } = await ask({ hosts: [{ name: 'worker-0', deploy: own }], more: { deploy } });
    expect(checks.map(({ text }) => text.replace(`${origin}/`, '').replace(/:.*/, ''))).toEqual([
      'kernel d',
      'initramfs e',
      'live ISO f',
    ]);
  });

  it('of each setting with a URL, for all hosts once', async () => {
    const origin = await serve(ranged);
    const deploy = {
      deployKernel: `${origin}/a`,
      deployRamdisk: `${origin}/b`,
      kernelAppendParams: `coreos.live.rootfs_url=${origin}/c ignition.config.url=${origin}/{name}.ign`,
      imageSource: `${origin}/d`,
      imageChecksum: 'f'.repeat(64),
    };
    const agent = { 'boot.rootfsUrl': `${origin}/e`, 'boot.ignitionUrl': 'tftp://192.0.2.1/x' };
    const hosts = [{ name: 'worker-0' }, { name: 'worker-1' }];
    seen.length = 0;
    const { checks } = await ask({ agent, hosts, more: { deploy } });
    expect(
      checks.map(({ hosts: { length }, text }) => `${text.replace(`${origin}/`, '')} ${length}`),
    ).toEqual([
      'kernel a: 2 MiB 2',
      'initramfs b: 2 MiB 2',
      'image d: 2 MiB 2',
      'root filesystem e: 2 MiB 2',
      'root filesystem c: 2 MiB 2',
      'Ignition config worker-0.ign: 2 MiB 1',
      'Ignition config worker-1.ign: 2 MiB 1',
    ]);
    expect(seen).toHaveLength(7);
  });
});

/** The folder, with changes. Without bytes the server has no access. */
const prepared = async (change: (path: string, bytes: Buffer) => Buffer | undefined): Promise<string> => {
  return serve(({ url = '' }, response) => {
    try {
      const bytes = change(url, readFileSync(join(folder, 'boot', url)));
      if (bytes === undefined) response.writeHead(403).end();
      else response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
};

describe('--base-url', () => {
  const inventory = {
    agent: { 'ironic.apiUrls': 'mdns' },
    hosts: [{ name: 'worker-0', mac: '52:54:00:00:00:01' }],
  };

  it.each<[title: string, change: (path: string, bytes: Buffer) => Buffer | undefined, errors: RegExp[]]>([
    ['all files', (_, bytes) => bytes, []],
    [
      'a config that the web server cannot read',
      (path, bytes) => (path.endsWith('.ign') ? undefined : bytes),
      [/^boot-file error file http:\S+\.ign: the server returned HTTP status 403/],
    ],
    [
      'an image of another build',
      (path, bytes) => (path.endsWith('.rootfs') ? bytes.subarray(1) : bytes),
      [/^boot-file error file http:\S+\.rootfs: \d+ bytes, but \d+ in the manifest/],
    ],
  ])('%s', async (_, change, errors) => {
    writeFileSync(
      join(folder, 'prepared.yaml'),
      JSON.stringify({
        ...inventory,
        agent: { ...inventory.agent, 'agent.image': 'registry.example.com/x' },
      }),
    );
    await runCli(['quickstart', '-C', 'quickstart'], { cwd: folder });
    const images = join(folder, 'quickstart', 'sample-live.iso');
    const args = [
      'prepare',
      '--inventory',
      'prepared.yaml',
      '--iso',
      images,
      '--base-url',
      'http://192.0.2.1',
    ];
    const { stderr } = await runCli([...args, '-o', 'boot', '--force'], { cwd: folder });
    expect(stderr).toContain('boot');
    const report = await ask({ ...inventory, args: ['--base-url', await prepared(change)] });
    expect(linesOf(report).filter((line) => line.includes(' error '))).toEqual(
      errors.map((line) => expect.stringMatching(line)),
    );
    const names = report.checks.flatMap(({ text }) => /[^/.]+$|[^/]+(?=: )/.exec(text)?.[0] ?? []);
    expect(names.some((name) => name.endsWith('.ign'))).toBe(true);
    expect(names.filter((name) => name.startsWith('ironic-python-agent'))).toHaveLength(3);
  });

  it('a host that was not prepared', async () => {
    const hosts = [...inventory.hosts, { name: 'worker-1' }];
    const report = await ask({
      ...inventory,
      hosts,
      args: ['--base-url', await prepared((_, bytes) => bytes)],
    });
    expect(linesOf(report).filter((line) => line.includes(' error '))).toEqual([
      'boot-file error the manifest of --base-url does not contain worker-1 (run prepare again, and publish all of its files)',
    ]);
  });

  it('the files of machines that no inventory lists', async () => {
    const agent = { ...inventory.agent, 'agent.image': 'registry.example.com/x' };
    writeFileSync(join(folder, 'unlisted.yaml'), JSON.stringify({ agent }));
    await runCli(['quickstart', '-C', 'quickstart'], { cwd: folder });
    const iso = join(folder, 'quickstart', 'sample-live.iso');
    const args = ['prepare', '--inventory', 'unlisted.yaml', '--iso', iso, '--base-url', 'http://192.0.2.1'];
    await runCli([...args, '-o', 'boot', '--force'], { cwd: folder });
    const { checks } = await ask({ hosts: null, args: ['--base-url', await prepared((_, bytes) => bytes)] });
    const names = checks.flatMap(({ text }) => /[^/.]+\.[a-z]+(?=: )/.exec(text)?.[0] ?? []);
    expect(names.toSorted()).toEqual([
      'config.ign',
      'ironic-python-agent.initramfs',
      'ironic-python-agent.kernel',
      'ironic-python-agent.rootfs',
    ]);
  });

  it('a server without a prepared folder', async () => {
    const origin = await serve((_, response) => response.writeHead(404).end());
    const { code, stderr } = await run({ args: ['--base-url', origin] });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/manifest\.json: .* status 404\nhint: use the URL/),
    ]);
  });
});

const startRefusing = async (): Promise<number> => {
  const proxy = await startConnectProxy({ origin: 'http://127.0.0.1:1' });
  closers.push(proxy.close);
  return Number(new URL(proxy.url).port);
};

describe('a proxy', () => {
  const source = 'http://files.example.com/agent.conf';
  const merged = (): void =>
    writeFileSync(
      join(folder, 'site.ign'),
      JSON.stringify({
        ignition: { version: '3.4.0' },
        storage: { files: [{ path: '/etc/site', contents: { source } }] },
      }),
    );

  it('is used for what Ignition fetches, and not for Ironic', async () => {
    merged();
    const asked: string[] = [];
    const proxy = await serve(({ headers, url = '' }, response) => {
      asked.push(`${url} ${headers['proxy-authorization'] ?? ''}`);
      response.end('x');
    });
    const agent = {
      'ironic.apiUrls': await serve(ironic),
      'ignition.merge': ['site.ign'],
      'proxy.http': proxy.replace('//', '//user:hunter2@'),
    };
    const report = await ask({ agent });
    expect(linesOf(report)).toEqual([
      `ignition ok file ${source}: 1 byte, through the proxy ${proxy}/`,
      expect.stringMatching(/^ironic ok/),
      expect.stringMatching(/^clock ok/),
    ]);
    expect(asked).toEqual([`${source} Basic ${Buffer.from('user:hunter2').toString('base64')}`]);
    expect(report.printed).not.toContain('hunter2');
  });

  it.each([
    ['does not listen', () => freePort(), /connection refused through the proxy http:/],
    ['rejects the login', () => startRefusing(), /the proxy returned HTTP status 407 through the proxy/],
  ])('%s', async (_, start, text) => {
    const port = await start();
    const agent = {
      'agent.image': 'registry.example.com/ironic-agent',
      'agent.pullPolicy': 'always',
      'proxy.https': `http://user:other@127.0.0.1:${port}`,
    };
    const report = await ask({ agent });
    expect(linesOf(report)).toEqual([expect.stringMatching(text)]);
    expect(report.code).toBe(1);
  });
});

describe('a registry', () => {
  it('gets no login of another registry', async () => {
    const origin = await serve((_, response) => {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end('{}');
    });
    const auth = Buffer.from('puller:hunter2').toString('base64');
    writeFileSync(join(folder, 'pull.json'), JSON.stringify({ auths: { 'other.example.com': { auth } } }), {
      mode: 0o600,
    });
    seen.length = 0;
    const agent = {
      'agent.image': `${new URL(origin).host}/team/agent`,
      'agent.pullPolicy': 'always',
      'agent.insecureRegistry': true,
      'agent.pullSecret': 'pull.json',
    };
    const report = await ask({ agent });
    expect(linesOf(report)).toEqual([
      expect.stringMatching(/^registry error \S+: the registry requires a login/),
    ]);
    expect(seen.join('\n')).not.toContain(auth);
  });

  it('gets no login if it names a server for tokens without TLS', async () => {
    const tokens = await serve((_, response) => response.end('{"token":"x"}'));
    const origin = await serve(
      (_, response) => {
        response
          .writeHead(401, { 'www-authenticate': `Bearer realm="${tokens}/token",service="x"` })
          .end('{}');
      },
      { tls: true },
    );
    const { host } = new URL(origin);
    const auth = Buffer.from('puller:hunter2').toString('base64');
    writeFileSync(join(folder, 'pull.json'), JSON.stringify({ auths: { [host]: { auth } } }), {
      mode: 0o600,
    });
    seen.length = 0;
    const agent = {
      'agent.image': `${host}/team/agent`,
      'agent.pullPolicy': 'always',
      'ironic.caFiles': [tlsFile('ca')],
      'agent.pullSecret': 'pull.json',
    };
    const report = await ask({ agent });
    expect(linesOf(report)).toEqual([
      expect.stringMatching(/^registry error .*names no server for tokens with TLS/),
    ]);
    expect(seen).toEqual(['GET /v2/team/agent/manifests/latest ']);
  });

  it('is one of several mirrors', async () => {
    const manifests = [{ platform: { os: 'linux', architecture: 'arm64' } }];
    const mirror = new URL(await serve((_, response) => response.end(JSON.stringify({ manifests })))).host;
    writeFileSync(
      join(folder, 'registries.conf'),
      `[[registry]]
location = "registry.example.com"
[[registry.mirror]]
location = "127.0.0.1:${await freePort()}"
insecure = true
[[registry.mirror]]
location = "${mirror}"
insecure = true
`,
    );
    const agent = {
      'agent.image': 'registry.example.com/agent:1',
      'agent.pullPolicy': 'always',
      'agent.registriesConf': 'registries.conf',
    };
    const report = await ask({ agent, hosts: [{ name: 'worker-0', architecture: 'aarch64' }] });
    expect(linesOf(report)).toEqual([
      expect.stringMatching(/^registry warning \S+: connection refused/),
      `registry ok ${mirror}/agent:1: the image is for aarch64`,
    ]);
  });
});

/** @param answer the packet of the server for that of the client, or several */
async function startTime(answer: (request: Buffer, count: number) => readonly Buffer[]): Promise<number> {
  const socket: Socket = createSocket('udp4');
  let count = 0;
  socket.on('message', (request, { address, port }) => {
    count += 1;
    for (const packet of answer(request, count)) socket.send(packet, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  closers.push(() => socket.close());
  return socket.address().port;
}

/** @param ahead seconds */
const packetFor = (request: Buffer, { ahead = 0, flags = 0x24, stratum = 2 } = {}): Buffer => {
  const packet = Buffer.alloc(48);
  packet.writeUInt8(flags, 0);
  packet.writeUInt8(stratum, 1);
  request.copy(packet, 24, 40, 48);
  for (const offset of [32, 40])
    packet.writeUInt32BE(Math.floor(Date.now() / 1000) + 2_208_988_800 + ahead, offset);
  return packet;
};

describe('an NTP server', () => {
  it.each<
    [title: string, answer: (request: Buffer, count: number) => readonly Buffer[], lines: readonly RegExp[]]
  >([
    [
      'that answers',
      (request) => [packetFor(request)],
      [/^time ok NTP server 127\.0\.0\.1 answers$/, /^clock ok/],
    ],
    [
      'that answers the second request',
      (request, count) => (count === 1 ? [] : [packetFor(request)]),
      [/^time ok/, /^clock ok/],
    ],
    [
      'whose answer another one forges',
      (request) => [packetFor(Buffer.alloc(48), { ahead: 9e6 }), Buffer.alloc(3), packetFor(request)],
      [/^time ok/, /^clock ok/],
    ],
    [
      'that is days ahead',
      (request) => [packetFor(request, { ahead: 9 * 86_400 })],
      [/^time ok/, /^clock warning the clock of NTP server 127\.0\.0\.1 is 9 days ahead/],
    ],
    [
      'that refuses clients',
      (request) => [packetFor(request, { stratum: 0 })],
      [/^time error .*no time for clients/],
    ],
    [
      'that is not synchronized',
      (request) => [packetFor(request, { flags: 0xe4 })],
      [/^time error .*no time for clients/],
    ],
    [
      'that is silent',
      () => [],
      [/^time error NTP server 127\.0\.0\.1: no response within 2 seconds \(start/],
    ],
  ])('%s', async (_, answer, lines) => {
    writeFileSync(join(folder, 'time.conf'), `server 127.0.0.1 iburst port ${await startTime(answer)}\n`);
    const agent = { 'ignition.files': ['/etc/chrony.d/time.conf=time.conf'] };
    const report = await ask({ agent, timeout: '2s' });
    expect(linesOf(report)).toEqual(lines.map((line) => expect.stringMatching(line)));
  });

  it('with an unknown name', async () => {
    const report = await ask({ agent: { 'host.ntpServers': ['ntp.invalid'] } });
    expect(linesOf(report)).toEqual([
      expect.stringMatching(/^time error NTP server ntp\.invalid: host not found/),
    ]);
  });
});

const ownInterface = (gateway: string, nameServers: readonly string[]): object => ({
  IPv4Addresses: [{ Address: '192.0.2.10', SubnetMask: '255.255.255.0', Gateway: gateway }],
  NameServers: nameServers,
});

describe('a BMC', () => {
  interface Case {
    readonly title: string;
    readonly fake?: FakeBmcOptions;
    readonly scheme?: string;
    readonly deployIso?: string;
    readonly code: 0 | 1;
    readonly lines: readonly RegExp[];
  }
  const ok = /^bmc ok http:\S+: HPE iLO .*slots: 2; UEFI HTTP boot: supported$/;
  const ilo = { model: bmcModels.ilo5 };
  it.each<Case>([
    { title: 'with virtual media', fake: ilo, code: 0, lines: [ok] },
    {
      title: 'without virtual media, for network boot',
      fake: { model: { ...bmcModels.xcc, slots: [] } },
      scheme: 'redfish',
      code: 0,
      lines: [/^bmc ok .*Lenovo/],
    },
    {
      title: 'without virtual media',
      fake: { model: { ...bmcModels.xcc, slots: [] } },
      code: 1,
      lines: [/^bmc ok/, /^bmc error \S+: no virtual media slot takes a CD/],
    },
    {
      title: 'without a gateway',
      fake: { ...ilo, ownInterface: { ...ownInterface('0.0.0.0', []) } },
      deployIso: 'http://198.51.100.1/live.iso',
      code: 1,
      lines: [ok, /^bmc error \S+: the BMC cannot reach http:\/\/198\.51\.100\.1\/…: it has no gateway, and/],
    },
    {
      title: 'without a DNS server',
      fake: { ...ilo, ownInterface: { ...ownInterface('192.0.2.1', ['0.0.0.0', '::']) } },
      deployIso: 'http://images.example.com/live.iso',
      code: 1,
      lines: [ok, /^bmc error \S+: .*it has no DNS server to resolve images\.example\.com/],
    },
    {
      title: 'with gateway and DNS server',
      fake: { ...ilo, ownInterface: { ...ownInterface('192.0.2.1', ['192.0.2.2']) } },
      deployIso: 'http://images.example.com/live.iso',
      code: 1,
      lines: [ok],
    },
    { title: 'of IPMI', scheme: 'ipmi', code: 0, lines: [/^bmc skipped IPMI is not checked$/] },
  ])('$title', async ({ code, deployIso, fake = {}, lines, scheme = 'redfish-virtualmedia' }) => {
    const bmc = await startFakeBmc(fake);
    closers.push(bmc.close);
    const address = scheme === 'ipmi' ? `ipmi://${bmc.host}` : `${scheme}+http://${bmc.host}`;
    const more = deployIso === undefined ? {} : { deploy: { deployIso } };
    const report = await ask({ hosts: [{ name: 'worker-0', bmc: { address } }], more });
    const own = linesOf(report).filter((line) => line.startsWith('bmc'));
    expect(own).toEqual(lines.map((line) => expect.stringMatching(line)));
    expect(report.code).toBe(code);
    expect(bmc.changes()).toEqual([]);
    expect(report.printed).not.toContain(bmcUser.password);
  });

  it('with the credentials of an option', async () => {
    const bmc = await startFakeBmc(ilo);
    closers.push(bmc.close);
    writeFileSync(join(folder, 'bmc.yaml'), JSON.stringify({ username: 'admin', password: 'hunter2' }), {
      mode: 0o600,
    });
    const hosts = [{ name: 'worker-0', bmc: { address: `redfish+http://${bmc.host}` } }];
    const report = await ask({ hosts, args: ['--credentials', 'bmc.yaml'] });
    expect(linesOf(report)).toEqual([
      expect.stringMatching(/^bmc error .*rejects the user name or the password/),
    ]);
    expect(report.printed).not.toContain('hunter2');
  });

  it('without its credentials', async () => {
    const hosts = [
      { name: 'worker-0', bmc: { address: 'redfish://127.0.0.1:1', credentialsFile: 'none.yaml' } },
    ];
    const report = await ask({ hosts });
    expect(linesOf(report)).toEqual([
      expect.stringMatching(/^bmc error none\.yaml.* does not exist|^bmc error .*none/i),
    ]);
  });
});

describe('the report', () => {
  it('text', async () => {
    const origin = await serve(ironic);
    const none = await freePort();
    const hosts = [0, 1, 2, 3].map((number) => ({
      name: `worker-${number}`,
      bmc: { address: `redfish+http://127.0.0.${number + 1}:${none}` },
    }));
    const { code, stdout } = await run({ agent: { 'ironic.apiUrls': origin }, hosts });
    expect(
      stdout.replace(origin, 'ORIGIN').replaceAll(String(none), 'NONE').replace(/by .*/, 'by TIME'),
    ).toBe(
      `all 4 hosts:
  bmc          error: http://127.0.0.1:NONE: reading the service root failed:
               connection refused
               hint: fix the address of the BMC, or check the network between
               this machine and the BMC
  ironic       ORIGIN/: Ironic API 1.115
  clock        Ironic and this machine differ by TIME

0 of 4 passed
failed: worker-0 … worker-3
`,
    );
    expect(code).toBe(1);
  }, 40_000);

  it('an invalid host is reported, and the others are checked', async () => {
    const origin = await serve(ironic);
    const hosts = [{ name: 'a' }, { name: 'b', overrides: { 'ironic.caFiles': ['none.pem'] } }];
    const { code, stderr, stdout } = await run({ agent: { 'ironic.apiUrls': origin }, hosts });
    expect(stderr).toContain('b is not rendered');
    expect(stdout).toMatch(/^a:\n[^]*\n1 of 2 passed\nfailed: b\n$/);
    expect(code).toBe(1);
  });

  it('an inventory without hosts', async () => {
    const report = await ask({ agent: { 'ironic.apiUrls': await serve(ironic) }, hosts: null });
    expect([report.hosts, report.code]).toEqual([[{ name: 'all machines', passed: true }], 0]);
  });

  it('only the named hosts', async () => {
    const hosts = [{ name: 'a' }, { name: 'b' }];
    const report = await ask({
      agent: { 'ironic.apiUrls': await serve(ironic) },
      hosts,
      args: ['--host', 'b'],
    });
    expect(report.hosts).toEqual([{ name: 'b', passed: true }]);
  });

  it('servers are only read', () => {
    expect(seen.filter((one) => !one.startsWith('GET '))).toEqual([]);
  });
});

/** `try` from its options to its report, with agents that call over real sockets. */

import { execFileSync } from 'node:child_process';
import { have } from '../../support/programs.ts';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, describe, expect, it } from 'vitest';
import { isoPair } from '../../support/minimalIso.ts';
import {
  type AgentCommand,
  genericAgent,
  scriptedAgent,
  startAgentApi,
} from '../../support/scriptedAgent.ts';
import { tlsFile, tlsText, until } from '../../support/serveFixtures.ts';
import { type GivenTry, startTry } from './startTry.ts';

const folder = mkdtempSync(join(tmpdir(), 'try it '));
const path = (name: string): string => join(folder, name);
writeFileSync(
  path('inv.yaml'),
  `agent: {ironic.apiUrls: 'https://192.0.2.1', ironic.inspectionCallbackUrls: 'https://192.0.2.2/v1/continue'}
hosts:
- {name: worker-0, mac: '52:54:00:00:00:01'}
- {name: worker-1, mac: '52:54:00:00:00:02'}
`,
);
writeFileSync(path('live.iso'), isoPair().full);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isRoot = process.getuid?.() === 0;
const rootNote = isRoot ? ' (skipped: root can read any file)' : '';
const mac = '52:54:00:00:00:01';
const other = '52:54:00:00:00:02';

describe('who is awaited', () => {
  it('is anybody, if nobody is named', async () => {
    const trial = await startTry({ timeout: '60s', askBack: 'never' }, folder);
    expect((await scriptedAgent({ api: trial.origin, mac }).callHome()).status).toBe(202);
    const { code, report } = await trial.ended;
    expect(code).toBe(0);
    expect(report).toMatch(/^52:54:00:00:00:01: called home after /);
    expect(trial.said()).toContain('nothing is deployed or written');
  });

  it('are so many, whoever they are', async () => {
    const trial = await startTry({ timeout: '60s', askBack: 'never', expect: '2' }, folder);
    await scriptedAgent({ api: trial.origin, mac }).callHome();
    await scriptedAgent({ api: trial.origin, mac: other }).callHome();
    expect((await trial.ended).code).toBe(0);
  });

  it('is one with a MAC address, and no other counts', async () => {
    const trial = await startTry({ timeout: '60s', askBack: 'never', expect: other.toUpperCase() }, folder);
    await scriptedAgent({ api: trial.origin, mac }).callHome();
    expect(trial.said()).toContain(`${mac}  sent a heartbeat`);
    await scriptedAgent({ api: trial.origin, mac: other }).callHome();
    expect((await trial.ended).code).toBe(0);
  });

  it('has not come when the trial ends', async () => {
    const trial = await startTry({ timeout: '60s', expect: mac, format: 'json' }, folder);
    await scriptedAgent({ api: trial.origin, mac }).inspect();
    const { code, report } = await trial.stop();
    expect(code).toBe(1);
    expect(JSON.parse(report)).toMatchObject({
      passed: false,
      calledHome: [],
      missing: [mac],
      hosts: [{ stage: 'inspection' }],
    });
  });

  it('is not home with an invalid token', async () => {
    const trial = await startTry({ timeout: '60s', expect: mac, askBack: 'never' }, folder);
    const agent = scriptedAgent({ api: trial.origin, mac });
    await agent.lookup();
    expect((await agent.heartbeat('guessed')).status).toBe(400);
    expect((await trial.stop()).code).toBe(1);
  });
});

describe('an agent that can be asked', () => {
  it('is not awaited if it has no URL', async () => {
    const trial = await startTry({ timeout: '60s' }, folder);
    await scriptedAgent({ api: trial.origin, mac, callbackUrl: '' }).callHome();
    const { code, report } = await trial.ended;
    expect(code).toBe(0);
    expect(trial.said()).toContain('sent a heartbeat (agent 11.0.0) without a callback URL');
    expect(report).not.toMatch(/^  callback /m);
  });

  it('is asked before the report, which tells it', async () => {
    const { url, close } = await startAgentApi();
    try {
      const trial = await startTry({ timeout: '60s', format: 'json' }, folder);
      await scriptedAgent({ api: trial.origin, mac, callbackUrl: url }).callHome();
      const { code, report } = await trial.ended;
      expect(code).toBe(0);
      const { hosts } = JSON.parse(report);
      expect(hosts).toMatchObject([
        { callback: { answered: true }, steps: { managers: [{ name: 'GenericHardwareManager' }, {}] } },
      ]);
      expect(hosts[0].entries.map(({ kind }: { kind: string }) => kind)).toEqual([
        'api',
        'inspection',
        'lookup',
        'heartbeat',
        'callback',
        'steps',
      ]);
    } finally {
      close();
    }
  });

  it.each<
    readonly [string, AgentCommand, readonly string[], { readonly code: number; readonly host: object }]
  >([
    [
      'has all required steps',
      genericAgent,
      ['write_image', 'erase_devices'],
      { code: 0, host: { steps: { reported: true, missing: [] }, causes: [] } },
    ],
    [
      'lacks a required step',
      genericAgent,
      ['install_coreos', 'write_image'],
      {
        code: 1,
        host: {
          steps: { reported: true, missing: ['install_coreos'] },
          causes: [{ id: 'no-coreos-install', certainty: 'proven' }],
        },
      },
    ],
    [
      'is busy, without required steps',
      () => ({ status: 409, body: {} }),
      [],
      {
        code: 0,
        host: {
          steps: {
            reported: false,
            problem: expect.stringContaining('not reported: it is executing another'),
          },
          causes: [],
        },
      },
    ],
  ])('%s', async (_title, command, requireStep, { code: expectedCode, host }) => {
    const { url, close } = await startAgentApi(command);
    try {
      const trial = await startTry({ timeout: '60s', requireStep, format: 'json' }, folder);
      await scriptedAgent({ api: trial.origin, mac, callbackUrl: url }).callHome();
      const { code, report } = await trial.ended;
      expect(code).toBe(expectedCode);
      expect(JSON.parse(report)).toMatchObject({ hosts: [host] });
    } finally {
      close();
    }
  });

  it('and sends further heartbeats does not delay the report', async () => {
    const { url, close } = await startAgentApi();
    try {
      const trial = await startTry({ timeout: '60s', expect: '2' }, folder);
      const first = scriptedAgent({ api: trial.origin, mac, callbackUrl: url });
      await first.callHome();
      await until(() => trial.said().includes('reported 4 steps of 2 hardware managers'));
      await first.heartbeat();
      await scriptedAgent({ api: trial.origin, mac: other, callbackUrl: url }).callHome();
      expect((await trial.ended).code).toBe(0);
    } finally {
      close();
    }
  });

  it('at another address is a failure with required steps', async () => {
    const trial = await startTry({ timeout: '60s', requireStep: ['install_coreos'] }, folder);
    await scriptedAgent({ api: trial.origin, mac, callbackUrl: 'https://192.0.2.7:9999' }).callHome();
    const { code, report } = await trial.stop();
    expect(code).toBe(1);
    expect(report).toContain('called home, but did not report all required steps\n');
    expect(report).toContain('  steps     not asked: the agent was not contacted\n');
    expect(report).toContain('Proven: The address in the callback URL is not the address that sent');
  });

  it('and does not answer is not home where that is asked for', async () => {
    const trial = await startTry({ timeout: '60s', until: 'callback' }, folder);
    await scriptedAgent({ api: trial.origin, mac, callbackUrl: 'https://127.0.0.1:1' }).callHome();
    await until(() => trial.said().includes('did not answer at https://127.0.0.1:1'));
    expect((await trial.stop()).code).toBe(1);
  });
});

describe('what is wrong on the command line', () => {
  it.each<readonly [string, GivenTry, string]>([
    ['no time', { timeout: '0' }, 'invalid value "0" for --timeout'],
    [
      'required steps of agents that are not contacted',
      { requireStep: ['install_coreos'], askBack: 'never' },
      '--require-step requires that agents are contacted, but --ask-back is "never"',
    ],
    ['several steps in one value', { requireStep: ['a,b'] }, 'invalid value "a,b" for --require-step'],
    ['no URL', { inventory: 'inv.yaml', ironicUrl: 'ftp://192.0.2.1' }, '--ironic-url'],
    [
      'several URLs',
      { inventory: 'inv.yaml', ironicUrl: 'http://192.0.2.1,http://192.0.2.2' },
      'requires exactly one URL',
    ],
    ['a password', { inventory: 'inv.yaml', ironicUrl: 'http://me:sesame@192.0.2.1' }, '--ironic-url'],
    ['no inventory', { ironicUrl: 'http://192.0.2.1' }, '--ironic-url requires --inventory'],
  ])('%s ends it before anything listens', async (_title, options, message) => {
    const problem = await startTry(options, folder).catch((error: unknown) => error);
    expect(String(problem)).toContain(message);
    expect(String(problem)).not.toContain('sesame');
  });
});

describe('whoever never calls', () => {
  it('is told with likely causes, though nobody knows who it is', async () => {
    const trial = await startTry({ timeout: '1s' }, folder);
    const { code, report } = await trial.ended;
    expect(code).toBe(1);
    expect(report).toMatch(
      /^1 machine: did not call home; no activity\n {2}The cause is not known; possible causes:\n/,
    );
  });
});

/** Proven causes by the label of the machine that has them. */
async function provenOf(calls: (origin: string) => Promise<unknown>, expected: string): Promise<object> {
  const trial = await startTry(
    { timeout: '60s', expect: expected, format: 'json', askBack: 'never' },
    folder,
  );
  await calls(trial.origin);
  const { report } = await trial.stop();
  const { hosts }: { hosts: readonly ReportedHost[] } = JSON.parse(report);
  return Object.fromEntries(
    hosts.map(({ causes, label }) => [
      label,
      causes.flatMap(({ certainty, evidence, id }) =>
        certainty === 'proven' ? [`${id}: ${evidence?.text ?? ''}`] : [],
      ),
    ]),
  );
}
const lookup = (origin: string, query: string, version?: string): Promise<unknown> =>
  fetch(`${origin}/v1/lookup${query}`, {
    headers: version === undefined ? {} : { 'X-OpenStack-Ironic-API-Version': version },
  });

describe('what is refused', () => {
  it.each<readonly [string, string, string | undefined, RegExp]>([
    ['a lookup without a version', `?addresses=${mac}`, undefined, /^request-refused: .* its API version/],
    ['a lookup of an old version', `?addresses=${mac}`, '1.61', /^request-refused: .* its API version/],
    ['a version of the future', `?addresses=${mac}`, '1.116', /^request-refused: .* its API version/],
    ['no MAC address', '?addresses=', '1.68', /^no-mac-addresses: /],
    ['no list of MAC addresses', '', '1.68', /^no-mac-addresses: /],
  ])('is told as what it is: %s', async (_title, query, version, cause) => {
    const proven = await provenOf((origin) => lookup(origin, query, version), mac);
    expect(Object.values(proven).flat()).toEqual([expect.stringMatching(cause)]);
  });

  it('is the fault of one machine, also where two come from one address', async () => {
    const proven = await provenOf(async (origin) => {
      await scriptedAgent({ api: origin, mac }).lookup();
      await scriptedAgent({ api: origin, mac: other }).lookup();
      await fetch(`${origin}/x/v1/lookup`);
    }, `${mac},${other}`);
    expect(proven).toEqual({
      [mac]: [],
      [other]: [],
      '127.0.0.1': ['api-path: sent a request that Ironic does not support: GET /x/v1/lookup'],
    });
  });

  it('is not proven of a machine where another one may have done it', async () => {
    const options = { timeout: '60s', expect: `${mac},${other}`, format: 'json', askBack: 'never' };
    const trial = await startTry(options, folder);
    await scriptedAgent({ api: trial.origin, mac }).lookup();
    await fetch(`${trial.origin}/x/v1/lookup`);
    await scriptedAgent({ api: trial.origin, mac: other }).lookup();
    const { report } = await trial.stop();
    const { hosts }: { hosts: readonly ReportedHost[] } = JSON.parse(report);
    expect(hosts.map(({ label }) => label)).toEqual([mac, other]);
    expect(hosts[0]?.causes.map(({ id }) => id)).not.toContain('api-path');
    expect(trial.said()).toContain(`${mac}  sent a request that Ironic does not support: GET /x/v1/lookup`);
  });
});

interface ReportedHost {
  readonly label: string;
  readonly causes: readonly {
    readonly id: string;
    readonly certainty: string;
    readonly evidence?: { readonly text: string };
  }[];
}

describe('a host of the inventory', () => {
  it('is not home because a machine with another MAC address is, from the address that fetched for it', async () => {
    const served = { inventory: 'inv.yaml', iso: ['live.iso'], serveListen: '127.0.0.1:0', open: true };
    const options = { ...served, expect: 'worker-0', timeout: '60s', format: 'json', askBack: 'never' };
    const trial = await startTry(options, folder);
    await until(() => imagesOf(trial.said()) !== '');
    await (await fetch(`${imagesOf(trial.said())}/worker-0.ign`)).arrayBuffer();
    await scriptedAgent({ api: trial.origin, mac: '52:54:00:00:00:99' }).callHome();
    const { code, report } = await trial.stop();
    expect([code, JSON.parse(report)]).toMatchObject([1, { calledHome: [], missing: ['worker-0'] }]);
    const { hosts }: { hosts: readonly ReportedHost[] } = JSON.parse(report);
    expect(hosts[0]?.causes[0]).toMatchObject({ id: 'other-mac-addresses', certainty: 'likely' });
  });
});

describe('hints', () => {
  it('have the port on which it listens', async () => {
    const trial = await startTry({ timeout: '60s', tls: true }, folder);
    const port = new URL(trial.origin).port;
    await connectBadly(Number(port));
    await until(() => trial.said().includes('failed the TLS handshake'));
    await trial.stop();
    expect(trial.said()).toContain(`hint: use --listen :${port} to accept connections from other machines`);
    expect(trial.said()).not.toContain('6385');
  });
});

/** A client that does not trust the server. */
async function connectBadly(port: number): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', ca: tlsText('ca') });
  await new Promise((resolve) => void socket.once('error', resolve));
}

/** A line of podman on a console. */
function podmanLine(message: string): string {
  return `[   41.205873] podman[1432]: ${message}\r\n`;
}

describe('--console-log', () => {
  const options = { timeout: '60s', expect: mac, format: 'json', consoleLog: ['sol.log'] };

  it('is read from its end, and proves why the machine did not call home', async () => {
    writeFileSync(path('sol.log'), podmanLine('Error: reading manifest x in y: manifest unknown'));
    const trial = await startTry(options, folder);
    appendFileSync(path('sol.log'), `localhost login: ${podmanLine('Trying to pull r.example/a...')}`);
    appendFileSync(
      path('sol.log'),
      podmanLine('Error: initializing source docker://r.example/a: unauthorized').trimEnd(),
    );
    await until(() => trial.said().includes('Trying to pull'));
    const { code, report } = await trial.stop();
    expect(code).toBe(1);
    const { hosts } = JSON.parse(report);
    expect(hosts).toMatchObject([{ name: mac, stage: 'live system' }]);
    const proven = { id: 'pull-secret', certainty: 'proven', evidence: { kind: 'console' } };
    expect(hosts[0].causes[0]).toMatchObject(proven);
    expect(trial.said()).not.toContain('manifest unknown');
    expect(trial.said()).toContain(
      `${mac}  console: [   41.205873] podman[1432]: Trying to pull r.example/a...`,
    );
  });

  it('is one file for each of several hosts', async () => {
    writeFileSync(path('a.log'), '');
    writeFileSync(path('b.log'), '');
    const consoleLog = [`${mac}=a.log`, `${other}=b.log`];
    const trial = await startTry({ ...options, expect: `${mac},${other}`, consoleLog }, folder);
    appendFileSync(path('a.log'), podmanLine('Error: reading manifest x in y: manifest unknown'));
    appendFileSync(path('b.log'), podmanLine('Error: initializing source docker://r.example/a: denied'));
    const { report } = await trial.stop(); // reads the rest
    const { hosts } = JSON.parse(report);
    expect(hosts).toMatchObject([{ name: mac }, { name: other }]);
    expect(hosts[0].causes[0]).toMatchObject({ id: 'container-image', certainty: 'proven' });
    expect(hosts[1].causes[0]).toMatchObject({ id: 'pull-secret', certainty: 'proven' });
  });

  it('is read from its start where it was replaced by a shorter one', async () => {
    writeFileSync(path('sol.log'), 'x'.repeat(1000));
    const trial = await startTry(options, folder);
    writeFileSync(path('sol.log'), podmanLine('Error: initializing source docker://r.example/a: denied'));
    const { hosts } = JSON.parse((await trial.stop()).report);
    expect(hosts[0].causes[0]).toMatchObject({ id: 'pull-secret', certainty: 'proven' });
  });

  it('is read further where it was rotated', async () => {
    writeFileSync(path('sol.log'), 'x'.repeat(1000));
    const trial = await startTry(options, folder);
    appendFileSync(path('sol.log'), `${podmanLine('Trying to pull r.example/a...')}[   41.205873] pod`);
    renameSync(path('sol.log'), path('sol.log.1'));
    const long = `${'x'.repeat(2000)}\r\n`;
    writeFileSync(
      path('sol.log'),
      long + podmanLine('Error: initializing source docker://r.example/a: denied'),
    );
    const { hosts } = JSON.parse((await trial.stop()).report);
    expect(hosts[0].causes[0]).toMatchObject({ id: 'pull-secret', certainty: 'proven' });
    expect(trial.said()).toContain('Trying to pull r.example/a...');
  });

  it.skipIf(isRoot)(
    `that becomes unreadable is a warning, and the report is written${rootNote}`,
    async () => {
      writeFileSync(path('sol.log'), '');
      const trial = await startTry(options, folder);
      writeFileSync(path('other.log'), '', { mode: 0 });
      renameSync(path('other.log'), path('sol.log'));
      const { code, report } = await trial.stop();
      expect(code).toBe(1);
      expect(JSON.parse(report).hosts).toMatchObject([{ name: mac }]);
      expect(trial.said()).toContain('warning: No permission to read sol.log\n');
    },
  );

  it.each<readonly [string, GivenTry, string]>([
    ['is of an expected host', { expect: '1' }, '--console-log requires an expected host'],
    [
      'is of one host',
      { expect: `${mac},${other}` },
      '--console-log "sol.log" does not name an expected host',
    ],
    ['is not for --qemu', { qemu: 'live.iso' }, '--console-log is for the console of a real machine'],
    ['is a file', { consoleLog: ['missing.log'] }, 'Console log (--console-log) not found: missing.log'],
    ['is not a folder', { consoleLog: ['.'] }, 'Console log (--console-log)'],
  ])('%s', async (_title, given, message) => {
    await expect(startTry({ ...options, ...given }, folder)).rejects.toThrow(message);
  });
});

describe('--save', () => {
  it('keeps each inventory for the user alone, under the name of its host', async () => {
    const trial = await startTry({ timeout: '60s', askBack: 'never', expect: mac, save: 'kept' }, folder);
    const agent = scriptedAgent({ api: trial.origin, mac });
    await agent.inspect();
    await scriptedAgent({ api: trial.origin, mac: other }).inspect();
    await agent.callHome();
    await trial.ended;
    const names = readdirSync(path('kept')).toSorted();
    expect(names).toHaveLength(2);
    expect(names).toContain('52-54-00-00-00-01.json');
    const file = join(path('kept'), '52-54-00-00-00-01.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      inventory: { interfaces: [{ mac_address: mac }] },
    });
  });
});

describe('--tls', () => {
  it('is https with an authority that --ca-out gives', async () => {
    const trial = await startTry({ timeout: '60s', askBack: 'never', tls: true, caOut: 'ca.pem' }, folder);
    expect(trial.origin).toMatch(/^https:/);
    await until(() => trial.said().includes('wrote the certificate authority to ca.pem'));
    const ca = readFileSync(path('ca.pem'), 'utf8');
    await expect(scriptedAgent({ api: trial.origin, mac }).root()).rejects.toThrow('certificate');
    await scriptedAgent({ api: trial.origin, mac, ca }).callHome();
    const { code } = await trial.ended;
    expect(code).toBe(0);
  });

  it.skipIf(!have('mkfifo'))(
    'writes the authority to no pipe, which would not open without a reader',
    async () => {
      execFileSync('mkfifo', [path('ca-pipe')]);
      const trial = startTry({ timeout: '60s', tls: true, caOut: 'ca-pipe' }, folder);
      await expect(trial.then(({ ended }) => ended)).rejects.toThrow(
        '--ca-out "ca-pipe" is not a regular file',
      );
    },
  );

  it('prints the authority where no file is named, and never its key', async () => {
    const trial = await startTry({ timeout: '60s', tls: true }, folder);
    await trial.stop();
    expect(trial.said()).toMatch(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/);
    expect(trial.said()).not.toContain('PRIVATE KEY');
  });
});

const imagesOf = (said: string): string => /^worker-0 +(http:\/\/[^/]+)\//m.exec(said)?.[1] ?? '';
const confOf = async (images: string): Promise<string> => {
  const config = await (await fetch(`${images}/worker-0.ign`)).text();
  const sources = [...config.matchAll(/data:;base64,([A-Za-z0-9+/=]+)/g)];
  return sources.map(([, text = '']) => Buffer.from(text, 'base64').toString()).join('\n');
};

describe('what an agent reports otherwise than its host expects', () => {
  it('is on the row of the host, and in the report', async () => {
    writeFileSync(
      path('otherwise.yaml'),
      `agent: {ironic.apiUrls: 'https://192.0.2.1'}
deploy: {rootDeviceHints: {hctl: '0:2:0:0'}}
hosts:
- name: worker-0
  mac: '52:54:00:00:00:01'
  network:
    nmstate:
      interfaces:
      - name: eth0
        type: ethernet
        state: up
        ipv4: {enabled: true, dhcp: false, address: [{ip: 192.0.2.50, prefix-length: 24}]}
      - {name: eno1, type: ethernet, state: up, ipv4: {enabled: true, dhcp: true}}
`,
    );
    const served = { inventory: 'otherwise.yaml', iso: ['live.iso'], serveListen: '127.0.0.1:0', open: true };
    const trial = await startTry({ ...served, timeout: '60s', askBack: 'never' }, folder);
    const agent = scriptedAgent({ api: trial.origin, mac });
    // The agent calls when its image was served.
    await until(() => trial.said().includes('worker-0.iso'));
    await agent.callHome();
    const { code, report } = await trial.ended;
    expect(code).toBe(0);
    const words = report.replaceAll(/\s+/g, ' ');
    for (const text of [
      'differs no disk of the machine matches hctl: the disks are /dev/sda (465.8 GiB, hctl none)',
      'the machine has no interface eno1',
      'eth0 has 127.0.0.1 instead of 192.0.2.50',
    ]) {
      expect(words).toContain(text);
    }
    expect(trial.said()).toMatch(/worker-0 {2}sent its inventory: .*; not as expected: no disk/);
  });
});

describe('--inventory', () => {
  const served = {
    inventory: 'inv.yaml',
    iso: ['live.iso'],
    serveListen: '127.0.0.1:0',
    open: true,
  } as const;
  it('begins with the first fetch, and warns of hosts that call somebody else', async () => {
    const trial = await startTry(
      { ...served, timeout: '60s', askBack: 'never', format: 'json', expect: 'worker-0' },
      folder,
    );
    await until(() => imagesOf(trial.said()) !== '');
    expect(trial.said()).toContain('warning: worker-0 and 1 other host call https://192.0.2.1:6385');
    expect(trial.said()).toMatch(/hint: .*--ironic-url http:\/\/ADDRESS:\d+/);
    const images = imagesOf(trial.said());
    expect(await confOf(images)).toContain('api_url = https://192.0.2.1:6385');
    await (await fetch(`${images}/worker-0.iso`)).arrayBuffer();
    await until(() => trial.said().includes('worker-0  fetched the ISO'));
    await scriptedAgent({ api: trial.origin, mac }).callHome();
    const { code, report } = await trial.ended;
    expect(code).toBe(0);
    expect(report).toMatch(/"calledHome":\["worker-0"\]/);
    expect(report).toMatch(/"entries":.*fetched the Ignition config.*fetched the ISO.*heartbeat/);
  });

  it('has another Ironic in the configs with --ironic-url, and what --tls needs to be trusted', async () => {
    const options = { ironicUrl: 'https://192.0.2.7:6385', tls: true, timeout: '60s', expect: 'worker-0' };
    const trial = await startTry({ ...served, ...options, caOut: 'ca2.pem', askBack: 'never' }, folder);
    await until(() => imagesOf(trial.said()) !== '');
    const ca = readFileSync(path('ca2.pem'), 'utf8');
    const conf = await confOf(imagesOf(trial.said()));
    expect(conf).toContain('api_url = https://192.0.2.7:6385');
    expect(conf).toContain('cafile');
    expect(conf).toContain(ca.split(/\r?\n/)[3]);
    expect(conf).not.toMatch(/192\.0\.2\.[12]\b/);
    expect(trial.said()).not.toContain('warning: worker-0 and');
    await scriptedAgent({ api: trial.origin, mac, ca }).callHome();
    expect((await trial.ended).code).toBe(0);
  });

  it.each([
    [
      'of --ironic-url that is another one',
      { ironicUrl: 'http://192.0.2.7:1' },
      'the mock Ironic serves http on port',
    ],
    [
      'that only this machine reaches the images',
      {},
      'image server listening on loopback only; other machines cannot connect',
    ],
    [
      'that the URLs do not name this machine',
      { serveListen: ':0' },
      'warning: all URLs of images start with http://localhost:',
    ],
  ])('warns %s', async (_title, options, text) => {
    const trial = await startTry({ ...served, ...options, timeout: '60s', askBack: 'never' }, folder);
    await expect.poll(trial.said).toContain(text);
    await trial.stop();
  });

  it('says with which option the images get another address', async () => {
    const first = await startTry({ timeout: '60s' }, folder);
    const trial = await startTry({ ...served, serveListen: new URL(first.origin).host }, folder);
    await expect(trial.ended).rejects.toMatchObject({
      message: expect.stringContaining('the address is already in use'),
      hint: 'pass another address or port with --serve-listen',
    });
    await first.stop();
  });

  it('does not wait for a host that cannot be served', async () => {
    const wrong = `agent: {ironic.apiUrls: 'https://192.0.2.1'}\nhosts:\n- {name: worker-0}\n- {name: worker-1, mac: x}\n`;
    writeFileSync(path('wrong-mac.yaml'), wrong);
    const options = { ...served, inventory: 'wrong-mac.yaml', timeout: '60s' };
    const trial = await startTry(options, folder);
    await expect(trial.ended).rejects.toThrow('expected hosts cannot be served: worker-1');
    expect(trial.said()).toContain('wrong-mac.yaml:4');
    const others = await startTry({ ...options, expect: 'worker-0' }, folder);
    await until(() => imagesOf(others.said()) !== '');
    expect((await others.stop()).code).toBe(1);
  });

  it('trusts its Ironic also where the environment names authorities', async () => {
    const env = { PATH: process.env['PATH'], IRONIC_CA_BUNDLE: tlsFile('ca') };
    const options = {
      ...served,
      ironicUrl: 'https://192.0.2.7:6385',
      tls: true,
      caOut: 'ca3.pem',
      timeout: '60s',
    };
    const trial = await startTry({ ...options, expect: '1', askBack: 'never' }, folder, env);
    await until(() => imagesOf(trial.said()) !== '');
    const ca = readFileSync(path('ca3.pem'), 'utf8');
    const conf = await confOf(imagesOf(trial.said()));
    for (const pem of [ca, tlsText('ca')]) expect(conf).toContain(pem.trim().split('\n')[3]);
    await scriptedAgent({ api: trial.origin, mac, ca }).callHome();
    expect((await trial.ended).code).toBe(0);
  });

  it('awaits all of its hosts', async () => {
    const trial = await startTry({ ...served, timeout: '60s', format: 'json', askBack: 'never' }, folder);
    await scriptedAgent({ api: trial.origin, mac }).callHome();
    const { code, report } = await trial.stop();
    expect(code).toBe(1);
    expect(JSON.parse(report)).toMatchObject({ calledHome: ['worker-0'], missing: ['worker-1'] });
  });

  it('that is wrong ends it before anything listens', async () => {
    writeFileSync(path('wrong.yaml'), 'hosts: 5\n');
    await expect(startTry({ ...served, inventory: 'wrong.yaml' }, folder)).rejects.toThrow(
      /"hosts" must be a list/,
    );
  });

  it('whose images cannot be served ends everything that has begun', async () => {
    const trial = await startTry({ ...served, iso: ['inv.yaml'] }, folder);
    await expect(trial.ended).rejects.toThrow('inv.yaml');
    await expect(fetch(trial.origin)).rejects.toThrow('fetch failed');
  });
});

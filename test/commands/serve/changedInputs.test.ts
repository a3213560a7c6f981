/**
 * Conditional requests after a change of every input: no client may take other bytes for the same, whatever it compares. The
 * changed files are older than the ones before, as if an earlier version were restored.
 */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type SettingName, settingTable } from '../../../src/agent/settingTable.ts';
import type { ServeOptions } from '../../../src/commands/serve/options.ts';
import { ociArchive } from '../../support/containerImages.ts';
import { have, oracleNote } from '../../support/programs.ts';
import { cpio, kernel, liveRootfs } from '../../support/newIso.ts';
import { inventory } from '../../support/twoHosts.ts';
import { place, type Running } from './support.ts';

const { path, serve, write } = place();

/** Replaces a file with an older one, so that its modification time shows no change. */
let age = 0;
function putOlder(name: string, content: string | Uint8Array): void {
  mkdirSync(path(join(name, '..')), { recursive: true });
  write('new', content);
  age += 1;
  utimesSync(path('new'), 1_000_000_000 - age, 1_000_000_000 - age);
  renameSync(path('new'), path(name));
}

interface Seen {
  readonly etag: string;
  readonly date: string;
  readonly digest: string;
}

async function look(url: string): Promise<Seen> {
  const response = await fetch(url);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect([url, response.status]).toEqual([url, 200]);
  return {
    etag: response.headers.get('etag') ?? '',
    date: response.headers.get('last-modified') ?? '',
    digest: createHash('sha256').update(bytes).digest('hex'),
  };
}

/** The statuses of requests with the validators of an earlier response. Those of GET are the same (answer.test.ts). */
async function statusesOf(url: string, { etag, date }: Seen): Promise<Record<string, number>> {
  const range = 'bytes=10-19';
  const requests: Record<string, Record<string, string>> = {
    'If-None-Match': { 'If-None-Match': etag },
    'If-Modified-Since': { 'If-Modified-Since': date },
    'If-Range with the tag': { 'If-Range': etag, Range: range },
    'If-Range with the date': { 'If-Range': date, Range: range },
    'If-Match': { 'If-Match': etag },
    'If-Unmodified-Since': { 'If-Unmodified-Since': date },
    'If-Unmodified-Since with a range': { 'If-Unmodified-Since': date, Range: range },
  };
  const statuses: Record<string, number> = {};
  for (const [name, headers] of Object.entries(requests)) {
    statuses[name] = (await fetch(url, { method: 'HEAD', headers })).status;
  }
  return statuses;
}

const ofSame = {
  'If-None-Match': 304,
  'If-Modified-Since': 304,
  'If-Range with the tag': 206,
  'If-Range with the date': 200,
  'If-Match': 200,
  'If-Unmodified-Since': 200,
  'If-Unmodified-Since with a range': 200,
};
const ofOthers = {
  'If-None-Match': 200,
  'If-Modified-Since': 200,
  'If-Range with the tag': 200,
  'If-Range with the date': 200,
  'If-Match': 412,
  'If-Unmodified-Since': 412,
  'If-Unmodified-Since with a range': 412,
};

/** @returns the names of the files whose bytes have changed */
async function changedFiles(
  urls: Readonly<Record<string, string>>,
  before: Readonly<Record<string, Seen>>,
): Promise<string[]> {
  const changed: string[] = [];
  for (const [name, url] of Object.entries(urls)) {
    const earlier = before[name];
    if (earlier === undefined) continue;
    const now = await look(url);
    const isSame = now.etag === earlier.etag;
    expect([name, await statusesOf(url, earlier)]).toEqual([name, isSame ? ofSame : ofOthers]);
    expect([name, Date.parse(now.date) > Date.parse(earlier.date)]).toEqual([name, !isSame]);
    if (isSame) continue;
    expect([name, await statusesOf(url, now)]).toEqual([name, ofSame]);
    changed.push(name);
  }
  return changed;
}

const artifacts = 'ign,archive,initramfs,iso,minimal-iso,ipxe';

/** The files of the first host. */
function urlsOf({ boot, urls }: Running): Record<string, string> {
  return { ...urls['worker-0'], script: new URL('ipxe/worker-0.ipxe', boot['ipxe']).href };
}

async function lookAll(urls: Readonly<Record<string, string>>): Promise<Record<string, Seen>> {
  const seen: Record<string, Seen> = {};
  for (const [name, url] of Object.entries(urls)) seen[name] = await look(url);
  return seen;
}

const certificate = (name: string): string =>
  readFileSync(resolve(import.meta.dirname, `../../support/${name}.pem`), 'utf8');
const unit = (text: string): string =>
  `[Unit]\nDescription=${text}\n[Service]\nExecStart=/usr/bin/true\n[Install]\nWantedBy=multi-user.target\n`;
const ignition = (name: string): string =>
  `{"ignition":{"version":"3.2.0"},"storage":{"directories":[{"path":"/var/lib/${name}"}]}}`;
const network = (link: string): string =>
  `interfaces:\n- {name: ${link}, type: ethernet, state: up, ipv4: {enabled: true, dhcp: true}}\n`;
const networkData = (mac: string): string =>
  `{"links": [{"id": "eno1", "type": "phy", "ethernet_mac_address": "${mac}"}],
"networks": [{"id": "machines", "link": "eno1", "type": "ipv4_dhcp"}]}`;
const keyfile = (mtu: number): string =>
  `[connection]\nid=eth1\ntype=ethernet\ninterface-name=eth1\n[ethernet]\nmtu=${mtu}\n`;
const hash = (salt: string): string =>
  `$6$${salt}$uvS9S1E3Nuw6pDu2Tw0cKjLmFUGfjDq0o7vVXh3MJUyHlXGJQ5pF9xeCRDGAhnQ5VBSZfLM0vTgfDcTzPqHn4.\n`;
const key = (name: string): string =>
  `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9zIsVJMfhacIuKONUMGEmrH10rGh7UkLGfneQkUQH0 ${name}\n`;
const auth = (login: string): string => `{"auths":{"registry.example.com":{"auth":"${btoa(login)}"}}}`;

/** A file that the setting names, before and after the change; two values in the inventory; or two inventories. */
type Change =
  | { readonly value: unknown; readonly file: string; readonly contents: readonly [Content, Content] }
  | { readonly values: readonly [unknown, unknown]; readonly others?: Readonly<Record<string, unknown>> }
  | { readonly agents: readonly [Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>] };
type Content = string | (() => Promise<Uint8Array>);

const archive = (name: string) => (): Promise<Uint8Array> =>
  ociArchive({ names: [`registry.example.com/${name}:1`] });

/** The settings but most switches and choices. `undefined`: a snapshot cannot differ in it; the reason is beside it. */
const examples: Readonly<Partial<Record<SettingName, Change | undefined>>> = {
  'ironic.apiUrls': { values: ['https://192.0.2.1', 'https://192.0.2.2'] },
  'ironic.port': { values: [6385, 6386] },
  'ironic.inspectionCallbackUrls': {
    values: [['https://192.0.2.1:5050/v1/continue'], ['https://192.0.2.1:5051/v1/continue']],
  },
  'ironic.inspectorUrls': { values: [['https://192.0.2.1'], ['https://192.0.2.2']] },
  'ironic.inspectorPort': {
    values: [5050, 5051],
    others: { 'ironic.inspectorUrls': ['https://192.0.2.1'] },
  },
  'ironic.caFiles': {
    value: ['ca.pem'],
    file: 'ca.pem',
    contents: [certificate('certificates/test-ca'), certificate('tls/ca')],
  },
  'agent.standalone': { agents: [{}, { 'agent.standalone': true, 'ironic.apiUrls': null }] },
  'agent.image': { values: ['registry.example.com/a:1', 'registry.example.com/a:2'] },
  'agent.archive': { value: 'agent.tar', file: 'agent.tar', contents: [archive('one'), archive('two')] },
  'agent.archiveUrl': {
    values: ['https://192.0.2.1/1.tar', 'https://192.0.2.1/2.tar'],
    others: { 'agent.archive': 'agent.tar' },
  },
  'agent.pullSecret': { value: 'pull.json', file: 'pull.json', contents: [auth('a:b'), auth('c:d')] },
  'agent.registriesConf': {
    value: 'registries.conf',
    file: 'registries.conf',
    contents: [
      '[[registry]]\nlocation = "registry.example.com"\n',
      '[[registry]]\nlocation = "mirror.example.com"\n',
    ],
  },
  'agent.options': { values: [['ip_lookup_attempts = 5'], ['ip_lookup_attempts = 6']] },
  'agent.confFile': {
    value: 'agent.conf',
    file: 'agent.conf',
    contents: ['[DEFAULT]\nip_lookup_attempts = 5\n', '[DEFAULT]\nip_lookup_attempts = 6\n'],
  },
  'agent.vlanInterfaces': { values: [['eno1.1'], ['eno1.2']] },
  'agent.hardwareManagers': {
    value: ['managers'],
    file: 'managers/burn_in.py',
    contents: ['class BurnIn:\n    pass\n', 'class BurnIn:\n    x = 1\n'],
  },
  'agent.podman.args': { values: [['--memory=2g'], ['--memory=3g']] },
  'agent.podman.pullArgs': { values: [['--quiet'], ['--tls-verify=false']] },
  'host.sshKeys': { value: ['core.pub'], file: 'core.pub', contents: [key('a@b'), key('a@c')] },
  'host.passwordHash': {
    value: 'core.hash',
    file: 'core.hash',
    contents: [hash('c2FsdHNhbHQ'), hash('d2FsdHNhbHQ')],
  },
  'host.consoles': { values: [['ttyS0'], ['ttyS1']] },
  'host.hostname': { values: ['a.example.com', 'b.example.com'] },
  'host.nmstate': { value: 'net.yaml', file: 'net.yaml', contents: [network('eth0'), network('eth1')] },
  'host.networkData': {
    value: 'net.json',
    file: 'net.json',
    contents: [networkData('52:54:00:12:34:56'), networkData('52:54:00:12:34:57')],
  },
  'host.keyfiles': {
    value: ['eth1.nmconnection'],
    file: 'eth1.nmconnection',
    contents: [keyfile(1500), keyfile(9000)],
  },
  'host.copyNetwork': { values: [false, true], others: { 'host.nmstate': 'net.yaml' } },
  'host.installIpOptions': { values: ['ip=dhcp', 'ip=dhcp6'] },
  'host.ntpServers': { values: [['a.example.com'], ['b.example.com']] },
  'proxy.http': { values: ['http://192.0.2.9:1', 'http://192.0.2.9:2'] },
  'proxy.https': { values: ['http://192.0.2.9:1', 'http://192.0.2.9:2'] },
  'proxy.none': {
    values: [['a.example.com'], ['b.example.com']],
    others: { 'proxy.http': 'http://192.0.2.9:1' },
  },
  'ignition.files': {
    value: ['/etc/issue.d/note.issue=note.txt'],
    file: 'note.txt',
    contents: ['one\n', 'two\n'],
  },
  'ignition.units': {
    value: ['burn-in.service'],
    file: 'burn-in.service',
    contents: [unit('one'), unit('two')],
  },
  'ignition.discovery': undefined, // only for the profile assisted, and read as ignition.merge
  'ignition.merge': { value: ['own.ign'], file: 'own.ign', contents: [ignition('one'), ignition('two')] },
  'ignition.filesDir': { values: ['one', 'two'], others: { 'ignition.merge': ['own.bu'] } },
  'image.stream': { values: ['rhel-9', 'rhel-10'] },
  'boot.baseUrl': undefined, // serve uses its own URLs
  'boot.kernelUrl': undefined,
  'boot.initramfsUrl': undefined,
  'boot.rootfsUrl': undefined,
  'boot.ignitionUrl': undefined,
  'boot.embedded': undefined,
  'boot.ip': { values: [['dhcp'], ['dhcp6']] },
  'boot.ipaParameters': { values: [['debug=1'], ['debug=0']] },
  'boot.kernelArguments': { values: [['a=1'], ['a=2']] },
};

/** Switches and choices have the examples that the table has. */
function changeOf({ name, choices = [], kind }: (typeof settingTable)[number]): Change | undefined {
  if (name in examples) return examples[name];
  const [one, other] = kind === 'switch' ? [false, true] : choices;
  if (other === undefined) throw new Error(`no example of ${name}`);
  return { values: [one, other] };
}

const contentOf = async (content: Content): Promise<string | Uint8Array> =>
  typeof content === 'string' ? content : content();

function writeInventory(agent: Readonly<Record<string, unknown>>): void {
  const all = { 'ironic.apiUrls': 'https://192.0.2.1', 'agent.image': 'quay.io/a/b', ...agent };
  putOlder('changed.yaml', JSON.stringify({ agent: all, hosts: [{ name: 'worker-0' }] }));
}

/** A different image: other kernel arguments. */
function otherIso(): Buffer {
  const other = readFileSync(path('live.iso'));
  other.write('another', 0);
  return other;
}

beforeAll(async () => {
  await (await serve()).stop(); // makes live.iso
  write('other.iso', otherIso());
  write('agent.tar', await contentOf(archive('one')));
  write('net.yaml', network('eth0'));
  write(
    'own.bu',
    'variant: fcos\nversion: 1.2.0\nstorage: {files: [{path: /etc/motd.d/own, contents: {local: motd}}]}\n',
  );
  for (const filesDir of ['one', 'two']) {
    mkdirSync(path(filesDir), { recursive: true });
    write(`${filesDir}/motd`, filesDir);
  }
  mkdirSync(path('managers/burn_in.dist-info'), { recursive: true });
  write(
    'managers/burn_in.dist-info/entry_points.txt',
    '[ironic_python_agent.hardware_managers]\nburn_in = burn_in:BurnIn\n',
  );
});

function startForSettings(): Promise<Running> {
  const iso = ['live.iso', 'rhel-9/x86_64=live.iso', 'rhel-10/x86_64=other.iso'];
  const env = { IRONIC_AGENT_IMAGE: undefined };
  return serve({ inventory: 'changed.yaml', iso, artifacts: 'ign,iso,ipxe' }, env);
}

describe('after a change of a setting', () => {
  const rows = settingTable.flatMap((setting) => {
    const change = changeOf(setting);
    return change === undefined ? [] : [[setting.name, change] as const];
  });
  it.each(rows)('%s, no file passes for the one before', async (name, change) => {
    const put = async (index: 0 | 1): Promise<void> => {
      if ('agents' in change) writeInventory(change.agents[index]);
      else if ('values' in change) writeInventory({ ...change.others, [name]: change.values[index] });
      else putOlder(change.file, await contentOf(change.contents[index]));
    };
    if ('file' in change) writeInventory({ [name]: change.value });
    await put(0);
    const running = await startForSettings();
    const urls = urlsOf(running);
    const before = await lookAll(urls);
    await running.reload();
    expect(await lookAll(urls)).toEqual(before);
    await put(1);
    await running.reload();
    expect(running.said().match(/.*"level":"error".*/g)).toBeNull();
    const changed = Object.entries(await lookAll(urls)).map(([file, now]) => {
      const { date = '', digest, etag } = before[file] ?? {};
      const isSame = now.digest === digest;
      const isLater = Date.parse(now.date) > Date.parse(date);
      expect([file, now.etag === etag, isLater]).toEqual([file, isSame, !isSame]);
      return !isSame;
    });
    expect(changed).toContain(true);
    await put(0);
    await running.reload();
    const again = await lookAll(urls);
    for (const file of Object.keys(urls)) {
      const isLater = Date.parse(again[file]?.date ?? '') >= Date.parse(before[file]?.date ?? '');
      expect([file, again[file]?.etag, isLater]).toEqual([file, before[file]?.etag, true]);
    }
  });
});

/** Behind the header of the first file of an archive. */
const inData = 124;

describe('after a change of an image', () => {
  const parts = { kernel: 'kernel', initramfs: 'initrd', rootfs: 'rootfs' };

  it.each<[title: string, file: string, options: ServeOptions]>([
    ['the ISO', 'base.iso', { iso: ['base.iso'], artifacts }],
    ...Object.entries(parts).map(([name, file]): [string, string, ServeOptions] => [
      `the ${name}`,
      file,
      {
        iso: [],
        kernel: ['kernel'],
        initramfs: ['initrd'],
        rootfs: ['rootfs'],
        artifacts: 'ign,archive,initramfs,ipxe',
      },
    ]),
    ['the agent archive', 'given.tar', { agentArchive: ['given.tar'], artifacts }],
  ])('%s, no file passes for the one before', async (_title, file, options) => {
    await serve(); // makes live.iso
    write('base.iso', readFileSync(path('live.iso')));
    write('kernel', kernel);
    write('initrd', cpio({ init: '#!/bin/sh\n' }));
    write('rootfs', liveRootfs);
    write('given.tar', await contentOf(archive('one')));
    const other = file.endsWith('.tar') ? await contentOf(archive('two')) : readFileSync(path(file));
    if (typeof other !== 'string' && file.endsWith('.iso')) other.set(Buffer.from('another'), 0);
    if (typeof other !== 'string' && !/\.(?:iso|tar)$/.test(file)) other.set(Buffer.from('A'), inData);
    const running = await serve(options);
    const urls = urlsOf(running);
    const before = await lookAll(urls);
    putOlder(file, other);
    await running.reload();
    expect(await changedFiles(urls, before)).not.toEqual([]);
  });
});

describe('after a restart', () => {
  it.each<[title: string, options: ServeOptions, env: Record<string, string>]>([
    ['another environment', {}, { IRONIC_AGENT_IMAGE: 'registry.example.com/other:1' }],
    ['another profile', { profile: 'icc' }, { IRONIC_AGENT_IMAGE: 'registry.example.com/agent:1' }],
    ['an older ISO', { iso: ['older.iso'] }, {}],
    ['more space', { grow: true, inventory: 'grown.yaml' }, {}],
    ['an older inventory', { inventory: 'older.yaml' }, {}],
  ])('with %s, no file passes for the one before', async (_title, options, env) => {
    write('key', 'a key of more than sixteen characters');
    const usual = { keyFile: 'key', publicUrl: 'http://192.0.2.1', artifacts };
    const first = await serve(usual, { IRONIC_AGENT_IMAGE: 'registry.example.com/agent:1' });
    putOlder('older.iso', otherIso());
    putOlder('older.yaml', inventory.replace('192.0.2.1', '192.0.2.9'));
    write('grown.yaml', `${inventory}  ignore: []\n`.replace('192.0.2.1', '192.0.2.8'));
    const at = ({ origin }: Running): Record<string, string> =>
      Object.fromEntries(
        Object.entries(urlsOf(first)).map(([name, url]) => [name, url.replace('http://192.0.2.1', origin)]),
      );
    const before = await lookAll(at(first));
    await first.stop();
    await new Promise((done) => setTimeout(done, 1100)); // dates have no fractions of a second
    const second = await serve({ ...usual, ...options }, env);
    const changed: string[] = [];
    for (const [name, url] of Object.entries(at(second))) {
      const [earlier, now] = [before[name], await look(url)];
      if (earlier === undefined || now.digest === earlier.digest) continue;
      changed.push(name);
      expect([name, await statusesOf(url, earlier)]).toEqual([name, ofOthers]);
    }
    expect(changed).not.toEqual([]);
  });
});

/** The output of a program that fetches from this process. */
async function fetchWith(program: string, ...args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { cwd: path('fetched'), stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  for (const output of [child.stdout, child.stderr]) output.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((done) => child.on('close', done));
  return Buffer.concat(chunks).toString();
}

/** How a program gets a file, and the output that says that the file is unchanged. */
const clients: Readonly<Record<string, readonly (readonly [args: string, unchanged: RegExp])[]>> = {
  wget: [
    ['-N', /304 Not Modified|not modified on server/i],
    ['-N --no-if-modified-since', /no newer than local|not retrieving/],
  ],
  // With the date of the server, and with the time of the download.
  curl: [
    ['-sRz worker-0.iso -o worker-0.iso -w status%{http_code}', /status304/],
    ['-sz worker-0.iso -o worker-0.iso -w status%{http_code}', /status304/],
  ],
};

describe.each(Object.entries(clients))('%s, which compares dates,', (program, rows) => {
  it.skipIf(!have(program)).each(rows)(
    `fetches only what has changed${oracleNote(program)}: %s`,
    async (args, unchanged) => {
      rmSync(path('fetched'), { recursive: true, force: true });
      mkdirSync(path('fetched'));
      putOlder('dated.yaml', inventory);
      const running = await serve({ inventory: 'dated.yaml' });
      const url = running.urls['worker-0']?.['iso'] ?? '';
      const get = (): Promise<string> => fetchWith(program, ...args.split(' '), url);
      const isCurrent = async (): Promise<boolean> =>
        readFileSync(path('fetched/worker-0.iso')).equals(
          Buffer.from(await (await fetch(url)).arrayBuffer()),
        );
      expect(await get()).not.toMatch(unchanged);
      expect(await isCurrent()).toBe(true);
      putOlder('dated.yaml', inventory.replace('192.0.2.1', '192.0.2.9'));
      await running.reload();
      expect(await isCurrent()).toBe(false);
      expect(await get()).not.toMatch(unchanged);
      expect(await isCurrent()).toBe(true);
      await new Promise((done) => setTimeout(done, 2100));
      await get(); // without the date of the server, the time of the first download may be that of the change
      await running.reload();
      expect(await get()).toMatch(unchanged);
      expect(await isCurrent()).toBe(true);
    },
  );
});

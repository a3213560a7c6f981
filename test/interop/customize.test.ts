/**
 * `iso customize` and `pxe customize` beside those of coreos-installer: the same options on the same image have to give
 * the same archive (but for null members and the comment in units), the same kernel arguments and the same exit code.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readUnit } from '../support/readUnit.ts';
import { readInitrd } from '../../src/image/initrd.ts';
import { openLiveIso } from '../../src/image/liveIso.ts';
import { bytesAccess } from '../../src/image/overlay.ts';
import { sampleFiles } from '../support/sampleIso.ts';
import { layouts, liveIso } from '../support/liveIso.ts';
import { have, oracleNote } from '../support/programs.ts';
import { runCli } from '../support/runCli.ts';
import { sharedData, sharedDataNote } from '../support/sharedData.ts';

const inputs: Readonly<Record<string, string>> = {
  'a.ign':
    '{"ignition":{"version":"3.6.0"},"storage":{"files":[{"path":"/etc/a","contents":{"source":"data:,x"}}]}}',
  'b.ign':
    '{"ignition":{"version":"3.0.0"},"systemd":{"units":[{"name":"b.service","enabled":true}]},"passwd":{}}',
  'unused.ign':
    '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"/etc/c","unknown":1}]},"other":{}}',
  'old.ign': '{"ignition":{"version":"2.2.0"}}',
  'experimental.ign': '{"ignition":{"version":"3.3.0-experimental"}}',
  'broken.ign': '{"ignition":{"version":"3.4.0"}',
  'type.ign': '{"ignition":{"version":"3.4.0"},"storage":{"files":{}}}',
  'empty.ign': '',
  'pre.sh': '#!/bin/sh\nlsblk\n',
  'post.sh': '#!/bin/sh\npoweroff\n',
  'installer.yaml': 'append-karg: [quiet]\n',
  'second.yaml': '# comment\ncopy-network: true\nconsole:\n- ttyS0\n',
  'unknown.yaml': 'append-kargs: [quiet]\n',
  'text.yaml': 'text\n',
  'eth1.nmconnection': '[connection]\nid=eth1\ntype=ethernet\n',
  'net.yaml': 'interfaces:\n- {name: eth0, type: ethernet, state: up, ipv4: {enabled: true, dhcp: true}}\n',
  'net.json':
    '{"interfaces":[{"name":"eth2","type":"ethernet","state":"up","mtu":1400,"ipv4":{"enabled":"true","dhcp":false,' +
    '"address":[{"ip":"192.0.2.2","prefix-length":24}]}}],"dns-resolver":{"config":{"server":["192.0.2.1"]}},' +
    '"routes":{"config":[{"destination":"0.0.0.0/0","next-hop-address":"192.0.2.1","next-hop-interface":"eth2"}]}}',
  'ca.pem': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
};

/** What both commands know. */
const common: readonly (readonly string[])[] = [
  [],
  ['--dest-device', '/dev/sda'],
  ['--dest-ignition', 'a.ign'],
  ['--dest-ignition', 'unused.ign', '--dest-device', '/dev/sda', '--network-nmstate', 'net.yaml'],
  ['--dest-ignition', 'a.ign', '--dest-ignition', 'b.ign'],
  ['--dest-ignition', 'a.ign', '--ignition-ca', 'ca.pem'],
  ['--ignition-ca', 'ca.pem', '--ignition-ca', 'pre.sh'],
  ['--live-ignition', 'b.ign', '--live-ignition', 'unused.ign'],
  [
    '--pre-install',
    'pre.sh',
    '--pre-install',
    'post.sh',
    '--post-install',
    'post.sh',
    '--post-install',
    'pre.sh',
  ],
  [
    '--network-keyfile',
    'eth1.nmconnection',
    '--network-nmstate',
    'net.yaml',
    '--network-nmstate',
    'net.json',
  ],
  ['--network-keyfile', 'eth1.nmconnection', '--installer-config', 'installer.yaml'],
  ['--installer-config', 'second.yaml', '--installer-config', 'installer.yaml', '--dest-device', '/dev/vda'],
  ['--dest-console', 'ttyS0', '--dest-console', 'tty0', '--dest-console', 'ttyAMA1,115200e7'],
  ['--dest-karg-append', 'console=ttyS0', '--dest-karg-delete', 'quiet', '--dest-karg-append', 'a: b'],
  [
    '--dest-karg-append',
    'true',
    '--dest-karg-append',
    '12',
    '--dest-karg-append',
    "it's # x",
    '--dest-karg-append=',
  ],
  // errors
  ['--dest-console', 'foo'],
  ['--dest-console', 'console=tty0'],
  ['--dest-console', 'ttyS256'],
  ['--dest-device', 'a', '--dest-device', 'b'],
  ['--dest-ignition', 'old.ign'],
  ['--dest-ignition', 'experimental.ign'],
  ['--live-ignition', 'broken.ign'],
  ['--live-ignition', 'type.ign'],
  ['--live-ignition', 'empty.ign'],
  ['--live-ignition', 'nowhere.ign'],
  ['--installer-config', 'unknown.yaml'],
  ['--installer-config', 'text.yaml'],
  ['--installer-config', 'pre.sh'],
  ['--pre-install', 'pre.sh', '--pre-install', './pre.sh'],
  ['--network-keyfile', 'eth1.nmconnection', '--network-keyfile', './eth1.nmconnection'],
  ['--network-nmstate', 'net.yaml', '--network-nmstate', 'net.yaml'],
  ['--network-nmstate', 'text.yaml'],
];

const ofIso: readonly (readonly string[])[] = [
  ...common,
  ['--live-karg-append', 'quiet', '--live-karg-delete', 'mitigations=auto,nosmt'],
  ['--live-karg-append', 'a=b', '--live-karg-replace', 'a=b=c'],
  ['--live-karg-delete', 'nothing'],
  ['--live-karg-replace', 'ignition.platform.id=metal=qemu', '--live-ignition', 'a.ign'],
  ['--live-karg-replace', 'a=b'],
  ['--live-karg-append', 'x'.repeat(2100)],
  ['--unknown'],
];

/** What older layouts do not support, and what touches every part of an image. */
const brief: readonly (readonly string[])[] = [
  ['--dest-console', 'ttyS0'],
  ['--network-keyfile', 'eth1.nmconnection'],
  ['--installer-config', 'installer.yaml', '--dest-device', '/dev/sda'],
  ['--live-ignition', 'a.ign', '--live-karg-append', 'quiet'],
];

const isoFolder = join(sharedData ?? '', 'iso');
const canUnpack = sharedData !== undefined && have('xz');
const realNames = canUnpack ? readdirSync(isoFolder).filter((name) => name.endsWith('.xz')) : [];
const images: [string, () => Uint8Array][] = [
  ...layouts.map((layout): [string, () => Uint8Array] => [`layout ${layout}`, () => liveIso(layout)]),
  ...realNames.map((name): [string, () => Uint8Array] => [
    name,
    () => execFileSync('xz', ['-dc', join(isoFolder, name)], { maxBuffer: 2 ** 28 }),
  ]),
];

let cwd: string;
beforeAll(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'customize interop ')));
  await Promise.all(Object.entries(inputs).map(([name, text]) => writeFile(join(cwd, name), text)));
});
afterAll(async () => rm(cwd, { recursive: true, force: true }));

interface Outcome {
  readonly code: number;
  /** Undefined where nothing was written. */
  readonly bytes: Uint8Array | undefined;
  readonly stderr: string;
}

async function ours(args: readonly string[]): Promise<Outcome> {
  const { code, stderr } = await runCli([...args, '-o', 'ours.out'], {
    cwd,
    programName: 'coreos-installer',
  });
  return { code, stderr, bytes: await take('ours.out') };
}

async function theirs(args: readonly string[]): Promise<Outcome> {
  const { status, stderr } = spawnSync('coreos-installer', [...args, '-o', 'theirs.out'], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, RUST_BACKTRACE: '0' },
  });
  return { code: status ?? -1, stderr, bytes: await take('theirs.out') };
}

async function take(name: string): Promise<Uint8Array | undefined> {
  const bytes = await readFile(join(cwd, name)).catch(() => undefined);
  await rm(join(cwd, name), { force: true });
  return bytes;
}

/**
 * The sentence that scripts look for; below it are causes, which differ. Usage errors come from another parser. Errors of
 * nmstate begin with file and line, as everywhere in this program.
 */
function phrasesOf({ code, stderr }: Outcome): readonly string[] {
  if (code === 0)
    return stderr.split('\n').filter((line) => /^(Warning parsing|Boot media|PXE conf)/.test(line));
  if (code === 2) return [];
  const sentence = /^Error: (.*)$/m.exec(stderr)?.[1] ?? '';
  const phrase = /^(parsing (?:Ignition config \S+|installer config \S+)|config already specifies)/.exec(
    sentence,
  );
  return /^(?:(?:reading|opening)[ /]|parsing nmstate$)/.test(sentence) ? [] : [phrase?.[0] ?? sentence];
}

function decodeArchive(files: ReadonlyMap<string, Uint8Array>): Record<string, unknown> {
  return Object.fromEntries(
    [...files].map(([path, data]) => {
      const text = Buffer.from(data).toString();
      return [path, path === 'config.ign' ? decodeConfig(JSON.parse(text)) : text];
    }),
  );
}

/** Without nulls, with what data URLs and units hold in their place. */
function decodeConfig(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decodeConfig);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  const source: unknown = Reflect.get(value, 'source');
  if (Reflect.get(value, 'compression') === 'gzip' && typeof source === 'string') return decodeData(source);
  return Object.fromEntries(
    members.map(([key, member]) =>
      key === 'contents' && typeof member === 'string'
        ? [key, readUnit(member)]
        : [key, decodeConfig(member)],
    ),
  );
}

function decodeData(url: string): unknown {
  const text = gunzipSync(Buffer.from(url.replace('data:;base64,', ''), 'base64')).toString();
  if (text.startsWith('{"')) return decodeConfig(JSON.parse(text));
  return /^[a-z-]+:/.test(text) ? load(text) : text;
}

/** What a script sees of a live ISO. */
async function inspectIso({ code, bytes }: Outcome): Promise<unknown> {
  if (bytes === undefined) return { code };
  const iso = await openLiveIso(bytesAccess(bytes));
  const files = decodeArchive(await iso.embeddedFiles());
  return { code, files, kargs: await iso.kargsAreas(), size: bytes.length };
}

/** And of an initramfs that begins with `initrd`. */
async function inspectInitrd({ code, bytes }: Outcome, initrd: Uint8Array): Promise<unknown> {
  if (bytes === undefined) return { code };
  const isKept = Buffer.from(initrd).equals(bytes.subarray(0, initrd.length));
  return { code, isKept, files: decodeArchive(await readInitrd(bytes)) };
}

it.skipIf(canUnpack)(`images of real releases${sharedDataNote}${oracleNote('xz')}`, () => {
  expect(realNames).toEqual([]);
});

describe.skipIf(!have('coreos-installer'))(`iso customize${oracleNote('coreos-installer')}`, () => {
  describe.each(images)('%s', (name, make) => {
    beforeAll(async () => writeFile(join(cwd, 'image.iso'), make()));

    const options = name === 'layout 2023-07' ? ofIso : brief;
    it.each(options.map((args) => [args.join(' ').slice(0, 80), args] as const))(
      '%s',
      async (_title, args) => {
        const theirResult = await theirs(['iso', 'customize', ...args, 'image.iso']);
        const ourResult = await ours(['iso', 'customize', ...args, 'image.iso']);
        for (const phrase of phrasesOf(theirResult)) expect(ourResult.stderr).toContain(phrase);
        expect(await inspectIso(ourResult)).toEqual(await inspectIso(theirResult));
      },
    );
  });
});

describe.skipIf(!have('coreos-installer'))(`pxe customize${oracleNote('coreos-installer')}`, () => {
  const initrd = sampleFiles('fedora').get('images/pxeboot/initrd.img') ?? new Uint8Array();
  beforeAll(async () => {
    await writeFile(join(cwd, 'initrd.img'), initrd);
    const customized = await theirs(['pxe', 'customize', '--live-ignition', 'a.ign', 'initrd.img']);
    await writeFile(join(cwd, 'customized.img'), customized.bytes ?? '');
  });

  const cases = common.map((args) => [...args, 'initrd.img']);
  it.each(
    [...cases, ['customized.img'], ['pre.sh'], ['nowhere.img']].map(
      (args) => [args.join(' '), args] as const,
    ),
  )('%s', async (_title, args) => {
    const theirResult = await theirs(['pxe', 'customize', ...args]);
    const ourResult = await ours(['pxe', 'customize', ...args]);
    for (const phrase of phrasesOf(theirResult)) expect(ourResult.stderr).toContain(phrase);
    expect(await inspectInitrd(ourResult, initrd)).toEqual(await inspectInitrd(theirResult, initrd));
  });
});

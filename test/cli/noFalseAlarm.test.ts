/** What is known to work is accepted: the output of each profile, networks, images and inventories. */

import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasErrors } from '../../src/core/finding.ts';
import { parseYaml } from '../../src/formats/yaml.ts';
import { convertNmstate } from '../../src/network/convertNmstate.ts';
import { keyfileProblems } from '../support/keyfiles.ts';
import { layouts, liveIso } from '../support/liveIso.ts';
import { networkDataDocuments } from '../support/networkDataDocuments.ts';
import { runCli } from '../support/runCli.ts';
import { sharedData, sharedDataNote } from '../support/sharedData.ts';
import { inventory } from '../support/twoHosts.ts';

const image = 'registry.example.com/ironic-agent';
const sshKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9zIsVJMfhacIuKONUMGEmrH10rGh7UkLGfneQkUQH0 a@b';

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'no false alarm '));
  await writeFile(join(cwd, 'id.pub'), `${sshKey}\n`);
  await writeFile(join(cwd, 'inv.yaml'), inventory.replace('agent:', `agent:\n  agent.image: ${image}`));
  await writeFile(join(cwd, 'auth.json'), '{"auths":{"registry.example.com":{"auth":"aHVudGVyMjp4"}}}');
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

/** The commands that do not end with 0, with what they print. */
async function refusals(...lines: readonly string[]): Promise<readonly object[]> {
  const found: object[] = [];
  for (const line of lines) {
    const { code, stderr, stdout } = await runCli(line.split(' '), { cwd });
    if (code !== 0) found.push({ line, stderr, stdout, code });
  }
  return found;
}

const profiles: readonly (readonly [name: string, args: string, env: Readonly<Record<string, string>>])[] = [
  ['default', `--api-url https://192.0.2.1 --agent-image ${image} --ssh-key id.pub`, {}],
  ['buildpy', '--host 192.0.2.1 --registry registry.example.com --ssh-key id.pub', {}],
  ['assisted', '', { IRONIC_BASE_URL: 'https://192.0.2.1', IRONIC_AGENT_IMAGE: image }],
  ['icc', '', { IRONIC_BASE_URL: 'https://192.0.2.1', IRONIC_AGENT_IMAGE: image }],
  [
    'configure-coreos-ipa',
    '',
    { IRONIC_IP: '192.0.2.1', IRONIC_AGENT_IMAGE: image, IRONIC_RAMDISK_SSH_KEY: sshKey },
  ],
];

describe.each(profiles)('the config of profile %s', (name, args, env) => {
  it('passes validate --strict without a message', async () => {
    const words = ['render', '--profile', name, ...args.split(' '), '-o', 'agent.ign'].filter(Boolean);
    const { code, stderr } = await runCli(words, { cwd, env });
    expect({ stderr, code }).toEqual({ stderr, code: 0 });
    expect(await refusals('validate --strict agent.ign')).toEqual([]);
  });

  it('is embedded in images of all layouts', async () => {
    for (const layout of layouts.filter((known) => known !== '2020-09')) {
      await writeFile(join(cwd, 'live.iso'), liveIso(layout));
      expect(await refusals('iso ignition embed -f -i agent.ign live.iso', 'validate live.iso')).toEqual([]);
    }
  });
});

it.each(['render --inventory inv.yaml -o rendered', 'prepare --inventory inv.yaml --artifacts ign -o boot'])(
  'the inventory: %s',
  async (line) => {
    expect(await refusals(line)).toEqual([]);
  },
);

async function refusalsOfNetwork(option: string, document: string): Promise<readonly object[]> {
  await writeFile(join(cwd, 'network'), document);
  return refusals(
    `pxe network wrap ${option} network -o network.img`,
    `render --api-url https://192.0.2.1 --agent-image ${image} --no-ssh-key ${option} network -o host.ign`,
    'validate host.ign',
  );
}

/** NetworkManager ignores some of what nmstate writes. */
function isUsed(nmstate: string): boolean {
  const { keyfiles } = convertNmstate(parseYaml(nmstate).value);
  const problems = keyfiles.flatMap(({ text }) => keyfileProblems(text));
  return keyfiles.length > 0 && problems.every(({ severity }) => severity !== 'error');
}

const goldens = resolve(import.meta.dirname, '../golden/network');
const networks = readdirSync(goldens)
  .filter((name) => !name.endsWith('.out.yaml'))
  .map((name) => ({ name, nmstate: readFileSync(join(goldens, name), 'utf8') }));
it.each(networks.filter(({ nmstate }) => isUsed(nmstate)))('nmstate: $name', async ({ nmstate }) => {
  expect(await refusalsOfNetwork('--nmstate', nmstate)).toEqual([]);
});

it.each(networkDataDocuments)('network data: $title', async ({ document }) => {
  expect(await refusalsOfNetwork('--network-data', JSON.stringify(document))).toEqual([]);
});

interface PublicDocument {
  readonly id: string;
  readonly nmstate: string;
  /** Why nmstate refuses it. */
  readonly refused?: string;
}

const publicDocuments =
  sharedData === undefined ? [] : readPublicDocuments(join(sharedData, 'nmstate-cases.jsonl'));

/** Those that nmstate accepts and the built-in conversion supports. */
function readPublicDocuments(path: string): readonly PublicDocument[] {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines
    .map((line): PublicDocument => JSON.parse(line))
    .filter(({ nmstate, refused }) => refused === undefined && isSupported(nmstate));
}

function isSupported(nmstate: string): boolean {
  return !hasErrors(convertNmstate(parseYaml(nmstate).value).findings);
}

describe.skipIf(sharedData === undefined)(`public nmstate documents${sharedDataNote}`, () => {
  it('are at least as many as in the first comparison', () => {
    expect(publicDocuments.length).toBeGreaterThanOrEqual(107);
  });

  it.each(publicDocuments)('$id', async ({ nmstate }) => {
    expect(await refusalsOfNetwork('--nmstate', nmstate)).toEqual([]);
  });
});

/** What `--show-settings` prints of an inventory: what counts for all, and what is different for single hosts. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readInventoryFile } from '../../../src/hosts/settings/inventory.ts';
import type { ProfileName } from '../../../src/agent/settings.ts';
import type { RenderOptions } from '../../../src/hosts/settings/options.ts';
import { readInputs } from '../../../src/hosts/settings/settings.ts';
import { formatShownSettings } from '../../../src/commands/render/showSettings.ts';
import type { Io } from '../../../src/io/io.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'show settings '));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

async function read(text: string, options: RenderOptions = {}, env: Io['env'] = {}) {
  await writeFile(join(folder, 'r.yaml'), text);
  const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
  const io = { stdin: Readable.from([]), stdout: sink, stderr: sink, env, cwd: folder, programName: 'x' };
  return readInventoryFile('r.yaml', options, io);
}

async function show(text: string, options: RenderOptions = {}, env: Io['env'] = {}): Promise<string[]> {
  const { inventory, source } = await read(text, options, env);
  const shown = formatShownSettings(readInputs(source), source.options, inventory.hosts);
  return shown.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '));
}

const agent = 'agent: {ironic.apiUrls: [https://192.0.2.1, https://192.0.2.2]}\n';

describe('formatShownSettings', () => {
  it.each([
    ['an override', 'overrides: {agent.debug: true}', 'a | agent.debug | yes | r.yaml:2:44'],
    ['one that takes back', 'overrides: {ironic.apiUrls: null}', 'a | ironic.apiUrls | unset'],
    ['items', 'overrides: {host.consoles: [ttyS1]}', 'a | host.consoles | ttyS1 | r.yaml:2:47'],
    [
      'what flags beat',
      'overrides: {agent.image: quay.io/x/y}',
      'a | agent.image | quay.io/x/y | r.yaml:2:44, overridden by --agent-image',
    ],
    [
      'what the environment beats',
      'overrides: {host.hostname: b, ironic.inspectorUrls: null}',
      'a | ironic.inspectorUrls | unset | overridden by IRONIC_INSPECTOR_BASE_URL',
    ],
    ['nmstate', 'network: {nmstate: {a: 1}}', 'a | host.nmstate | in the inventory | r.yaml:2:38'],
    ['a file of nmstate', 'network: {nmstate: x.yaml}', 'a | host.nmstate | x.yaml | r.yaml:2:38'],
    [
      'keyfiles',
      'network: {keyfiles: {e.nmconnection: x}}',
      'a | host.keyfiles | e.nmconnection | r.yaml:2:56',
    ],
    ['a mistake', 'colour: red', 'a | invalid | unknown key "colour"'],
    [
      'a secret',
      'overrides: {proxy.http: "http://u:secret@p"}',
      'a | proxy.http | http://(secret)@p | r.yaml:2:43',
    ],
  ])('shows %s of a host', async (_title, host, line) => {
    const options = { agentImage: 'quay.io/x/z' };
    const env = { IRONIC_INSPECTOR_BASE_URL: 'https://192.0.2.1' };
    const lines = await show(`${agent}hosts: [{name: a, ${host}}]\n`, options, env);
    expect(lines).toContain('host | setting | value | source');
    expect(lines.map((shown) => shown.replace('a | | wrong', 'a | wrong'))).toContain(line);
  });

  const ports = ['ironic.port | 6385 | default', 'ironic.inspectorPort | 5050 | default'];
  it.each<readonly [ProfileName, readonly string[]]>([
    ['default', [...ports, 'agent.pullPolicy | always | default']],
    ['buildpy', []],
    ['icc', ['agent.vlanInterfaces | auto | default']],
    ['assisted', []],
    ['configure-coreos-ipa', [...ports, 'agent.podman.pullArgs | --tls-verify=false | default']],
  ])('shows the default values of the settings that the profile %s supports', async (profile, defaults) => {
    const host = profile === 'buildpy' && { host: '192.0.2.1' };
    const [head, chosen, ...lines] = await show('agent: {agent.image: quay.io/x/y}\n', { profile, ...host });
    expect([head, chosen]).toEqual(['setting | value | source', `profile | ${profile}`]);
    expect(lines.filter((line) => line.endsWith(' | default'))).toEqual(defaults);
  });

  it('shows the image of build.py, and no other', async () => {
    const image = 'agent.image | quay.io/metal3-io/ironic-agent | default';
    expect(await show('{}\n', { profile: 'buildpy', host: '192.0.2.1' })).toContain(image);
    expect((await show('{}\n')).filter((line) => line.startsWith('agent.image'))).toEqual([]);
  });

  it('shows each item of a list of all hosts', async () => {
    const lines = await show(agent);
    expect(lines).toContain('ironic.apiUrls | https://192.0.2.1 | r.yaml:1:26');
    expect(lines).toContain('ironic.apiUrls | https://192.0.2.2 | r.yaml:1:45');
  });

  it.each([
    ['agent.podman.args', '--env=PASSWORD=hunter2', '--env=PASSWORD=(secret)'],
    ['agent.podman.environment', 'APIKEY=hunter2', 'APIKEY=(secret)'],
    ['agent.podman.environment', 'MYPASSWORD=hunter2', 'MYPASSWORD=(secret)'],
    ...['A_PASSPHRASE', 'WIFI_PSK', 'ROOTPWD', 'B_CREDENTIALS', 'MY_KEY', 'REGISTRY_PIN', 'API_KEY2'].map(
      (variable): [string, string, string] => [
        'agent.podman.environment',
        `${variable}=hunter2 and more`,
        `${variable}=(secret)`,
      ],
    ),
    ['agent.podman.args', '--env=WIFI_PSK=hunter2', '--env=WIFI_PSK=(secret)'],
    ['agent.podman.args', '-e A_PASSPHRASE=hunter2', '-e A_PASSPHRASE=(secret)'],
    ['agent.podman.pullArgs', '--creds user:hunter2', '--creds (secret)'],
    ['agent.options', 'vendor_passphrase = hunter2', 'vendor_passphrase = (secret)'],
    ['proxy.none', 'http://h/?token=hunter2', 'http://h/?token=(secret)'],
    ['agent.podman.environment', 'KEY_FILE=/etc/key', 'KEY_FILE=/etc/key'],
    ['agent.podman.args', '--memory=2g', '--memory=2g'],
    ['agent.podman.environment', 'IMAGE=q.io/monkey:v1', 'IMAGE=q.io/monkey:v1'],
  ])('%s: %s is shown as %s', async (name, text, shown) => {
    const lines = await show(`agent: {${name}: ["${text}"]}\n`);
    expect(lines.join('\n')).toContain(`${name} | ${shown} | r.yaml:`);
  });

  it('says nothing of hosts that are like the others', async () =>
    expect((await show(`${agent}hosts: [{name: a}]\n`)).join('\n')).not.toContain('host |'));

  it('shows some of many hosts', async () => {
    const hosts = Array.from({ length: 150 }, (_, at) => `{name: h${at}, overrides: {agent.debug: true}}`);
    const lines = await show(`${agent}hosts: [${hosts.join(', ')}]\n`);
    expect(lines.filter((line) => /^h\d/.test(line))).toHaveLength(100);
    expect(lines.at(-2)).toBe('and 50 more hosts');
  });
});

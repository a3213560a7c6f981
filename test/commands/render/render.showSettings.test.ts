/** What `--show-settings` prints of an inventory: what counts for all hosts, or for one of them. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProfileName } from '../../../src/agent/settings.ts';
import type { RenderOptions } from '../../../src/hosts/settings/options.ts';
import { render } from '../../../src/commands/render/render.ts';
import { runCli } from '../../support/runCli.ts';
import type { Io } from '../../../src/io/io.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'show settings '));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

async function show(text: string, options: RenderOptions = {}, env: Io['env'] = {}): Promise<string[]> {
  await writeFile(join(folder, 'r.yaml'), text);
  const written: Uint8Array[] = [];
  const stdout = new Writable({ write: (chunk, _encoding, done) => (written.push(chunk), done()) });
  const stderr = new Writable({ write: (chunk) => expect.fail(String(chunk)) });
  const io = { stdin: Readable.from([]), stdout, stderr, env, cwd: folder, programName: 'x' };
  await render({ ...options, inventory: 'r.yaml', showSettings: true }, io);
  const shown = Buffer.concat(written).toString();
  return shown.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '));
}

const agent = 'agent: {ironic.apiUrls: [https://192.0.2.1, https://192.0.2.2]}\n';

describe('render --show-settings', () => {
  it.each([
    ['an override', 'overrides: {agent.debug: true}', 'agent.debug | yes | r.yaml:2:44'],
    ['items', 'overrides: {host.consoles: [ttyS1]}', 'host.consoles | ttyS1 | r.yaml:2:47'],
    [
      'the flag that beats it',
      'overrides: {agent.image: quay.io/x/y}',
      'agent.image | quay.io/x/z | --agent-image',
    ],
    [
      'the variable that beats it',
      'overrides: {ironic.inspectorUrls: null}',
      'ironic.inspectorUrls | https://192.0.2.1 | IRONIC_INSPECTOR_BASE_URL',
    ],
    ['what it shares with others', 'mac: 52:54:00:00:00:01', 'host.ntpServers | a | r.yaml:1:82'],
    ['what it has instead', 'overrides: {host.ntpServers: b}', 'host.ntpServers | b | r.yaml:2:48'],
    ['its name', 'mac: 52:54:00:00:00:01', 'host.hostname | a | r.yaml:2'],
    ['nmstate', 'network: {nmstate: {a: 1}}', 'host.nmstate | in the inventory | r.yaml:2:38'],
    ['a file of nmstate', 'network: {nmstate: x.yaml}', 'host.nmstate | x.yaml | r.yaml:2:38'],
    ['keyfiles', 'network: {keyfiles: {e.nmconnection: x}}', 'host.keyfiles | e.nmconnection | r.yaml:2:56'],
    [
      'a secret',
      'overrides: {proxy.http: "http://u:secret@p"}',
      'proxy.http | http://(secret)@p | r.yaml:2:43',
    ],
  ])('shows %s of a host', async (_title, host, line) => {
    const options = { agentImage: 'quay.io/x/z', host: 'a' };
    const env = { IRONIC_INSPECTOR_BASE_URL: 'https://192.0.2.1' };
    const text = `${agent.replace('}', ', host.ntpServers: a}')}hosts: [{name: a, ${host}}, {name: b}]\n`;
    const lines = await show(text, options, env);
    expect(lines).toContain(line);
    const [setting = ''] = line.split(' | ');
    expect(lines.filter((shown) => shown.startsWith(`${setting} `))).toEqual([line]);
  });

  it('shows nothing that a host takes back', async () => {
    const text = `${agent}hosts: [{name: a, overrides: {ironic.apiUrls: null}}]\n`;
    expect((await show(text, { host: 'a' })).join('\n')).not.toContain('ironic.apiUrls');
  });

  it('reports the mistakes of the host', async () => {
    await writeFile(join(folder, 'bad.yaml'), `${agent}hosts: [{name: a, colour: red}]\n`);
    const args = ['render', '--inventory', 'bad.yaml', '--show-settings'];
    const { code, stdout, stderr } = await runCli([...args, '--host', 'a'], { cwd: folder });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('unknown key "colour"');
    expect(stderr).toContain('error: host a is invalid');
  });

  it('shows what all hosts share without a name', async () => {
    const lines = await show(`${agent}hosts: [{name: a, overrides: {agent.debug: true}}]\n`);
    expect(lines).toContain('ironic.apiUrls | https://192.0.2.1 | r.yaml:1:26');
    expect(lines.join('\n')).not.toMatch(/agent\.debug|host\.hostname/);
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
    ['agent.podman.args', '--env=APIKEY=hunter2', '--env=APIKEY=(secret)'],
    ['agent.podman.args', '--env=MYPASSWORD=hunter2', '--env=MYPASSWORD=(secret)'],
    ...['A_PASSPHRASE', 'WIFI_PSK', 'ROOTPWD', 'B_CREDENTIALS', 'MY_KEY', 'REGISTRY_PIN', 'API_KEY2'].map(
      (variable): [string, string, string] => [
        'agent.podman.args',
        `--env=${variable}=hunter2 and more`,
        `--env=${variable}=(secret)`,
      ],
    ),
    ['agent.podman.args', '--env=WIFI_PSK=hunter2', '--env=WIFI_PSK=(secret)'],
    ['agent.podman.args', '-e A_PASSPHRASE=hunter2', '-e A_PASSPHRASE=(secret)'],
    ['agent.podman.pullArgs', '--creds user:hunter2', '--creds (secret)'],
    ['agent.options', 'vendor_passphrase = hunter2', 'vendor_passphrase = (secret)'],
    ['proxy.none', 'http://h/?token=hunter2', 'http://h/?token=(secret)'],
    ['agent.podman.args', '--env=KEY_FILE=/etc/key', '--env=KEY_FILE=/etc/key'],
    ['agent.podman.args', '--memory=2g', '--memory=2g'],
    ['agent.podman.args', '--env=IMAGE=q.io/monkey:v1', '--env=IMAGE=q.io/monkey:v1'],
  ])('%s: %s is shown as %s', async (name, text, shown) => {
    const lines = await show(`agent: {${name}: ["${text}"]}\n`);
    expect(lines.join('\n')).toContain(`${name} | ${shown} | r.yaml:`);
  });
});

/** Configs for the tests of what is deployed: one with every setting, and every single change of a config. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderAgentConfig } from '../../src/agent/agentConfig.ts';
import { type AgentSettings, defaultSettings } from '../../src/agent/settings.ts';
import { checkDataUrl, decodeDataUrl } from '../../src/formats/dataUrl.ts';
import type { Config } from '../../src/ignition/config.ts';
import { decodeConfig } from '../support/randomConfigs.ts';

export const key =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9zIsVJMfhacIuKONUMGEmrH10rGh7UkLGfneQkUQH0 ipa-test@example';
const readCertificate = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../support/certificates', name), 'utf8');

/** Everything that is a secret has `hunter2` in it. */
const fullSettings: AgentSettings = {
  ...defaultSettings,
  apiUrls: ['https://192.0.2.1:6385', 'https://[2001:db8::1]:6385'],
  callbackUrls: ['https://192.0.2.1:5050/v1/continue'],
  verifyIronicTls: false,
  agentImage: 'registry.example.com/ipa:1',
  pullArgs: ['--creds=ops:hunter2', '--retry=3'],
  verifyRegistryTls: false,
  podmanArgs: [
    '--mount=type=bind,src=/var/lib/data,dst=/data',
    '--env=API_TOKEN=hunter2 and more',
    '--env=PERCENT=50% of $HOME',
    '--memory=2g',
  ],
  hardwareManagers: [
    { name: 'site', files: [{ path: 'site.py', mode: 0o644, content: Buffer.from('import os\n') }] },
  ],
  sshKeys: [key],
  passwordHash: '$6$hunter2$hunter2',
  autologin: true,
  serialConsoles: ['ttyS0'],
  pullSecret: '{"auths":{"quay.io":{"auth":"hunter2"}}}',
  registriesConf: '[[registry]]\nlocation = "quay.io"\n',
  caCertificates: readCertificate('test-ca.pem'),
  proxy: { http: 'http://ops:hunter2@proxy.example.com:3128', noProxy: ['localhost'] },
  ntpServers: ['ntp1.example.com', 'ntp2.example.com'],
  hostname: 'worker-0',
  keyfiles: [
    {
      name: 'wlan0.nmconnection',
      text: '[connection]\nid=wlan0\ntype=wifi\n\n[wifi-security]\nkey-mgmt=wpa-psk\npsk=hunter2\n',
    },
  ],
  copyNetwork: true,
  installIpOptions: 'ip=dhcp6',
  confOptions: {
    cafile: '/etc/ironic-python-agent/ca.crt',
    enable_vlan_interfaces: 'all',
    ntp_server: 'ntp1.example.com',
    debug: 'True',
    use_stderr: 'True',
  },
  debug: true,
  optionLines: ['agent_token = hunter2', '[mdns]', 'lookup_attempts = 5'],
  files: [{ path: '/etc/site', mode: 0o600, content: Buffer.from('hunter2') }],
  units: [{ name: 'site.service', text: '[Service]\nExecStart=/bin/site --password hunter2\n' }],
};

/** As a reader of the document sees it. */
export function render(settings: Partial<AgentSettings> = {}): Config {
  const config = renderAgentConfig({ ...fullSettings, ...settings });
  return decodeConfig(JSON.stringify(config));
}

/** A config in which one value is another, and where that is. */
export interface Changed {
  readonly place: string;
  readonly config: Config;
}

/** Configs that differ from the given one in one value, or one word of a unit or text: at most `most`, spread evenly. */
export function changesOf(config: Config, most = Infinity): Changed[] {
  const changes = listChanges(config);
  const step = Math.max(1, Math.ceil(changes.length / most));
  return changes
    .filter((_, index) => index % step === 0)
    .map(({ place, path, variant }) => ({
      place,
      config: decodeConfig(JSON.stringify(replaceLeaf(config, path, variant))),
    }));
}

interface Change {
  readonly place: string;
  readonly path: readonly Step[];
  readonly variant: Leaf;
}

function listChanges(config: Config): Change[] {
  return listLeaves(config, []).flatMap(({ path, value }) =>
    variantsOf(value).map((variant, index) => ({ place: `${path.join('.')} ${index}`, path, variant })),
  );
}

type Step = string | number;
type Leaf = string | number | boolean;

function listLeaves(value: unknown, path: readonly Step[]): { path: readonly Step[]; value: Leaf }[] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return [{ path, value }];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => listLeaves(item, [...path, index]));
  }
  return Object.entries(value ?? {}).flatMap(([name, member]) => listLeaves(member, [...path, name]));
}

function replaceLeaf(value: unknown, [step, ...others]: readonly Step[], leaf: Leaf): unknown {
  if (step === undefined) return leaf;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => (index === step ? replaceLeaf(item, others, leaf) : item));
  }
  return Object.fromEntries(
    Object.entries(value ?? {}).map(([name, member]) => [
      name,
      name === step ? replaceLeaf(member, others, leaf) : member,
    ]),
  );
}

function variantsOf(value: Leaf): Leaf[] {
  if (typeof value === 'boolean') return [!value];
  if (typeof value === 'number') return [value + 1];
  if (/^3\.\d\.0/.test(value)) return [value === '3.4.0' ? '3.5.0' : '3.4.0'];
  if (value.startsWith('data:') && checkDataUrl(value) === undefined) {
    const text = Buffer.from(decodeDataUrl(value)).toString();
    return changeLines(text).map((other) => `data:;base64,${Buffer.from(other).toString('base64')}`);
  }
  return value.includes('\n') ? changeLines(value) : [`${value}x`];
}

/** Each word of each line that means something gets another end. */
function changeLines(text: string): string[] {
  const words = [...text.matchAll(/[^\s;]+/g)];
  return words
    .filter(({ index, 0: word }) => {
      const line = text.slice(text.lastIndexOf('\n', index) + 1).trimStart();
      // Comments, section headers, and the joints of lines.
      return !/^[#;[-]/.test(line) && word !== '\\' && word !== '=';
    })
    .map(({ index, 0: word }) => {
      const end = index + word.length - (/["'\\]$/.test(word) ? 1 : 0);
      return `${text.slice(0, end)}x${text.slice(end)}`;
    });
}

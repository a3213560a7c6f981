/**
 * Every reader of text from files, servers and machines, as a function that `linearTime.test.ts` feeds. Results and errors are of
 * no interest there. Add a reader here where it is written.
 */

import { parseCaCertificates } from '../../src/formats/caCertificates.ts';
import { checkConfFile } from '../../src/agent/confCheck.ts';
import {
  checkApiUrls,
  checkCallbackUrl,
  findUrlProblem,
  hasHttpsUrl,
  parseInspectorUrls,
} from '../../src/agent/ironicUrl.ts';
import { maskConfSecrets, maskSecrets } from '../../src/agent/lint/secrets.ts';
import { findLoginProblem, parsePullSecret, readCredentials } from '../../src/agent/pullSecret.ts';
import { readRegistriesConf } from '../../src/agent/registriesConf.ts';
import { parseArgument } from '../../src/kargs/argument.ts';
import { checkArgument } from '../../src/kargs/argumentChecks.ts';
import { argumentConnections } from '../../src/kargs/connections.ts';
import { parseBootUrl } from '../../src/kargs/urlArgument.ts';
import { parseDhcpRange } from '../../src/kargs/dnsmasq.ts';
import { parseKubeconfig } from '../../src/kube/kubeconfig.ts';
import { CliError } from '../../src/core/errors.ts';
import { parseMacAddress } from '../../src/core/macAddress.ts';
import { parseHintExpression } from '../../src/ipa/rootDeviceHints.ts';
import { parseStreamMetadata } from '../../src/commands/download/artifacts/streamMetadata.ts';
import { checkDataUrl, decodeDataUrl } from '../../src/formats/dataUrl.ts';
import { parseGoUrl, queryParameter } from '../../src/formats/goUrl.ts';
import { machineNameProblem, parseHost } from '../../src/formats/hostName.ts';
import { checkConditions } from '../../src/http/server/answer/conditions.ts';
import { parseRange } from '../../src/http/server/answer/ranges.ts';
import { parseRequestPath } from '../../src/http/server/answer/requestPath.ts';
import { parseImageReference } from '../../src/formats/imageReference.ts';
import { parseKeyfile } from '../../src/formats/keyfile.ts';
import { parseOsloConfig } from '../../src/formats/osloConfig.ts';
import { parsePythonFloat, parsePythonInteger, stripPython } from '../../src/formats/pythonText.ts';
import { checkSshPublicKey, splitAuthorizedKeys } from '../../src/formats/sshKey.ts';
import { splitEnvironmentLine, splitExecLine } from '../../src/formats/systemdQuoting.ts';
import { parseToml } from '../../src/formats/toml.ts';
import { parseUnit } from '../../src/formats/goUnitFile.ts';
import { readSystemdLines } from '../../src/formats/unitFile.ts';
import { translateButane } from '../../src/butane/translate.ts';
import { parseYaml } from '../../src/formats/yaml.ts';
import { scalarSpans } from '../../src/formats/yaml/scalars.ts';
import { parseArtifacts } from '../../src/hosts/plan/artifacts.ts';
import { parseManifest } from '../../src/hosts/artifacts/manifest.ts';
import { parseBaseUrl } from '../../src/hosts/plan/servedPaths.ts';
import { checkPodmanArg } from '../../src/agent/settingParsers.ts';
import { checkConfig } from '../../src/hosts/input/checkConfig.ts';
import { checkSourceConfig, readSourceConfig } from '../../src/hosts/input/sourceConfig.ts';
import { readInventory } from '../../src/hosts/settings/inventoryDocument.ts';
import { checkInstallerConfig } from '../../src/image/customize/installerConfig.ts';
import { parseConsole } from '../../src/image/customize/installerConsole.ts';
import { editKargs } from '../../src/image/kargsEdit.ts';
import { convertNetworkData } from '../../src/network/networkData/convertNetworkData.ts';
import { convertNmstate } from '../../src/network/convertNmstate.ts';
import { readKeyfile } from '../../src/network/keyfile/readKeyfile.ts';
import { formatTextReport } from './textReport.ts';
import { githubReporter } from '../../src/io/report/annotations.ts';
import { formatJsonReport } from '../../src/io/report/reporter.ts';
import { parseHttpUrl } from '../../src/http/client/httpUrl.ts';
import { printable, quoteText } from '../../src/core/foreignText.ts';
import { parseBmcAddress } from '../../src/redfish/bmcAddress.ts';
import { parseListenAddress } from '../../src/http/server/listenAddress.ts';
import { parseTokens } from '../../src/http/server/accessCheck.ts';
import { parseSignedPath } from '../../src/http/server/answer/signedPath.ts';
import { createMasker } from '../../src/core/knownSecrets.ts';
import { maskLogLine, maskSetting } from '../../src/core/masking.ts';
import { createConsoleText } from '../../src/trial/console/consoleText.ts';
import { findConsoleSigns } from '../../src/trial/timeline/consoleSigns.ts';
import { parseBody } from '../../src/trial/ironic/messages.ts';
import { validateConfig } from '../../src/ignition/validate.ts';
import { numbered, type Shape } from './textShapes.ts';

export interface Reader {
  readonly name: string;
  readonly read: (text: string) => unknown;
  /** The document that the text is a part of. */
  readonly place?: (text: string) => string;
  readonly shapes?: readonly Shape[];
}

const now = new Date('2026-11-26T00:00:00Z');

async function checkAll(document: string): Promise<void> {
  const checked = await checkConfig(Buffer.from(document), { lint: 'agent', now });
  const source = { name: 'config.ign', ...checked };
  formatTextReport(checked.report, source);
  formatJsonReport(checked.report, 'config.ign');
  githubReporter.add({ file: 'config.ign', ...checked });
}

async function checkYaml(text: string): Promise<void> {
  const source = await readSourceConfig('config.yaml', Buffer.from(text));
  const checked = await checkSourceConfig(source, { lint: 'agent', now });
  formatTextReport(checked.report, { name: 'config.yaml', ...checked });
}

function config(rest: object): string {
  return JSON.stringify({ ignition: { version: '3.4.0' }, ...rest });
}

const run =
  '/usr/bin/podman run --net=host --privileged --name ironic-agent registry.example.com/ironic-agent ironic-python-agent';

function unit(lines: string): string {
  const contents = `[Unit]\nAfter=network-online.target\n[Service]\nExecStart=${run}\n${lines}\n[Install]\nWantedBy=multi-user.target\n`;
  return config({ systemd: { units: [{ name: 'ironic-agent.service', enabled: true, contents }] } });
}

function file(path: string, extra: object = {}): (text: string) => string {
  return (text) =>
    config({
      storage: {
        files: [
          {
            path,
            mode: 0o644,
            contents: { source: `data:;base64,${Buffer.from(text).toString('base64')}` },
            ...extra,
          },
        ],
      },
      systemd: {
        units: [
          {
            name: 'ironic-agent.service',
            enabled: true,
            contents: `[Service]\nExecStart=${run}\n[Install]\nWantedBy=multi-user.target\n`,
          },
        ],
      },
    });
}

function json(key: string): (text: string) => string {
  return (text) => JSON.stringify({ [key]: text });
}

const source = { flag: '--api-url' };

async function inventory(text: string): Promise<void> {
  const read = await readInventory({ name: 'inventory.yaml', folder: '/', ...parseYaml(text) });
  for (const host of read.hosts ?? []) host.readInputs();
}

function butane(text: string): void {
  translateButane(text, undefined);
}

/** The same reader, without its errors. */
function caught(read: (text: string) => unknown): (text: string) => void {
  return (text) => {
    try {
      read(text);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
    }
  };
}

const mask = createMasker(['a secret of 20 bytes', 'user:a secret of 20 bytes']);

function checkConf(text: string): void {
  const bytes = Buffer.from(text);
  formatTextReport(checkConfFile(bytes), { name: 'ironic-python-agent.conf', bytes: maskConfSecrets(bytes) });
}

/** A list of many items in a document. */
function many(
  name: string,
  start: string,
  item: (index: number) => string,
  end: string,
  read: Reader['read'],
): Reader {
  return {
    name,
    shapes: [numbered((index) => `${item(index)},`)],
    place: (text) => `${start}${text.slice(0, -1)}${end}`,
    read,
  };
}

const ignition = '{"ignition":{"version":"3.4.0"},';
const readNmstate = (text: string): unknown => convertNmstate(JSON.parse(text));
const readNetworkData = (text: string): unknown => convertNetworkData(JSON.parse(text));
const agentUnit = JSON.stringify({
  name: 'ironic-agent.service',
  enabled: true,
  contents: `[Service]\nExecStart=${run}\n[Install]\nWantedBy=multi-user.target\n`,
});

/** Many commands that start the agent, and as much of something that each of them is compared with. */
function besideCommands(
  name: string,
  item: (index: number) => string,
  place: (text: string) => { readonly lines?: string; readonly files?: readonly object[] },
): Reader {
  return {
    name: `Ignition: commands and ${name}`,
    shapes: [numbered(item)],
    place: (text) => {
      const { lines = '', files = [] } = place(text);
      const commands = `ExecStart=${run}\n`.repeat(Math.ceil(text.length / run.length));
      const contents = `[Service]\n${commands}${lines}\n[Install]\nWantedBy=multi-user.target\n`;
      return config({
        storage: { files },
        systemd: { units: [{ name: 'ironic-agent.service', enabled: true, contents }] },
      });
    },
    read: checkAll,
  };
}

function inFile(path: string, text: string): { readonly files: readonly object[] } {
  const contents = { source: `data:;base64,${Buffer.from(text).toString('base64')}` };
  return { files: [{ path, mode: 0o600, contents }] };
}

const documents: readonly Reader[] = [
  besideCommands('variables', (i) => `Environment=A${i}=b\n`, (lines) => ({ lines })), // prettier-ignore
  besideCommands(
    'exceptions of a proxy',
    (i) => `a${i}/,`,
    (text) => ({ lines: `Environment=HTTPS_PROXY=http://p:1 NO_PROXY=${text}` }),
  ),
  besideCommands(
    'registries',
    (i) => `[[registry]]\nlocation = "r${i}.example.com"\n`,
    (text) => inFile('/etc/containers/registries.conf', text),
  ),
  besideCommands(
    'credentials',
    (i) => `"r${i}.example.com":{"auth":"YTpi"},`,
    (text) => inFile('/root/.docker/config.json', `{"auths":{${text}"r":{}}}`),
  ),
  many(
    'Ignition: many files',
    `${ignition}"storage":{"files":[`,
    (i) => `{"path":"/etc/f${i}"}`,
    ']}}',
    checkAll,
  ),
  many(
    'Ignition: files of one path',
    `${ignition}"storage":{"files":[`,
    () => `{"path":"/etc/f"}`,
    ']}}',
    checkAll,
  ),
  many(
    'Ignition: nested folders',
    `${ignition}"storage":{"directories":[`,
    (i) => `{"path":"/etc/f${i % 100}/g${i}"}`,
    ']}}',
    checkAll,
  ),
  many(
    'Ignition: links and files below them',
    `${ignition}"storage":{"files":[{"path":"/etc/l1/f"}],"links":[`,
    (i) => `{"path":"/etc/l${i}","target":"/x"}`,
    ']}}',
    checkAll,
  ),
  many('Ignition: files with contents', `${ignition}"systemd":{"units":[${agentUnit}]},"storage":{"files":[`, (i) => `{"path":"/etc/systemd/system/f${i}.service","contents":{"source":"data:,%5BUnit%5D%0AAfter=a.service"}}`, ']}}', checkAll), // prettier-ignore
  many('Ignition: confs', `${ignition}"systemd":{"units":[${agentUnit}]},"storage":{"files":[`, (i) => `{"path":"/etc/ironic-python-agent.d/f${i}.conf","contents":{"source":"data:,%5BDEFAULT%5D%0Aapi_url=https://192.0.2.${i % 250}"}}`, ']}}', checkAll), // prettier-ignore
  many('Ignition: keyfiles', `${ignition}"systemd":{"units":[${agentUnit}]},"storage":{"files":[`, (i) => `{"path":"/etc/NetworkManager/system-connections/f${i}.nmconnection","mode":384,"contents":{"source":"data:,%5Bconnection%5D%0Aid=c${i}%0Ainterface-name=e${i}%0Atype=ethernet"}}`, ']}}', checkAll), // prettier-ignore
  many('Ignition: units', `${ignition}"systemd":{"units":[`, (i) => `{"name":"u${i}.service","enabled":true,"contents":"[Service]\\nExecStart=/usr/bin/podman run registry.example.com/a${i}\\nEnvironmentFile=/etc/ironic${i}\\n[Install]\\nWantedBy=a${i}.target"}`, ']}}', checkAll), // prettier-ignore
  many('Ignition: agent units', `${ignition}"systemd":{"units":[`, (i) => `{"name":"u${i}.service","enabled":true,"contents":"[Service]\\nExecStart=${run}\\n[Install]\\nWantedBy=multi-user.target"}`, ']}}', checkAll), // prettier-ignore
  many(
    'Ignition: instances',
    `${ignition}"systemd":{"units":[`,
    (i) => `{"name":"u@${i}.service","enabled":true}`,
    ']}}',
    checkAll,
  ),
  many('Ignition: drop-ins', `${ignition}"systemd":{"units":[{"name":"ironic-agent.service","dropins":[`, (i) => `{"name":"u${i}.conf","contents":"[Service]\\nEnvironment=A${i}=b"}`, ']}]}}', checkAll), // prettier-ignore
  many(
    'Ignition: disks',
    `${ignition}"storage":{"disks":[`,
    (i) => `{"device":"/dev/d${i}"}`,
    ']}}',
    checkAll,
  ),
  many(
    'Ignition: partitions',
    `${ignition}"storage":{"disks":[{"device":"/dev/d","partitions":[`,
    (i) => `{"number":${i + 1},"startMiB":${i},"sizeMiB":1}`,
    ']}]}}',
    checkAll,
  ),
  many(
    'Ignition: overlapping partitions',
    `${ignition}"storage":{"disks":[{"device":"/dev/d","partitions":[`,
    (i) => `{"number":${i + 1},"startMiB":1,"sizeMiB":100}`,
    ']}]}}',
    checkAll,
  ),
  many(
    'Ignition: RAIDs',
    `${ignition}"storage":{"raid":[`,
    (i) => `{"name":"r${i}","level":"raid1","devices":["/dev/a"]}`,
    ']}}',
    checkAll,
  ),
  many(
    'Ignition: LUKS',
    `${ignition}"storage":{"luks":[`,
    (i) => `{"name":"r${i}","device":"/dev/d${i}","label":"l"}`,
    ']}}',
    checkAll,
  ),
  many(
    'Ignition: file systems',
    `${ignition}"storage":{"filesystems":[`,
    (i) => `{"device":"/dev/d${i}","format":"xfs","path":"/var/d${i}"}`,
    ']}}',
    checkAll,
  ),
  many(
    'Ignition: users',
    `${ignition}"passwd":{"users":[`,
    (i) => `{"name":"u${i}","sshAuthorizedKeys":["ssh-ed25519 AAAA"]}`,
    ']}}',
    checkAll,
  ),
  many(
    'Ignition: SSH keys',
    `${ignition}"passwd":{"users":[{"name":"core","sshAuthorizedKeys":[`,
    (i) => `"ssh-ed25519 AAAA${i}"`,
    ']}]}}',
    checkAll,
  ),
  many(
    'Ignition: kernel arguments',
    `${ignition}"kernelArguments":{"shouldExist":[`,
    (i) => `"a=${i}"`,
    ']}}',
    checkAll,
  ),
  many(
    'Ignition: merged URLs',
    '{"ignition":{"version":"3.4.0","config":{"merge":[',
    (i) => `{"source":"https://a.example/${i}"}`,
    ']}}}',
    checkAll,
  ),
  many('Ignition: merged configs', '{"ignition":{"version":"3.4.0","config":{"merge":[', (i) => `{"source":"data:,%7B%22ignition%22:%7B%22version%22:%223.4.0%22%7D,%22x${i}%22:1%7D"}`, ']}}}', checkAll), // prettier-ignore
  many(
    'Ignition: certificates',
    '{"ignition":{"version":"3.4.0","security":{"tls":{"certificateAuthorities":[',
    (i) => `{"source":"data:,a${i}"}`,
    ']}}}}',
    checkAll,
  ),
  many('Ignition: headers', `${ignition}"storage":{"files":[{"path":"/etc/a","contents":{"source":"https://a.example","httpHeaders":[`, (i) => `{"name":"h${i}","value":"v"}`, ']}}]}}', checkAll), // prettier-ignore
  many(
    'Ignition: keys of nested objects',
    `${ignition}"storage":{"files":[`,
    (i) => `{"path":"/etc/f${i}","user":{"nam":"a"},"contents":{"sourc":"b"}}`,
    ']}}',
    checkAll,
  ),
  many(
    'nmstate: interfaces',
    '{"interfaces":[',
    (i) => `{"name":"e${i}","type":"ethernet","state":"up"}`,
    ']}',
    readNmstate,
  ),
  many(
    'nmstate: interfaces of one name',
    '{"interfaces":[',
    () => `{"name":"e","type":"ethernet","state":"up"}`,
    ']}',
    readNmstate,
  ),
  many('nmstate: VLANs', '{"interfaces":[{"name":"e","type":"ethernet","state":"up"},', (i) => `{"name":"e.${i}","type":"vlan","state":"up","vlan":{"id":${i % 4000},"base-iface":"e"}}`, ']}', readNmstate), // prettier-ignore
  many('nmstate: bonds', '{"interfaces":[', (i) => `{"name":"b${i}","type":"bond","state":"up","link-aggregation":{"mode":"active-backup","port":["e${i}"]}},{"name":"e${i}","type":"ethernet","state":"up"}`, ']}', readNmstate), // prettier-ignore
  many(
    'nmstate: ports of a bond',
    '{"interfaces":[{"name":"b","type":"bond","state":"up","link-aggregation":{"mode":"active-backup","port":[',
    (i) => `"e${i}"`,
    ']}}]}',
    readNmstate,
  ),
  many(
    'nmstate: bridges in bridges',
    '{"interfaces":[',
    (i) => `{"name":"b${i}","type":"linux-bridge","state":"up","bridge":{"port":[{"name":"b${i + 1}"}]}}`,
    ']}',
    readNmstate,
  ),
  many('nmstate: addresses', '{"interfaces":[{"name":"e","type":"ethernet","state":"up","ipv4":{"enabled":true,"address":[', (i) => `{"ip":"10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}","prefix-length":24}`, ']}}]}', readNmstate), // prettier-ignore
  many('nmstate: routes', '{"interfaces":[{"name":"e","type":"ethernet","state":"up","ipv4":{"enabled":true,"address":[{"ip":"10.0.0.1","prefix-length":8}]}}],"routes":{"config":[', (i) => `{"destination":"10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}/32","next-hop-address":"10.0.0.2","next-hop-interface":"e"}`, ']}}', readNmstate), // prettier-ignore
  many(
    'nmstate: routes of unknown interfaces',
    '{"interfaces":[],"routes":{"config":[',
    (i) => `{"destination":"10.0.0.0/8","next-hop-address":"10.0.0.2","next-hop-interface":"e${i}"}`,
    ']}}',
    readNmstate,
  ),
  many(
    'nmstate: name servers',
    '{"interfaces":[{"name":"e","type":"ethernet","state":"up"}],"dns-resolver":{"config":{"server":[',
    (i) => `"10.0.${(i >> 8) & 255}.${i & 255}"`,
    ']}}}',
    readNmstate,
  ),
  many(
    'nmstate: search domains',
    '{"interfaces":[],"dns-resolver":{"config":{"search":[',
    (i) => `"a${i}.example"`,
    ']}}}',
    readNmstate,
  ),
  many(
    'network data: links',
    '{"links":[',
    (i) => `{"id":"e${i}","type":"phy","ethernet_mac_address":"52:54:00:00:00:01"}`,
    ']}',
    readNetworkData,
  ),
  many('network data: keys', '{"links":[],', (i) => `"key${i}":1`, '}', readNetworkData),
  many('network data: routes', '{"links":[{"id":"e","type":"phy","ethernet_mac_address":"52:54:00:00:00:01"}],"networks":[{"id":"n","type":"ipv4","link":"e","ip_address":"10.0.0.1","netmask":"255.0.0.0","routes":[', (i) => `{"network":"10.${(i >> 8) & 255}.${i & 255}.0","netmask":"255.255.255.0","gateway":"10.0.0.2"}`, ']}]}', readNetworkData), // prettier-ignore
  many(
    'inventory: hosts',
    '{"hosts":[',
    (i) => `{"name":"h${i}","mac":"52:54:00:00:00:01"}`,
    ']}',
    inventory,
  ),
  many('inventory: hosts of one name', '{"hosts":[', () => '{"name":"h"}', ']}', inventory),
  many('inventory: keys of a host', '{"hosts":[{"name":"h",', (i) => `"key${i}":1`, '}]}', inventory),
  many('inventory: settings', '{"agent":{', (i) => `"key${i}":1`, '}}', inventory),
  many('inventory: ignored rules', '{"ignore":[', (i) => `"rule${i}"`, ']}', inventory),
  many('credentials: registries', '{"auths":{', (i) => `"r${i}.example.com":{"auth":"YTpi"}`, '}}', (text) => { parsePullSecret(text); const all = readCredentials(text); findLoginProblem(Array.from({ length: 1000 }, (_, i) => `r${i}.example.com/a`), all); }), // prettier-ignore
];

export const readers: readonly Reader[] = [
  ...documents,
  { name: 'Ignition JSON', read: checkAll },
  { name: 'Ignition: text of a key', place: json('ignition'), read: checkAll },
  {
    name: 'Ignition: members',
    place: (text) => `{"ignition":{"version":"3.4.0"},"storage":{${text}}}`,
    read: checkAll,
  },
  {
    name: 'Ignition: a file',
    place: (text) => `{"ignition":{"version":"3.4.0"},"storage":{"files":[${text}]}}`,
    read: checkAll,
  },
  {
    name: 'Ignition: path',
    place: (text) =>
      config({
        storage: {
          files: [{ path: `/etc/${text}` }],
          links: [{ path: `/a${text}`, target: text }],
          disks: [{ device: text }],
        },
      }),
    read: checkAll,
  },
  {
    name: 'Ignition: source',
    place: (text) =>
      config({
        storage: {
          files: [
            { path: '/etc/a', contents: { source: text } },
            { path: '/etc/b', contents: { source: `https://${text}` } },
          ],
        },
      }),
    read: checkAll,
  },
  {
    name: 'Ignition: data URL',
    place: (text) =>
      config({
        storage: {
          files: [
            { path: '/etc/a', contents: { source: `data:${text}` } },
            { path: '/etc/b', contents: { source: `data:,${text}` } },
          ],
        },
      }),
    read: checkAll,
  },
  {
    name: 'Ignition: kernel argument',
    place: (text) => config({ kernelArguments: { shouldExist: [text] } }),
    read: checkAll,
  },
  {
    name: 'Ignition: header',
    place: (text) =>
      config({
        storage: {
          files: [
            {
              path: '/etc/a',
              contents: { source: 'https://a.example', httpHeaders: [{ name: text, value: text }] },
            },
          ],
        },
      }),
    read: checkAll,
  },
  {
    name: 'Ignition: SSH key',
    place: (text) =>
      config({ passwd: { users: [{ name: 'core', passwordHash: text, sshAuthorizedKeys: [text] }] } }),
    read: checkAll,
  },
  { name: 'Ignition in YAML', read: checkYaml },
  {
    name: 'Ignition in YAML: storage',
    place: (text) => `ignition: {version: 3.4.0}\nstorage:\n  ${text.replaceAll('\n', '\n  ')}`,
    read: checkYaml,
  },
  {
    name: 'Ignition in YAML: flow',
    place: (text) => `{ignition: {version: 3.4.0}, storage: {files: [${text}]}}`,
    read: checkYaml,
  },
  { name: 'unit', place: unit, read: checkAll },
  ...['Environment=', 'Environment="A=', 'ExecStartPre=', 'ExecStartPre=/usr/bin/podman pull ', 'ExecStartPre=/usr/bin/podman run -v ', 'PassEnvironment=', 'After=', 'Restart=', 'RestartSec=', 'Unknown='].map((line): Reader => ({ name: `unit: ${line}`, place: (text) => unit(`${line}${text}`), read: checkAll })), // prettier-ignore
  { name: 'agent conf', place: (text) => `[DEFAULT]\n${text}`, read: checkConf },
  { name: 'agent conf without section', read: checkConf },
  ...['api_url', 'listen_host', 'ntp_server', 'inspection_collectors', 'hardware_initialization_delay', 'insecure', 'cafile'].map((name): Reader => ({ name: `agent conf: ${name}`, place: (text) => `[DEFAULT]\n${name} = ${text}`, read: checkConf })), // prettier-ignore
  { name: 'agent conf in a config', place: file('/etc/ironic-python-agent.conf'), read: checkAll },
  { name: 'registries.conf in a config', place: file('/etc/containers/registries.conf'), read: checkAll },
  { name: 'auth.json in a config', place: file('/etc/authfile.json'), read: checkAll },
  {
    name: 'keyfile in a config',
    place: (text) =>
      file('/etc/NetworkManager/system-connections/a.nmconnection', { mode: 0o600 })(`[connection]\n${text}`),
    read: checkAll,
  },
  { name: 'certificate in a config', place: file('/etc/pki/ca-trust/source/anchors/a.pem'), read: checkAll },
  { name: 'oslo.config', place: (text) => `[a]\n${text}`, read: parseOsloConfig },
  { name: 'keyfile', place: (text) => `[a]\n${text}`, read: parseKeyfile },
  {
    name: 'connection',
    place: (text) => `[ipv4]\nmethod=manual\naddress1=${text}\nroutes=${text}\ndns=${text}\n`,
    read: (text) => readKeyfile('a.nmconnection', text),
  },
  { name: 'unit as go-systemd', place: (text) => `[a]\n${text}`, read: parseUnit },
  { name: 'unit as systemd', read: readSystemdLines },
  { name: 'ExecStart', read: splitExecLine },
  { name: 'Environment', read: splitEnvironmentLine },
  { name: 'TOML', read: parseToml },
  { name: 'TOML value', place: (text) => `a = ${text}`, read: parseToml },
  { name: 'registries.conf', read: readRegistriesConf },
  {
    name: 'registries.conf: search',
    place: (text) =>
      `unqualified-search-registries = [${JSON.stringify(text)}]\n[[registry]]\nprefix=${JSON.stringify(text)}\nlocation=${JSON.stringify(text)}`,
    read: readRegistriesConf,
  },
  { name: 'YAML', read: parseYaml },
  {
    name: 'YAML scalars',
    read: (text) => {
      const { root } = parseYaml(text);
      if (root !== undefined) Array.from(scalarSpans(root));
    },
  },
  { name: 'YAML value', place: (text) => `a: ${text}`, read: parseYaml },
  {
    name: 'Butane',
    place: (text) => `variant: fcos\nversion: 1.6.0\nstorage:\n  ${text.replaceAll('\n', '\n  ')}`,
    read: butane,
  },
  {
    name: 'Butane value',
    place: (text) =>
      `variant: fcos\nversion: 1.6.0\nstorage: {files: [{path: ${JSON.stringify(text)}, contents: {inline: ${JSON.stringify(text)}}}], filesystems: [{path: ${JSON.stringify(text)}, device: ${JSON.stringify(text)}, format: xfs, with_mount_unit: true}]}`,
    read: butane,
  },
  { name: 'inventory', read: inventory },
  {
    name: 'inventory: agent',
    place: (text) => `agent:\n  ${text.replaceAll('\n', '\n  ')}`,
    read: inventory,
  },
  {
    name: 'inventory: hosts',
    place: (text) => `hosts:\n- name: a\n  ${text.replaceAll('\n', '\n  ')}`,
    read: inventory,
  },
  { name: 'inventory: list of hosts', place: (text) => `hosts: [${text}]`, read: inventory },
  {
    name: 'inventory: name',
    place: (text) => `hosts: [{name: ${JSON.stringify(text)}, mac: ${JSON.stringify(text)}}]`,
    read: inventory,
  },
  { name: 'nmstate', read: (text) => convertNmstate(parseYaml(text).value) },
  {
    name: 'nmstate: interfaces',
    place: (text) => `interfaces:\n- name: a\n  type: ethernet\n  ${text.replaceAll('\n', '\n  ')}`,
    read: (text) => convertNmstate(parseYaml(text).value),
  },
  {
    name: 'nmstate: texts',
    place: (text) =>
      JSON.stringify({
        interfaces: [
          {
            name: text,
            type: text,
            'mac-address': text,
            ipv4: { address: [{ ip: text, 'prefix-length': text }] },
          },
        ],
        routes: { config: [{ destination: text, 'next-hop-address': text, 'next-hop-interface': text }] },
        'dns-resolver': { config: { server: [text], search: [text] } },
      }),
    read: (text) => convertNmstate(JSON.parse(text)),
  },
  {
    name: 'network data: texts',
    place: (text) =>
      JSON.stringify({
        links: [{ id: text, type: text, ethernet_mac_address: text }],
        networks: [
          {
            id: text,
            type: 'ipv4',
            link: text,
            ip_address: text,
            netmask: text,
            routes: [{ network: text, netmask: text, gateway: text }],
          },
        ],
        services: [{ type: 'dns', address: text }],
      }),
    read: (text) => convertNetworkData(JSON.parse(text)),
  },
  { name: 'network data', read: (text) => convertNetworkData(parseYaml(text).value) },
  { name: 'pull secret', read: parsePullSecret },
  { name: 'pull secret: auths', place: (text) => `{"auths":{${text}}}`, read: parsePullSecret },
  {
    name: 'credentials',
    place: (text) => JSON.stringify({ auths: { [text]: { auth: text } } }),
    read: readCredentials,
  },
  { name: 'PEM', read: (text) => parseCaCertificates(text, now) },
  { name: 'SSH key', read: checkSshPublicKey },
  { name: 'SSH key with options', place: (text) => `${text} ssh-ed25519 AAAA`, read: checkSshPublicKey },
  { name: 'authorized_keys', read: (text) => splitAuthorizedKeys(text).map(checkSshPublicKey) },
  {
    name: 'URL list',
    read: (text) => {
      caught((it) => checkApiUrls(it, source))(text);
      caught((it) => checkCallbackUrl(it, 'a'))(text);
      caught((it) => parseInspectorUrls(it, source))(text);
      findUrlProblem(text, 'api_url');
      findUrlProblem(text, 'inspection_callback_url');
      hasHttpsUrl(text);
    },
  },
  {
    name: 'URL of Ironic',
    place: (text) => `https://a/${text}`,
    read: (text) => {
      caught((it) => checkApiUrls(it, source))(text);
      caught((it) => parseInspectorUrls(it, source))(text);
      findUrlProblem(text, 'api_url');
    },
  },
  {
    name: 'host of a URL',
    place: (text) => `https://${text}`,
    read: (text) => {
      caught((it) => checkApiUrls(it, source))(text);
      findUrlProblem(text, 'api_url');
    },
  },
  {
    name: 'data URL',
    place: (text) => `data:${text}`,
    read: (text) => {
      checkDataUrl(text);
      caught(decodeDataUrl)(text);
    },
  },
  {
    name: 'Go URL',
    read: (text) => {
      parseGoUrl(text);
      queryParameter(text, 'versionId');
    },
  },
  { name: 'Go URL with a host', place: (text) => `https://[${text}]:1`, read: parseGoUrl },
  { name: 'image reference', read: parseImageReference },
  {
    name: 'host',
    read: (text) => {
      parseHost(text);
      machineNameProblem(text);
    },
  },
  { name: 'MAC address', read: parseMacAddress },
  {
    name: 'numbers of Python',
    read: (text) => {
      stripPython(text);
      parsePythonFloat(text);
      parsePythonInteger(text);
    },
  },
  {
    name: 'kernel arguments',
    read: (text) => {
      editKargs(text, { delete: ['a'], append: ['b'], replace: ['c=d=e'] });
      caught((it) => editKargs('a', { append: [it], delete: [it], replace: [it] }))(text);
    },
  },
  {
    name: 'values of kernel arguments',
    read: (text) => {
      const network = ['ip', 'bond', 'vlan', 'nameserver', 'rd.route', 'bridge', 'team', 'ifname'];
      const list = [...network, 'console', 'systemd.setenv', 'ipa-api-url'].map((name) =>
        parseArgument(`${name}=${text}`),
      );
      for (const argument of list) checkArgument(argument);
      argumentConnections(list);
    },
  },
  {
    name: 'boot URL',
    read: (text) => {
      parseBootUrl(text);
      caught(parseHttpUrl)(text);
      caught((it) => parseBaseUrl(it))(text);
    },
  },
  { name: 'DHCP range', read: (text) => parseDhcpRange(text, 'https://192.0.2.1/') },
  { name: 'installer config', read: (text) => checkInstallerConfig(Buffer.from(text), 'a') },
  { name: 'console of the installer', read: parseConsole },
  { name: 'podman argument', read: caught(checkPodmanArg) },
  { name: 'artifacts', read: parseArtifacts },
  { name: 'manifest', read: parseManifest },
  { name: 'stream metadata', read: (text) => parseStreamMetadata(text, 'a') },
  { name: 'kubeconfig', read: (text) => parseKubeconfig(text, 'a') },
  { name: 'root device hint', read: parseHintExpression },
  { name: 'Range', place: (text) => `bytes=${text}`, read: (text) => parseRange(text, 1000) },
  {
    name: 'conditions',
    read: (text) =>
      checkConditions(
        { 'if-none-match': text, 'if-match': text, 'if-modified-since': text },
        { etag: '"a"', lastModified: now },
      ),
  },
  { name: 'request path', read: parseRequestPath },
  { name: 'signed path', read: parseSignedPath },
  { name: 'tokens', read: (text) => parseTokens(text, 'a') },
  { name: 'masked texts', read: (text) => [mask(text), maskLogLine(text), maskSetting(text)] },
  {
    name: 'masked documents',
    place: (text) => JSON.stringify({ systemd: { units: [{ contents: `Environment=${text}x` }] } }),
    read: (text) => maskSecrets(Buffer.from(text)),
  },
  { name: 'masked texts that are no documents', read: (text) => maskSecrets(Buffer.from(text)) },
  { name: 'listen address', read: parseListenAddress },
  { name: 'BMC address', read: parseBmcAddress },
  {
    name: 'console',
    read: (text) => {
      const console = createConsoleText((line) => void findConsoleSigns(line, now));
      console.push(Buffer.from(text));
      console.end();
    },
  },
  { name: 'body of the agent', read: (text) => parseBody(Buffer.from(text)) },
  { name: 'printable', read: (text) => printable(text) + quoteText(text) },
  { name: 'validateConfig', read: (text) => validateConfig(Buffer.from(text)) },
];

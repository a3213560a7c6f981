import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseYaml } from '../../../src/formats/yaml.ts';
import { asMapping } from '../../../src/formats/mapping.ts';
import { inputsNameImage } from '../../support/agentImage.ts';
import { runCli } from '../../support/runCli.ts';

const cwd = mkdtempSync(join(tmpdir(), 'import '));
afterAll(() => rmSync(cwd, { recursive: true }));
const run = (args: readonly string[], stdin?: string) =>
  runCli([...args], { cwd, env: inputsNameImage, ...(stdin !== undefined && { stdin }) });

let count = 0;
/** Imports files with these texts, and returns the inventory as text and value. */
async function importTexts(...texts: readonly (string | readonly [name: string, text: string])[]) {
  count += 1;
  const output = `${count}.yaml`;
  const files = texts.map((given, index) => {
    const [name, text] = typeof given === 'string' ? [`${count}-${index}.txt`, given] : given;
    writeFileSync(join(cwd, name), text);
    return name;
  });
  const { code, stderr } = await run(['import', '-o', output, ...files]);
  expect([code, stderr.split('\n').length]).toEqual([0, 2]);
  const text = readFileSync(join(cwd, output), 'utf8');
  return { output, text, inventory: asMapping(parseYaml(text).value), stderr };
}

/** The inventory with its examples of settings and template in place of comments. */
const withTemplate = (text: string): string =>
  text
    .replace(
      /^# agent:.*\n#   ironic.apiUrls: (.*)\n#   agent.image: (.*)\n/m,
      'agent: {ironic.apiUrls: "$1", agent.image: $2}\n',
    )
    .replaceAll(/^# (?=networkTemplate|  )/gm, '');

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const secret = (name: string, data: Readonly<Record<string, string>>): string => {
  const lines = Object.entries(data).map(([key, value]) => `  ${key}: ${base64(value)}\n`);
  return `---\napiVersion: v1\nkind: Secret\nmetadata: {name: ${name}, namespace: metal3}\ndata:\n${lines.join('')}`;
};
const host = (name: string, spec: string): string =>
  `---\napiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {name: ${name}, namespace: metal3}\nspec:\n${spec.replaceAll(/^(?=.)/gm, '  ')}`;
const bmc = 'bmc: {address: "ipmi://192.0.2.9", credentialsName: a-bmc-secret}\n';
const nmstate =
  'interfaces:\n- {name: eth0, type: ethernet, state: up, identifier: mac-address, mac-address: "52:54:00:00:00:01"}\n';

describe('import of BareMetalHosts', () => {
  const objects = [
    secret('a-bmc-secret', { username: 'admin', password: 'hunter2' }),
    secret('a-user-data', { userData: '{"ignition":{"version":"3.4.0"}}' }),
    secret('a-meta-data', { metaData: '{"coreos_append_karg":["a=b c"],"coreos_copy_network":true}' }),
    secret('a-preprovisioning-network-data', { nmstate }),
    host(
      'a',
      `online: true\n${bmc}bootMACAddress: 52:54:00:00:00:01\narchitecture: x86_64\nrootDeviceHints: {minSizeGigabytes: 100}\ncustomDeploy: {method: install_coreos}\nuserData: {name: a-user-data, namespace: metal3}\nmetaData: {name: a-meta-data, namespace: metal3}\npreprovisioningNetworkDataName: a-preprovisioning-network-data\nbootMode: UEFI\n`,
    ),
  ].join('');

  it('writes the settings of render, deploy and boot, and Secrets with mode 0600', async () => {
    const { output, inventory } = await importTexts(objects);
    const folder = output.replace('.yaml', '-files');
    expect(inventory).toEqual({
      hosts: [
        {
          name: 'a',
          mac: '52:54:00:00:00:01',
          architecture: 'x86_64',
          network: { nmstate: parseYaml(nmstate).value },
          deploy: {
            namespace: 'metal3',
            bmcAddress: 'ipmi://192.0.2.9',
            rootDeviceHints: { minSizeGigabytes: 100 },
            appendKargs: ['a=b', 'c'],
            copyNetwork: true,
            ignition: `${folder}/a-user-data.ign`,
            spec: { bootMode: 'UEFI' },
          },
          bmc: { credentialsFile: `${folder}/a-bmc-secret.yaml` },
        },
      ],
    });
    const file = join(cwd, folder, 'a-bmc-secret.yaml');
    expect(readFileSync(file, 'utf8')).toBe('username: admin\npassword: hunter2\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(cwd, folder)).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['a step', ''],
    ['another step', 'customDeploy: {method: start_assisted_install}\n'],
    ['a live ISO', 'image: {url: "http://192.0.2.1/a.iso", format: live-iso}\n'],
    [
      'an image',
      `image: {url: "http://192.0.2.1/a.raw", checksum: ${'a'.repeat(64)}, checksumType: sha256}\n`,
    ],
    ['an image with MD5', `image: {url: "http://192.0.2.1/a.raw", checksum: ${'a'.repeat(32)}}\n`],
    ['another custom step', 'customDeploy: {method: install_flatcar}\n'],
    [
      'references to Secrets that are not there',
      'userData: {name: other, namespace: other}\nmetaData: {name: x}\n',
    ],
    ['RAID', 'raid: {softwareRAIDVolumes: [{level: "1"}]}\n'],
    [
      'taints and a consumer',
      'taints: [{key: a, effect: NoSchedule}]\nconsumerRef: {name: m, namespace: n}\n',
    ],
    ['a BMC without verification', ''],
  ])('deploy writes the objects again: %s', async (title, spec) => {
    const given =
      title === 'a step'
        ? objects
        : host(
            'a',
            `online: true\n${title === 'a BMC without verification' ? bmc.replace('}', ', disableCertificateVerification: true}') : bmc}${spec}`,
          );
    const { output } = await importTexts(given);
    const { code, stdout } = await run([
      'deploy',
      'baremetalhost',
      '--format',
      'json',
      '--inventory',
      output,
    ]);
    expect(code).toBe(0);
    const { items } = JSON.parse(stdout);
    const written = items.find(({ kind }: { readonly kind: string }) => kind === 'BareMetalHost');
    const [, document = ''] = /(apiVersion: metal3[^]*)/.exec(given) ?? [];
    expect(written).toEqual(parseYaml(document).value);
  });

  it('reads a config below the other key of the operator', async () => {
    const { inventory } = await importTexts(
      host('a', `${bmc}userData: {name: a-user-data}\n`) +
        secret('a-user-data', { value: '{"ignition":{"version":"3.4.0"}}' }),
    );
    expect(inventory['hosts']).toMatchObject([
      { deploy: { ignition: expect.stringContaining('a-user-data.ign') } },
    ]);
  });

  it('names what the inventory cannot contain beside the host', async () => {
    const { text, stderr } = await importTexts(
      host('a', `online: true\n${bmc}userData: {name: cloud}\n`).replace(
        'namespace: metal3}',
        'namespace: metal3, annotations: {inspect.metal3.io: disabled}}',
      ) + secret('cloud', { userData: '#cloud-config\n' }),
    );
    expect(text).toContain(
      'hosts:\n  # not imported: annotations of the BareMetalHost: inspect.metal3.io\n  # not imported: the config in the Secret cloud: it is not Ignition\n  - name: a\n',
    );
    expect(stderr).toContain('2 comments on what was not imported');
  });
});

const port = (address: string, isBooted: boolean) => ({
  Address: address,
  'Node UUID': 'u',
  'PXE boot enabled': isBooted,
});

const configMap = (namespace: string, text: string): string =>
  `---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: ca, namespace: ${namespace}}\ndata:\n  ca-bundle.crt: |\n${text.replaceAll(/^(?=.)/gm, '    ')}`;
const entry = (name: string, mac: string, bmcAddress: string, credentialsFile: string) => ({
  name,
  mac: `52:54:00:00:00:${mac}`,
  deploy: { bmcAddress },
  bmc: { credentialsFile },
});
const inNamespace = (name: string, text: string): string =>
  text.replaceAll('namespace: metal3', `namespace: ${name}`);

describe('import of other objects', () => {
  const config = 'config:\n    interfaces:\n    - {name: eth0, type: ethernet, state: up}\n';
  const identified = {
    interfaces: [
      {
        name: 'eth0',
        type: 'ethernet',
        state: 'up',
        identifier: 'mac-address',
        'mac-address': '52:54:00:00:00:01',
      },
    ],
  };
  const pem = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';

  it.each([
    [
      'NMStateConfig',
      `apiVersion: v1beta1\nkind: NMStateConfig\nmetadata: {name: a}\nspec:\n  ${config}  interfaces: [{name: eth0, macAddress: "52:54:00:00:00:01"}]\n`,
      { hosts: [{ name: 'a', mac: '52:54:00:00:00:01', network: { nmstate: identified } }] },
    ],
    [
      'NodeNetworkConfigurationPolicy of a node',
      `apiVersion: nmstate.io/v1\nkind: NodeNetworkConfigurationPolicy\nmetadata: {name: p}\nspec:\n  nodeSelector: {kubernetes.io/hostname: node-1}\n  desiredState: {interfaces: []}\n`,
      { hosts: [{ name: 'node-1', network: { nmstate: { interfaces: [] } } }] },
    ],
    [
      'AgentConfig',
      'apiVersion: v1beta1\nkind: AgentConfig\nrendezvousIP: 192.0.2.5\nadditionalNTPSources: [ntp.example.com]\nhosts:\n- hostname: a\n  role: master\n  interfaces: [{name: eth0, macAddress: 52:54:00:00:00:01}]\n  rootDeviceHints: {deviceName: /dev/sda}\n',
      {
        agent: { 'host.ntpServers': ['ntp.example.com'] },
        hosts: [
          { name: 'a', mac: '52:54:00:00:00:01', deploy: { rootDeviceHints: { deviceName: '/dev/sda' } } },
        ],
      },
    ],
    [
      'install-config',
      `apiVersion: v1\nbaseDomain: example.com\nsshKey: ssh-ed25519 AAAA\npullSecret: '{"auths":{}}'\nproxy: {httpProxy: "http://proxy:3128"}\nplatform:\n  baremetal:\n    hosts:\n    - {name: a, role: master, bootMACAddress: 52:54:00:00:00:01, bootMode: legacy, bmc: {address: "ipmi://192.0.2.9", username: u, password: p}}\n`,
      {
        agent: {
          'host.sshKeys': ['ssh-ed25519 AAAA'],
          'proxy.http': 'http://proxy:3128',
          'agent.pullSecret': 'auth.json',
        },
        hosts: [
          {
            name: 'a',
            mac: '52:54:00:00:00:01',
            deploy: { bmcAddress: 'ipmi://192.0.2.9', method: 'none', spec: { bootMode: 'legacy' } },
            bmc: { credentialsFile: 'a-bmc-secret.yaml' },
          },
        ],
      },
    ],
    [
      'mirrors',
      'apiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSet\nspec: {imageDigestMirrors: [{source: quay.io/a, mirrors: [m.example/a]}]}\n',
      { agent: { 'agent.registriesConf': 'registries.conf' } },
    ],
    [
      'a pull secret',
      secret('pull', { '.dockerconfigjson': '{"auths":{}}' }),
      { agent: { 'agent.pullSecret': 'auth.json' } },
    ],
    [
      'certificates',
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ca}\ndata:\n  ca-bundle.crt: |\n${pem.replaceAll(/^(?=.)/gm, '    ')}`,
      { agent: { 'ironic.caFiles': ['ca.crt'] } },
    ],
    [
      'nodes of Ironic',
      JSON.stringify([
        {
          UUID: 'u',
          Name: 'a',
          Driver: 'redfish',
          'Boot Interface': 'redfish-virtual-media',
          'Deploy Interface': 'direct',
          'Driver Info': {
            redfish_address: 'https://192.0.2.9',
            redfish_system_id: '/redfish/v1/Systems/1',
            redfish_verify_ca: 'False',
          },
          Properties: { cpu_arch: 'x86_64', root_device: { name: '/dev/sda' } },
        },
      ]),
      {
        hosts: [
          {
            name: 'a',
            architecture: 'x86_64',
            deploy: {
              bmcAddress: 'redfish-virtualmedia://192.0.2.9/redfish/v1/Systems/1',
              bmcInsecure: true,
              rootDeviceHints: { name: '/dev/sda' },
              deployInterface: 'direct',
            },
          },
        ],
      },
    ],
    [
      'a table',
      'Name;MAC;BMC address;password\n"a";52-54-00-00-00-01;ipmi://192.0.2.9;"p;1"\nb;;;\n',
      {
        hosts: [
          {
            name: 'a',
            mac: '52:54:00:00:00:01',
            deploy: { bmcAddress: 'ipmi://192.0.2.9' },
            bmc: { credentialsFile: 'a-bmc-secret.yaml' },
          },
          { name: 'b' },
        ],
      },
    ],
  ])('%s', async (_title, text, expected) => {
    const { output, inventory } = await importTexts(text);
    const folder = `${output.replace('.yaml', '')}-files/`;
    expect(JSON.parse(JSON.stringify(inventory).replaceAll(folder, ''))).toEqual(expected);
  });

  it('shows a network template for the values of a table, with which the inventory is valid', async () => {
    const table = 'name,mac,gateway,address\na,52:54:00:00:00:01,192.0.2.1,192.0.2.5\n';
    const { output, text } = await importTexts(table);
    expect(text).toContain('the placeholders {name}, {mac}, {gateway}, {address}\n');
    const given = withTemplate(text);
    writeFileSync(join(cwd, output), given);
    const { stderr, stdout } = await run(['validate', output]);
    expect(stdout).toContain('the network template has no placeholder {gateway}');
    expect(stdout).toContain('hint: remove "gateway", or use {gateway} in the template');
    expect(stderr).toContain('invalid (1 error)');
    writeFileSync(join(cwd, output), given.replaceAll(/^ *gateway: .*\n/gm, ''));
    expect((await run(['validate', output])).stderr).toContain(`${output}: valid`);
  });

  it('shows a VLAN for a table with one', async () => {
    const { output, text } = await importTexts(
      'Name,MAC,VLAN ID,IP Address\na,52:54:00:00:00:01,100,192.0.2.5\n',
    );
    writeFileSync(join(cwd, output), withTemplate(text));
    const { code, stdout } = await run(['render', '--inventory', output, '--show-network', 'a']);
    expect([code, parseYaml(stdout).value]).toEqual([
      0,
      {
        interfaces: [
          expect.objectContaining({ name: 'eth0', 'mac-address': '52:54:00:00:00:01' }),
          {
            name: 'eth0.100',
            type: 'vlan',
            state: 'up',
            vlan: { 'base-iface': 'eth0', id: 100 },
            ipv4: { enabled: true, dhcp: false, address: [{ ip: '192.0.2.5', 'prefix-length': 24 }] },
          },
        ],
      },
    ]);
  });

  it('names columns for what another column has', async () => {
    const { inventory, text } = await importTexts(
      'name,mac,bmc_ip,bmc_address,site code,site_code,8\na,52:54:00:00:00:01,192.0.2.1,192.0.2.2,x,y,z\n',
    );
    expect(inventory['hosts']).toMatchObject([
      { deploy: { bmcAddress: '192.0.2.1' }, network: { values: { site_code: 'x', column7: 'z' } } },
    ]);
    expect(text).toContain('# not imported: a second column for the same: bmc_address\n');
    expect(text).toContain('# not imported: a second column for the same: site_code\n');
  });

  it('keeps files of hosts with slashes in their names in the folder', async () => {
    const { output, inventory } = await importTexts('name,password\n../../a,hunter2\n');
    const path = `${output.replace('.yaml', '')}-files/..-..-a-bmc-secret.yaml`;
    expect(inventory['hosts']).toMatchObject([{ name: '../../a', bmc: { credentialsFile: path } }]);
    expect(readFileSync(join(cwd, path), 'utf8')).toBe('password: hunter2\n');
  });

  it('writes the second of two pull secrets to a file of its own, and names it', async () => {
    const { text } = await importTexts(
      secret('one', { '.dockerconfigjson': '{"auths":{}}' }),
      secret('other', { '.dockerconfigjson': '{"auths":{"r.example":{}}}', note: 'x' }),
    );
    const [, file = ''] = /^# not imported: a second agent\.pullSecret: (.*)$/m.exec(text) ?? [];
    expect(readFileSync(join(cwd, file), 'utf8')).toBe('{"auths":{"r.example":{}}}');
    expect(text).toContain('# not imported: of the Secret other: note\n');
  });

  it('names what else is in the Secrets of a host, and the metadata of its network', async () => {
    const { text } = await importTexts(
      host('a', `${bmc}preprovisioningNetworkDataName: net\nuserData: {name: a-user-data}\n`) +
        secret('a-bmc-secret', { username: 'u', password: 'hunter2', clientCert: 'x' }) +
        secret('a-user-data', { userData: '{"ignition":{"version":"3.4.0"}}', format: 'ignition' }) +
        secret('net', { nmstate, networkData: '{links: []}' }),
      `apiVersion: v1beta1\nkind: NMStateConfig\nmetadata: {name: b, labels: {infra: x}}\nspec: {config: {interfaces: []}}\n`,
      `apiVersion: nmstate.io/v1\nkind: NodeNetworkConfigurationPolicy\nmetadata: {name: p}\nspec: {desiredState: {interfaces: []}, maxUnavailable: 1}\n`,
    );
    for (const comment of [
      'of the Secret a-bmc-secret: clientCert',
      'of the Secret a-user-data: format',
      'of the Secret net: networkData',
      'labels of the NMStateConfig: infra',
      'maxUnavailable 1',
    ])
      expect(text).toContain(`# not imported: ${comment}\n`);
    expect(text).not.toContain('hunter2');
  });

  it('trusts the certificates of all objects', async () => {
    const other = pem.replace('AA==', 'BB==');
    const { output, inventory, stderr } = await importTexts(
      configMap('a', pem) + configMap('b', other) + configMap('c', pem),
    );
    const folder = output.replace('.yaml', '-files');
    const caFiles = [`${folder}/ca.crt`, `${folder}/ca-2.crt`];
    expect(inventory['agent']).toEqual({ 'ironic.caFiles': caFiles });
    expect(caFiles.map((file) => readFileSync(join(cwd, file), 'utf8'))).toEqual([pem, other]);
    expect(stderr).toContain('2 files, 0 comments');
  });

  it('joins hosts by MAC address, then by name', async () => {
    const { inventory } = await importTexts(
      host('worker-0', `${bmc}bootMACAddress: 52:54:00:00:00:01\n`),
      `apiVersion: v1beta1\nkind: NMStateConfig\nmetadata: {name: n}\nspec:\n  ${config}  interfaces: [{name: eth0, macAddress: "52:54:00:00:00:01"}]\n`,
      'name,architecture\nworker-0,aarch64\n',
    );
    expect(inventory['hosts']).toMatchObject([
      { name: 'worker-0', architecture: 'aarch64', network: { nmstate: identified } },
    ]);
  });

  it('names what the second of two objects has otherwise', async () => {
    const { text, inventory } = await importTexts(
      host('worker-0', `${bmc}bootMACAddress: 52:54:00:00:00:01\n`),
      secret('a-bmc-secret', { username: 'admin', password: 'hunter2' }),
      'name,mac,bmc,user,password\nrack-7,52:54:00:00:00:01,ipmi://192.0.2.8,other,hunter3\nworker-0,52:54:00:00:00:02,,,\n',
    );
    expect(inventory['hosts']).toMatchObject([
      { name: 'worker-0', deploy: { bmcAddress: 'ipmi://192.0.2.9' } },
      { name: 'worker-0', mac: '52:54:00:00:00:02' },
    ]);
    expect(text.replaceAll(/\d+-files/g, 'files').match(/^ *# .*: a second .*$/gm)).toEqual([
      '  # not imported: a second name: rack-7',
      '  # not imported: a second credentialsFile: files/rack-7-bmc-secret.yaml',
      '  # not imported: a second bmcAddress: ipmi://192.0.2.8',
    ]);
  });

  it('keeps lines of a table that contradict each other, with which the inventory is invalid', async () => {
    const { output, inventory } = await importTexts(
      'name,mac,bmc,password\nw0,52:54:00:00:00:01,192.0.2.11,a\nw0,52:54:00:00:00:02,192.0.2.12,b\nw1,52:54:00:00:00:02,192.0.2.13,c\n',
    );
    const folder = output.replace('.yaml', '-files');
    expect(inventory['hosts']).toEqual([
      entry('w0', '01', '192.0.2.11', `${folder}/w0-bmc-secret.yaml`),
      entry('w0', '02', '192.0.2.12', `${folder}/w0-bmc-secret-2.yaml`),
      entry('w1', '02', '192.0.2.13', `${folder}/w1-bmc-secret.yaml`),
    ]);
    const { code, stdout } = await run(['validate', output]);
    expect(code).toBe(1);
    expect(stdout.match(/2 hosts have the same name: lines /g)).toHaveLength(1);
    expect(stdout).toContain('2 hosts have the same MAC address: lines ');
  });

  const networkOf = (name: string, mac: string): string =>
    `---\napiVersion: v1beta1\nkind: NMStateConfig\nmetadata: {name: w, namespace: ${name}}\nspec:\n  ${config}  interfaces: [{name: eth0, macAddress: "${mac}"}]\n`;

  it('keeps hosts with the same name in other namespaces, each with its own network and login', async () => {
    const { inventory, output, stderr } = await importTexts(
      inNamespace('m', secret('a-bmc-secret', { username: 'admin', password: 'hunter2' })),
      inNamespace('n', secret('a-bmc-secret', { username: 'admin', password: 'hunter3' })),
      inNamespace('m', host('w', `${bmc}bootMACAddress: 52:54:00:00:00:01\n`)),
      inNamespace('n', host('w', bmc)),
      networkOf('n', '52:54:00:00:00:02') + networkOf('m', '52:54:00:00:00:01'),
    );
    const folder = output.replace('.yaml', '-files');
    expect(inventory['hosts']).toMatchObject([
      {
        name: 'w',
        mac: '52:54:00:00:00:01',
        deploy: { namespace: 'm' },
        network: { nmstate: identified },
        bmc: { credentialsFile: `${folder}/a-bmc-secret.yaml` },
      },
      {
        name: 'w',
        mac: '52:54:00:00:00:02',
        deploy: { namespace: 'n' },
        bmc: { credentialsFile: `${folder}/a-bmc-secret-2.yaml` },
      },
    ]);
    expect(readFileSync(join(cwd, folder, 'a-bmc-secret-2.yaml'), 'utf8')).toContain('hunter3');
    expect(stderr).toContain('2 hosts, 2 files, 0 comments');
  });

  it('has the boot interface and the deploy step of the object that states them', async () => {
    const interfaces =
      '[{name: eth1, macAddress: "52:54:00:00:00:02"}, {name: eth0, macAddress: "52:54:00:00:00:01"}, {name: eth2, macAddress: "52:54:00:00:00:03"}]';
    const { inventory, text } = await importTexts(
      `apiVersion: v1beta1\nkind: NMStateConfig\nmetadata: {name: a}\nspec:\n  ${config}  interfaces: ${interfaces}\n`,
      host('a', `${bmc}bootMACAddress: 52:54:00:00:00:01\ncustomDeploy: {method: install_coreos}\n`),
      'apiVersion: v1\nplatform: {baremetal: {hosts: [{name: a, bootMACAddress: "52:54:00:00:00:01"}]}}\n',
    );
    expect(inventory['hosts']).toMatchObject([{ name: 'a', mac: '52:54:00:00:00:01' }]);
    expect(text).not.toMatch(/^ *method:/m);
    expect(text.match(/(?<=# not imported: ).*/g)).toEqual([
      'a second method: none',
      'the MAC address 52:54:00:00:00:02',
      'the MAC address 52:54:00:00:00:03',
    ]);
  });

  it('has an object once that is in two files', async () => {
    const object = host('a', `${bmc}bootMACAddress: 52:54:00:00:00:01\n`).replace(
      'namespace: metal3}',
      'namespace: metal3, annotations: {a: b}}',
    );
    const { inventory, stderr } = await importTexts(object, object);
    expect(inventory['hosts']).toHaveLength(1);
    expect(stderr).toContain('1 host, 0 files, 1 comment ');
  });

  it('joins ports with their nodes, the one that boots first', async () => {
    const { inventory } = await importTexts(
      JSON.stringify([port('52:54:00:00:00:02', false), port('52:54:00:00:00:01', true)]),
      JSON.stringify([
        {
          UUID: 'u',
          Name: 'a',
          Driver: 'ipmi',
          'Driver Info': { ipmi_address: '192.0.2.9', ipmi_priv_level: 'OPERATOR' },
        },
      ]),
    );
    expect(inventory['hosts']).toMatchObject([
      { mac: '52:54:00:00:00:01', deploy: { bmcAddress: 'ipmi://192.0.2.9?privilegelevel=OPERATOR' } },
    ]);
  });

  it('writes an inventory that validate accepts with the settings of the agent', async () => {
    const { output, text } = await importTexts(host('a', `${bmc}bootMACAddress: 52:54:00:00:00:01\n`));
    const agent = 'agent: {ironic.apiUrls: "https://192.0.2.1", agent.image: r.example/ipa}\n';
    writeFileSync(join(cwd, output), agent + text);
    expect((await run(['validate', output])).stderr).toContain(`${output}: valid`);
  });
});

describe('import refuses', () => {
  it.each([
    ['standard output', ['import', '-o', '-', 'a.txt'], 'import cannot write to standard output', 2],
    ['an inventory that exists', ['import', '-o', 'a.txt', 'a.txt'], 'File exists: a.txt'],
    ['a later document that is not YAML', ['import', 'e.yaml'], 'e.yaml:5:1: '],
    ['another document', ['import', 'a.txt'], 'a.txt: it contains neither objects of Kubernetes'],
    ['a table without names', ['import', 'b.csv'], 'b.csv: the table has no column "name"'],
    ['an open quote', ['import', 'c.csv'], 'c.csv: line 2: a quote is not closed'],
    ['a host without a name', ['import', 'd.csv'], 'd.csv: line 3: the host has no name'],
  ])('%s', async (_title, args, message, exitCode = 1) => {
    const texts = {
      'a.txt': 'a: b\n',
      'b.csv': 'a,b\n1,2\n',
      'c.csv': 'name,b\n"1,2\n',
      'd.csv': 'name,mac\na,\n,x\n',
      'e.yaml': 'kind: A\n---\nkind: B\nb: [\n',
    };
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(cwd, name), text);
    const { code, stderr } = await run(args);
    expect([code, stderr]).toEqual([exitCode, expect.stringContaining(message)]);
  });
});

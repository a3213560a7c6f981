/**
 * `import` of inputs with the shapes that public repositories have. The names of columns and fields are those of the sources; hosts,
 * addresses and secrets are others.
 */

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { asMapping, mappingAt } from '../../../src/formats/mapping.ts';
import { parseYaml } from '../../../src/formats/yaml.ts';
import { runCli } from '../../support/runCli.ts';

const cwd = mkdtempSync(join(tmpdir(), 'import '));
afterAll(() => rmSync(cwd, { recursive: true }));

let count = 0;
/** The text of the inventory, its first host, and the files beside it. */
async function importText(text: string, name: string) {
  count += 1;
  writeFileSync(join(cwd, `${count}-${name}`), text);
  const { code, stderr } = await runCli(['import', '-o', `${count}.yaml`, `${count}-${name}`], { cwd });
  expect([code, stderr]).toEqual([0, expect.stringContaining(`${count}.yaml written`)]);
  const inventory = readFileSync(join(cwd, `${count}.yaml`), 'utf8');
  const host = mappingAt(parseYaml(inventory).value, ['hosts', 0]);
  const { credentialsFile } = asMapping(host['bmc']);
  return { inventory, host, name: `${count}.yaml`, login: loginIn(credentialsFile) };
}

function loginIn(file: unknown): unknown {
  if (typeof file !== 'string') return undefined;
  expect(statSync(join(cwd, file)).mode & 0o777).toBe(0o600);
  return parseYaml(readFileSync(join(cwd, file), 'utf8')).value;
}

const login = { username: 'root', password: 'hunter2' };

describe('tables', () => {
  it.each<[source: string, head: string, line: string, mac: boolean, login: boolean]>([
    [
      'EKS Anywhere',
      'hostname,bmc_ip,bmc_username,bmc_password,mac,ip_address,netmask,gateway,nameservers,labels,disk',
      'a,192.0.2.9,root,hunter2,CC:48:3A:00:00:01,192.0.2.2,255.255.254.0,192.0.2.1,8.8.8.8|8.8.4.4,type=cp,/dev/sda',
      true,
      true,
    ],
    [
      'EKS Anywhere with a port',
      'hostname,bmc_ip,bmc_username,bmc_password,mac,ip_address,netmask,gateway,nameservers,labels,disk,bmc_port',
      'a,192.0.2.9,root,hunter2,CC:48:3A:00:00:01,192.0.2.2,255.255.254.0,192.0.2.1,1.1.1.1,type=cp,/dev/sda,443',
      true,
      true,
    ],
    [
      'Tinkerbell',
      'guid,ip_address,gateway,nameservers,netmask,mac,hostname,vendor,bmc_ip,bmc_username,bmc_password',
      'bb34,192.0.2.2,192.0.2.1,8.8.8.8,255.255.255.0,CC:48:3A:00:00:01,a,supermicro,192.0.2.9,root,hunter2',
      true,
      true,
    ],
    [
      'a page about Tinkerbell',
      'hostname,mac,ip,gateway,netmask,nameservers,bmc_ip,bmc_username,bmc_password',
      'a,CC:48:3A:00:00:01,192.0.2.2,192.0.2.1,255.255.255.0,8.8.8.8,192.0.2.9,root,hunter2',
      true,
      true,
    ],
    [
      'a Talos installer',
      'hostname,role,mac,address,install_disk,bmc_address,bmc_username,bmc_password,bmc_type',
      'a,controlplane,cc:48:3a:00:00:01,,/dev/sda,192.0.2.9,root,hunter2,auto',
      true,
      true,
    ],
    [
      'a console for MAAS',
      'hostname,bmc_ip,bmc_user,bmc_pass,sn,25g,25g_mode,tag',
      'a,192.0.2.9,root,hunter2,EXAMPLE-SN,"192.0.2.2/24,192.0.2.1",bond,cpu',
      false,
      true,
    ],
    [
      'OpenShift QE',
      'mac,ip,host,arch,root_device,bmc_address,bmc_scheme,bmc_base_uri,bmc_user,bmc_pass,redfish_user,redfish_password',
      'cc:48:3a:00:00:01,192.0.2.2,a,x86_64,/dev/sda,192.0.2.9,redfish,redfish/v1/Systems/1,root,hunter2,other,sesame',
      true,
      true,
    ],
    [
      'IPMI',
      'name;ipmi_address;ipmi_user;ipmi_password;provisioning_mac',
      'a;192.0.2.9;root;hunter2;CC-48-3A-00-00-01',
      true,
      true,
    ],
    ['a spreadsheet', 'Host Name,BMC Address,MAC Address', 'a,192.0.2.9,CC:48:3A:00:00:01', true, false],
    ['a script', 'HOST,BMC_IP,HOST_IP,MAC,UUID', 'a,192.0.2.9,192.0.2.2,CC:48:3A:00:00:01,b2f1', true, false],
  ])('of %s', async (_source, head, line, hasMac, hasLogin) => {
    const { host, inventory, login: found } = await importText(`${head}\n${line}\n`, 'hosts.csv');
    expect(host).toMatchObject({ name: 'a', deploy: { bmcAddress: '192.0.2.9' } });
    expect(host['mac']).toBe(hasMac ? 'cc:48:3a:00:00:01' : undefined);
    expect(found).toEqual(hasLogin ? login : undefined);
    expect(inventory).not.toMatch(/hunter2|sesame/);
  });

  it('leaves out other columns with a secret, and names them', async () => {
    const { inventory } = await importText('name,mac,vpn_token,rack\na,,sesame,r7\n', 'hosts.csv');
    expect(inventory).not.toContain('sesame');
    expect(inventory).toContain('the column vpn_token, which may contain a secret');
    expect(inventory).toContain('rack: r7');
  });
});

const address = { redfish_address: 'https://192.0.2.9', redfish_system_id: '/redfish/v1/Systems/1' };
const credentials = { redfish_username: 'root', redfish_password: 'hunter2' };
const masked = { ...credentials, redfish_password: '******' };
const ofApi = {
  uuid: 'u-1',
  name: 'a',
  driver: 'redfish',
  driver_info: { ...address, ...masked, deploy_kernel: null },
  instance_info: { image_source: null, image_checksum: null },
  properties: { cpu_arch: 'x86_64', capabilities: null, root_device: null },
  boot_interface: 'ipxe',
};
const deployed = {
  image_source: '16dae6a8-b0db-455a-ba7c-46fb71836d5b',
  image_checksum: null,
  image_os_hash_algo: 'sha256',
  image_os_hash_value: 'a'.repeat(64),
};
const port = { address: 'cc:48:3a:00:00:01', node_uuid: 'u-1', pxe_enabled: true };
const api = {
  name: 'a',
  mac: 'cc:48:3a:00:00:01',
  architecture: 'x86_64',
  deploy: { bmcAddress: 'redfish://192.0.2.9/redfish/v1/Systems/1' },
};
const withoutMac = { name: 'a', architecture: 'x86_64', deploy: api.deploy };

describe('nodes', () => {
  it.each<[source: string, value: unknown, host: object]>([
    ['GET /v1/nodes/UUID', ofApi, withoutMac],
    ['GET /v1/nodes/detail', { nodes: [ofApi] }, withoutMac],
    ['both lists of the API', [{ nodes: [ofApi] }, { ports: [port] }], api],
    [
      'the client, with titles',
      [
        {
          UUID: 'u-1',
          Name: 'a',
          Driver: 'redfish',
          'Driver Info': address,
          'Instance Info': {},
          Properties: { cpu_arch: 'x86_64' },
        },
      ],
      withoutMac,
    ],
    [
      'a deployed node, with the digest of its image beside a checksum without a value',
      { ...ofApi, instance_info: deployed },
      {
        ...withoutMac,
        deploy: {
          ...api.deploy,
          imageSource: deployed.image_source,
          imageChecksum: deployed.image_os_hash_value,
        },
      },
    ],
    ['a document for baremetal create', { nodes: [{ ...ofApi, ports: [{ address: port.address }] }] }, api],
    [
      'a node of IPMI',
      { ...ofApi, driver: 'ipmi', driver_info: { ipmi_address: '192.0.2.9', ipmi_username: 'root' } },
      { ...withoutMac, deploy: { bmcAddress: 'ipmi://192.0.2.9' } },
    ],
    [
      'an address without a scheme',
      { ...ofApi, driver_info: { ...address, redfish_address: '192.0.2.9' } },
      withoutMac,
    ],
    [
      'an iDRAC',
      { ...ofApi, driver: 'idrac' },
      { ...withoutMac, deploy: { bmcAddress: 'idrac-redfish://192.0.2.9/redfish/v1/Systems/1' } },
    ],
    [
      'a BMC with a certificate of its own',
      { ...ofApi, driver_info: { ...address, redfish_verify_ca: false } },
      { ...withoutMac, deploy: { ...api.deploy, bmcInsecure: true } },
    ],
  ])('of %s', async (_source, value, host) => {
    const { host: imported, inventory } = await importText(JSON.stringify(value), 'nodes.json');
    expect(imported).toEqual(host);
    expect(inventory).toContain('the BMC credentials: the password is masked or missing');
  });

  it('with the checksum that Ironic prefers, and with notes on interfaces without a setting', async () => {
    const image = { ...deployed, image_checksum: 'c'.repeat(32) };
    const node = { ...ofApi, instance_info: image, inspect_interface: 'inspector' };
    const { host, inventory } = await importText(JSON.stringify(node), 'nodes.json');
    expect(host).toMatchObject({ deploy: { imageChecksum: deployed.image_os_hash_value } });
    expect(inventory).toContain('# not imported: inspect_interface inspector\n');
  });

  it('names beside a node what an inventory cannot contain', async () => {
    const node = {
      ...ofApi,
      driver_info: { ...ofApi.driver_info, redfish_auth_type: 'basic', redfish_verify_ca: '/ca.pem' },
      instance_info: { ...deployed, boot_iso: 'http://192.0.2.1/a.iso', root_gb: 10 },
      properties: { ...ofApi.properties, cpus: 4 },
      bios_interface: 'redfish',
      resource_class: 'baremetal',
      traits: ['CUSTOM_GPU'],
      extra: { rack: 'r7' },
      description: '',
      automated_clean: false,
      protected: false,
      provision_state: 'available',
      created_at: '2026-01-01T00:00:00+00:00',
      portgroups: [{ href: 'http://192.0.2.1/v1/nodes/u-1/portgroups', rel: 'self' }],
    };
    const ports = [
      { ...port, physical_network: 'physnet1', local_link_connection: { port_id: 'e1' } },
      { ...port, address: 'cc:48:3a:00:00:02', pxe_enabled: false },
    ];
    const { inventory } = await importText(JSON.stringify([{ nodes: [node] }, { ports }]), 'nodes.json');
    expect(inventory.match(/(?<=# not imported: ).*/g)).toEqual([
      'port cc:48:3a:00:00:01: physical_network physnet1, local_link_connection port_id',
      'driver_info: redfish_auth_type, redfish_verify_ca',
      'instance_info: boot_iso, root_gb',
      'properties: cpus',
      'bios_interface redfish, resource_class baremetal, traits ["CUSTOM_GPU"], extra rack, automated_clean false',
      'the BMC credentials: the password is masked or missing',
      'the MAC address cc:48:3a:00:00:02',
    ]);
  });

  it('writes credentials that are not masked to a file', async () => {
    const node = { ...ofApi, driver_info: { ...address, ...credentials } };
    const { inventory, login: found } = await importText(JSON.stringify({ nodes: [node] }), 'nodes.json');
    expect(found).toEqual(login);
    expect(inventory).not.toContain('hunter2');
  });

  it.each([
    ['', {}],
    [' with a boot interface that no scheme has', { driver_info: address, boot_interface: 'pxe' }],
    [
      ' of an iDRAC',
      {
        driver: 'idrac',
        boot_interface: 'idrac-redfish-virtual-media',
        inspect_interface: 'idrac-redfish',
      },
    ],
  ])('come back from deploy%s', async (_title, fields) => {
    const node = {
      name: 'a',
      driver: 'redfish',
      driver_info: { ...address, redfish_verify_ca: false, deploy_iso: 'http://192.0.2.1/a.iso' },
      instance_info: {
        image_source: 'https://192.0.2.1/i.raw',
        image_os_hash_algo: 'sha256',
        image_os_hash_value: 'b'.repeat(64),
        image_disk_format: 'raw',
      },
      properties: { cpu_arch: 'x86_64', root_device: { size: '>= 100', rotational: false } },
      boot_interface: 'redfish-virtual-media',
      deploy_interface: 'direct',
      inspect_interface: 'agent',
      ports: [{ address: port.address }],
      ...fields,
    };
    const { name } = await importText(JSON.stringify({ nodes: [node] }), 'nodes.json');
    const { code, stdout } = await runCli(['deploy', 'node', '--format', 'json', '--inventory', name], {
      cwd,
    });
    expect([code, JSON.parse(stdout)]).toEqual([0, { nodes: [node] }]);
  });
});

const set = (kind: string, list: string, ...entries: readonly object[]) => ({
  apiVersion: 'config.openshift.io/v1',
  kind,
  metadata: { name: 'a' },
  spec: { [list]: entries },
});
const source = 'registry.example.com/one';
const entry = { source, mirrors: ['mirror.example.com/one'] };

describe('mirror sets', () => {
  it.each<[source: string, object: object, lines: readonly string[]]>([
    ['oc mirror', set('ImageTagMirrorSet', 'imageTagMirrors', entry), ['pull-from-mirror = "tag-only"']],
    [
      'oc mirror, with a status',
      { ...set('ImageDigestMirrorSet', 'imageDigestMirrors', entry), status: {} },
      ['pull-from-mirror = "digest-only"'],
    ],
    [
      'oc mirror, as a list',
      { apiVersion: 'v1', kind: 'List', items: [set('ImageDigestMirrorSet', 'imageDigestMirrors', entry)] },
      [`location = "${source}"`],
    ],
    [
      'oc adm catalog mirror',
      set('ImageContentSourcePolicy', 'repositoryDigestMirrors', entry),
      ['pull-from-mirror = "digest-only"'],
    ],
    [
      'Konflux, with another group',
      {
        ...set('ImageDigestMirrorSet', 'imageDigestMirrors', entry),
        apiVersion: 'operator.openshift.io/v1alpha1',
      },
      [`location = "${source}"`],
    ],
    [
      'KubeVirt',
      set('ImageTagMirrorSet', 'imageTagMirrors', { ...entry, mirrorSourcePolicy: 'NeverContactSource' }),
      ['blocked = true'],
    ],
    [
      'a whole registry',
      set('ImageDigestMirrorSet', 'imageDigestMirrors', {
        source: 'registry.redhat.io',
        mirrors: ['mirror.example.com:5000'],
      }),
      ['location = "registry.redhat.io"', 'location = "mirror.example.com:5000"'],
    ],
    [
      'several mirrors',
      set('ImageContentSourcePolicy', 'repositoryDigestMirrors', {
        source,
        mirrors: ['m1.example.com', 'm1.example.com/ibmcom'],
      }),
      ['location = "m1.example.com"', 'location = "m1.example.com/ibmcom"'],
    ],
    [
      'several sources with one mirror',
      set('ImageDigestMirrorSet', 'imageDigestMirrors', entry, {
        ...entry,
        source: 'registry.stage.example.com',
      }),
      [`location = "${source}"`, 'location = "registry.stage.example.com"'],
    ],
    [
      'a wildcard',
      set('ImageDigestMirrorSet', 'imageDigestMirrors', { ...entry, source: '*.example.com' }),
      ['prefix = "*.example.com"'],
    ],
  ])('of %s', async (_source, object, lines) => {
    const { name } = await importText(JSON.stringify(object), 'mirrors.json');
    const text = readFileSync(join(cwd, `${name.replace('.yaml', '-files')}/registries.conf`), 'utf8');
    for (const line of lines) expect(text).toContain(`${line}\n`);
  });

  it('without a mirror writes no file', async () => {
    const { inventory } = await importText(
      JSON.stringify(set('ImageContentSourcePolicy', 'repositoryDigestMirrors')),
      'mirrors.json',
    );
    expect(inventory).not.toContain('registries.conf');
  });
});

const network = (...interfaces: object[]) => ({ interfaces });
const eno1 = { name: 'eno1', type: 'ethernet', state: 'up' };
const byMac = { identifier: 'mac-address', 'mac-address': 'CC:48:3A:00:00:01' };
const listed = { name: 'eno1', macAddress: 'CC:48:3A:00:00:01' };
const agentConfig = (host: object, more: object = {}) => ({
  apiVersion: 'v1beta1',
  kind: 'AgentConfig',
  metadata: { name: 'ocp4' },
  rendezvousIP: '192.0.2.2',
  ...more,
  hosts: [{ hostname: 'a', ...host }],
});
const named = { name: 'a', mac: 'cc:48:3a:00:00:01' };

describe('objects of OpenShift', () => {
  it.each<[source: string, object: object, host: object, notes: readonly string[]]>([
    [
      'an agent-config with hints only',
      agentConfig({ interfaces: [listed], rootDeviceHints: { deviceName: '/dev/sda' } }),
      { ...named, deploy: { rootDeviceHints: { deviceName: '/dev/sda' } } },
      ['rendezvousIP 192.0.2.2'],
    ],
    [
      'an agent-config with a network',
      agentConfig({ interfaces: [listed], role: 'master', networkConfig: network(eno1) }),
      { ...named, network: { nmstate: network({ ...eno1, ...byMac }) } },
      ['role master'],
    ],
    [
      'an agent-config for network boot',
      agentConfig({ interfaces: [listed] }, { bootArtifactsBaseURL: 'http://192.0.2.1', minimalISO: true }),
      named,
      ['bootArtifactsBaseURL http://192.0.2.1', 'minimalISO true'],
    ],
    [
      'an agent-config with an interface that is down',
      agentConfig({
        interfaces: [listed],
        networkConfig: network({ ...eno1, state: 'down', 'mac-address': 'cc:48:3a:00:00:01' }),
      }),
      { ...named, network: { nmstate: network({ ...eno1, state: 'down', ...byMac }) } },
      [],
    ],
    [
      'an NMStateConfig',
      {
        apiVersion: 'agent-install.openshift.io/v1beta1',
        kind: 'NMStateConfig',
        metadata: { name: 'a', namespace: 'n', labels: { 'cluster-name': 'n' } },
        spec: { config: network(eno1), interfaces: [listed] },
      },
      { ...named, network: { nmstate: network({ ...eno1, ...byMac }) } },
      [],
    ],
    [
      'an install-config with hosts',
      {
        apiVersion: 'v1',
        platform: {
          baremetal: {
            hosts: [
              {
                name: 'a',
                role: 'master',
                bmc: { address: 'ipmi://192.0.2.9', ...login },
                bootMACAddress: 'CC:48:3A:00:00:01',
                hardwareProfile: 'default',
              },
            ],
          },
        },
        pullSecret: '{"auths":{}}',
      },
      { ...named, deploy: { bmcAddress: 'ipmi://192.0.2.9', method: 'none' }, bmc: expect.anything() },
      ['role master', 'hardwareProfile default'],
    ],
  ])('of %s', async (_source, object, imported, notes) => {
    const { host: found, inventory } = await importText(JSON.stringify(object), 'objects.json');
    expect(found).toEqual(imported);
    for (const note of notes) expect(inventory).toContain(note);
  });
});

/**
 * Nodes of Ironic as hosts of an inventory: `baremetal node list --long -f json` or `baremetal node show -f json`, and
 * `baremetal port list --long -f json`. A list has the titles of columns in place of the names of the API. Documents for
 * `baremetal create` and answers of the API have the same fields; a node in such a document has its ports.
 */

import { architectures } from '../../core/architecture.ts';
import { bootInterfaces, deployInterfaces, inspectInterfaces } from '../../core/nodeInterfaces.ts';
import { asList, asMapping, isMapping, type Mapping, withoutUndefined } from '../../formats/mapping.ts';
import { bmcSchemeOf } from '../../redfish/bmcAddress.ts';
import {
  addLogin,
  asText,
  type Imported,
  type ImportedFiles,
  type ImportedHost,
  macsOf,
  unreadField,
} from './imported.ts';

/** The nodes and ports in JSON values; undefined if they contain anything else. */
export function findNodes(values: readonly unknown[]): readonly Mapping[] | undefined {
  const items = values.flat().flatMap(itemsOf).filter(isMapping).map(withApiNames);
  return items.length > 0 && items.every((item) => isNode(item) || isPort(item)) ? items : undefined;
}

/** `Driver Info` is `driver_info`. */
function withApiNames(item: Mapping): Mapping {
  const entries = Object.entries(item).map(([key, value]) => [key.toLowerCase().replaceAll(' ', '_'), value]);
  return Object.fromEntries(entries);
}

/** Of an answer of the API, or of a document for `baremetal create`. */
function itemsOf(value: unknown): readonly unknown[] {
  const { driver, nodes, ports } = asMapping(value);
  return driver === undefined && (Array.isArray(nodes) || Array.isArray(ports))
    ? [...asList(nodes), ...asList(ports)]
    : [value];
}

function isNode(item: Mapping): boolean {
  return 'driver_info' in item && 'driver' in item;
}

function isPort(item: Mapping): boolean {
  return 'address' in item && 'node_uuid' in item;
}

/** @param items nodes and ports */
export function importNodes(items: readonly Mapping[], files: ImportedFiles): Partial<Imported> {
  const nodes = items.filter(isNode);
  const ports = items.filter(isPort);
  const unknown = ports.filter(({ node_uuid: owner }) => !nodes.some(({ uuid }) => uuid === owner));
  return {
    hosts: nodes.map((node) => {
      const host = readNode(node, ports);
      const credentialsFile = addLogin(files, `${host.name}-bmc-secret`, loginOf(node));
      const isMissing = credentialsFile === undefined;
      return { ...host, credentialsFile, notes: isMissing ? [...host.notes, MASKED] : host.notes };
    }),
    notes: unknown.map(({ address }) => `the port ${asText(address)} of a node that is not listed`),
  };
}

/** The fields of a node, and the settings and their values. */
const interfaces = [
  ['boot_interface', 'bootInterface', bootInterfaces],
  ['deploy_interface', 'deployInterface', deployInterfaces],
  ['inspect_interface', 'inspectInterface', inspectInterfaces],
] as const;

function readNode(node: Mapping, ports: readonly Mapping[]): ImportedHost {
  const { uuid, name, driver, boot_interface: boot } = node;
  const [info, instance, properties] = [node['driver_info'], node['instance_info'], node['properties']].map(
    // The API has null for what is not set.
    (values) => Object.fromEntries(Object.entries(asMapping(values)).filter(([, value]) => value !== null)),
  );
  const { deploy_iso, deploy_kernel, deploy_ramdisk, kernel_append_params } = asMapping(info);
  // The older field may be an MD5.
  const { boot_iso, image_checksum, image_disk_format, image_source } = asMapping(instance);
  const { image_os_hash_value = image_checksum } = asMapping(instance);
  const { cpu_arch, root_device, capabilities } = asMapping(properties);
  const own = [
    ...ports.filter(({ node_uuid: owner }) => owner === uuid),
    ...asList(node['ports']).map(asMapping),
  ];
  // The port that boots first.
  const sorted = own.toSorted((one, other) => Number(isBooted(other)) - Number(isBooted(one)));
  const { macs, notes } = macsOf(sorted.map(({ address }) => address));
  const isKnown = architectures.some((one) => one === cpu_arch);
  const [scheme, ofScheme] = bmcSchemeOf(driver, boot) ?? [];
  const address = scheme && bmcAddressOf(scheme, asMapping(info));
  // It may also be the path of a certificate.
  const [verifies] =
    /^(?:true|false)$/.exec(asText(asMapping(info)['redfish_verify_ca']).toLowerCase()) ?? [];
  const chosen = interfaces.flatMap(([field, setting, names]) => {
    const value = asText(node[field]);
    if (value === '' || value === ofScheme?.bootInterface) return [];
    return [{ field, setting, value, isValid: names.some((one) => one === value) }];
  });
  return {
    kinds: ['node'],
    name: asText(name ?? uuid),
    macs,
    bootMac: macs[0],
    ...(isKnown && { architecture: cpu_arch }),
    deploy: withoutUndefined({
      bmcAddress: address,
      bmcInsecure: verifies === 'false' ? true : undefined,
      rootDeviceHints: isMapping(root_device) ? root_device : undefined,
      deployIso: deploy_iso,
      deployKernel: deploy_kernel,
      deployRamdisk: deploy_ramdisk,
      kernelAppendParams: kernel_append_params,
      imageSource: image_source,
      ...(image_source === undefined
        ? { bootIso: boot_iso }
        : { imageChecksum: image_os_hash_value, imageFormat: image_disk_format }),
      ...Object.fromEntries(
        chosen.flatMap(({ isValid, setting, value }) => (isValid ? [[setting, value]] : [])),
      ),
    }),
    notes: [
      ...notes,
      ...own.flatMap((port) => unreadFields(port, readOfPorts, `port ${asText(port['address'])}: `)),
      ...(address === undefined ? [`driver ${asText(driver)}`] : []),
      ...chosen.flatMap(({ field, isValid, value }) => (isValid ? [] : `${field} ${value}`)),
      ...(isKnown || cpu_arch === undefined ? [] : [`cpu_arch ${asText(cpu_arch)}`]),
      ...(capabilities === undefined || capabilities === '' ? [] : [`capabilities ${asText(capabilities)}`]),
      ...unreadNames('driver_info', info, [
        ...readOfDrivers,
        ...(address === undefined ? [] : readOfBmcs[scheme === 'ipmi' ? 'ipmi' : 'redfish']),
        ...(verifies === undefined ? [] : ['redfish_verify_ca']),
      ]),
      ...unreadNames('instance_info', instance, [
        'image_source',
        ...(image_source === undefined ? ['boot_iso', 'ironic_ramdisk_deploy'] : readOfImages),
      ]),
      ...unreadNames('properties', properties, [
        'cpu_arch',
        'capabilities',
        ...(isMapping(root_device) ? ['root_device'] : []),
      ]),
      ...unreadFields(node, readOfNodes, ''),
    ],
  };
}

/** Also fields that only say which state a node or a port is in. */
const readOfNodes = new Set([
  ...wordsIn('uuid name driver driver_info instance_info properties ports'),
  ...wordsIn('boot_interface deploy_interface inspect_interface'),
  ...wordsIn(
    'allocation_uuid boot_mode clean_step conductor console_enabled deploy_step driver_internal_info',
  ),
  ...wordsIn('fault health instance_name instance_uuid last_error links maintenance maintenance_reason'),
  ...wordsIn('power_state provision_state provisioning_state raid_config current_raid_configuration'),
  ...wordsIn('reservation secure_boot service_step states target_power_state target_provision_state'),
]);
const readOfPorts = new Set(
  wordsIn('address node_uuid uuid internal_info links pxe_enabled pxe_boot_enabled'),
);
const readOfDrivers = wordsIn('deploy_iso deploy_kernel deploy_ramdisk kernel_append_params');
const readOfBmcs = {
  ipmi: wordsIn('ipmi_address ipmi_port ipmi_priv_level ipmi_username ipmi_password'),
  redfish: wordsIn('redfish_address redfish_system_id redfish_username redfish_password'),
};
const readOfImages = wordsIn('image_checksum image_os_hash_algo image_os_hash_value image_disk_format');

function wordsIn(text: string): readonly string[] {
  return text.split(' ');
}

/** The fields with a value that no setting has, as one clause. */
function unreadFields(item: Mapping, read: ReadonlySet<string>, start: string): readonly string[] {
  const fields = Object.entries(item).flatMap(([field, value]) => {
    // Times are a part of the state. The API has the default value of most fields, and links in place of lists.
    const isState = read.has(field) || field.endsWith('_at');
    const isDefault = value === false && field !== 'automated_clean';
    const isLinked = asList(value).some((entry) => 'href' in asMapping(entry));
    return isState || isDefault || isLinked ? [] : unreadField(field, value) || [];
  });
  return fields.length === 0 ? [] : [`${start}${fields.join(', ')}`];
}

function unreadNames(field: string, values: Mapping = {}, read: readonly string[]): readonly string[] {
  const names = Object.keys(values).filter((name) => !read.includes(name));
  return names.length === 0 ? [] : [`${field}: ${names.join(', ')}`];
}

const MASKED = 'the BMC credentials: the password is masked or missing';

/** Empty if the password is missing, or masked as the API does. */
function loginOf({ driver, driver_info: info }: Mapping): Mapping {
  const prefix = driver === 'ipmi' ? 'ipmi' : 'redfish';
  const [username, password] = [asMapping(info)[`${prefix}_username`], asMapping(info)[`${prefix}_password`]];
  const isText = typeof password === 'string' && !/^\**$/.test(password);
  return isText && typeof username === 'string' ? { username, password } : {};
}

function isBooted(port: Mapping): boolean {
  return port['pxe_enabled'] === true || port['pxe_boot_enabled'] === true;
}

/** As Metal3 writes it. Undefined without the address of a server. */
function bmcAddressOf(scheme: string, info: Mapping): string | undefined {
  const { ipmi_address: host, ipmi_port: port, ipmi_priv_level: level } = info;
  const { redfish_address: url, redfish_system_id: system } = info;
  if (scheme === 'ipmi') {
    if (typeof host !== 'string') return undefined;
    const shown = host.includes(':') ? `[${host}]` : host;
    const privilege = level === undefined ? '' : `?privilegelevel=${asText(level)}`;
    return `ipmi://${shown}${port === undefined ? '' : `:${asText(port)}`}${privilege}`;
  }
  if (typeof url !== 'string') return undefined;
  const [, transport = 'https', authority = ''] = /^(?:(https?):\/\/)?([^/]+)/i.exec(url) ?? [];
  const suffix = transport.toLowerCase() === 'http' ? '+http' : '';
  return `${scheme}${suffix}://${authority}${asText(system)}`;
}

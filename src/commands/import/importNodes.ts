/**
 * Nodes of Ironic as hosts of an inventory: `baremetal node list --long -f json` or `baremetal node show -f json`, and
 * `baremetal port list --long -f json`. A list has the titles of columns in place of the names of the API.
 */

import { architectures } from '../../core/architecture.ts';
import { asMapping, isMapping, type Mapping, withoutUndefined } from '../../formats/mapping.ts';
import { type Imported, type ImportedHost, macsOf, asText } from './imported.ts';

/** The nodes and ports in JSON values; undefined if they contain anything else. */
export function findNodes(values: readonly unknown[]): readonly Mapping[] | undefined {
  const items = values.flat().filter(isMapping).map(withApiNames);
  return items.length > 0 && items.every((item) => isNode(item) || isPort(item)) ? items : undefined;
}

function isNode(item: Mapping): boolean {
  return 'driver_info' in item && 'driver' in item;
}

function isPort(item: Mapping): boolean {
  return 'address' in item && 'node_uuid' in item;
}

/** @param items nodes and ports */
export function importNodes(items: readonly Mapping[]): Partial<Imported> {
  const nodes = items.filter(isNode);
  const ports = items.filter(isPort);
  const unknown = ports.filter(({ node_uuid: owner }) => !nodes.some(({ uuid }) => uuid === owner));
  return {
    hosts: nodes.map((node) => readNode(node, ports)),
    notes: unknown.map(({ address }) => `the port ${asText(address)} of a node that is not listed`),
  };
}

/** `Driver Info` is `driver_info`. */
function withApiNames(item: Mapping): Mapping {
  const entries = Object.entries(item).map(([key, value]) => [key.toLowerCase().replaceAll(' ', '_'), value]);
  return Object.fromEntries(entries);
}

function readNode(node: Mapping, ports: readonly Mapping[]): ImportedHost {
  const { uuid, name, driver_info: info, instance_info: instance, properties } = node;
  const { deploy_iso, deploy_kernel, deploy_ramdisk, kernel_append_params } = asMapping(info);
  const {
    image_source,
    image_os_hash_value,
    image_checksum = image_os_hash_value,
    boot_iso,
  } = asMapping(instance);
  const { cpu_arch, root_device, capabilities } = asMapping(properties);
  const own = ports.filter(({ node_uuid: owner }) => owner === uuid);
  // The port that boots first.
  const sorted = own.toSorted((one, other) => Number(isBooted(other)) - Number(isBooted(one)));
  const { macs, notes } = macsOf(sorted.map(({ address }) => address));
  const isKnown = architectures.some((one) => one === cpu_arch);
  const address = bmcAddressOf(node, asMapping(info));
  return {
    name: asText(name ?? uuid),
    macs,
    ...(isKnown && { architecture: cpu_arch }),
    deploy: withoutUndefined({
      bmcAddress: address,
      bmcInsecure: isFalse(asMapping(info)['redfish_verify_ca']) ? true : undefined,
      rootDeviceHints: isMapping(root_device) ? root_device : undefined,
      deployIso: deploy_iso,
      deployKernel: deploy_kernel,
      deployRamdisk: deploy_ramdisk,
      kernelAppendParams: kernel_append_params,
      imageSource: image_source,
      imageChecksum: image_source === undefined ? undefined : image_checksum,
      bootIso: image_source === undefined ? boot_iso : undefined,
      deployInterface: interfaceOf(node['deploy_interface'], deployInterfaces),
      inspectInterface: interfaceOf(node['inspect_interface'], inspectInterfaces),
    }),
    notes: [
      ...notes,
      ...(address === undefined ? [`driver ${asText(node['driver'])}`] : []),
      ...(isKnown || cpu_arch === undefined ? [] : [`cpu_arch ${asText(cpu_arch)}`]),
      ...(capabilities === undefined || capabilities === '' ? [] : [`capabilities ${asText(capabilities)}`]),
      'the BMC credentials: passwords are masked in this list',
    ],
  };
}

function isBooted(port: Mapping): boolean {
  return port['pxe_enabled'] === true || port['pxe_boot_enabled'] === true;
}

function isFalse(value: unknown): boolean {
  return value === false || asText(value).toLowerCase() === 'false';
}

const deployInterfaces = ['direct', 'autodetect', 'bootc', 'ramdisk', 'custom-agent'];
const inspectInterfaces = ['agent', 'redfish', 'no-inspect'];

function interfaceOf(name: unknown, known: readonly string[]): string | undefined {
  return known.find((one) => one === name);
}

/** The address as Metal3 writes it; undefined for another driver. */
function bmcAddressOf({ driver, boot_interface: boot }: Mapping, info: Mapping): string | undefined {
  const { ipmi_address: host, ipmi_port: port, redfish_address: url, redfish_system_id: system = '' } = info;
  if (driver === 'ipmi' && typeof host === 'string') {
    const shown = host.includes(':') ? `[${host}]` : host;
    return `ipmi://${shown}${port === undefined ? '' : `:${asText(port)}`}`;
  }
  if ((driver !== 'redfish' && driver !== 'idrac') || typeof url !== 'string') return undefined;
  const [, transport = 'https', authority = ''] = /^(?:(https?):\/\/)?([^/]+)/i.exec(url) ?? [];
  const scheme = schemes[driver][asText(boot)] ?? (driver === 'redfish' ? 'redfish' : 'idrac-redfish');
  const suffix = transport.toLowerCase() === 'http' ? '+http' : '';
  return `${scheme}${suffix}://${authority}${asText(system)}`;
}

/** By boot interface; others boot from the network. */
const schemes: Readonly<Record<'redfish' | 'idrac', Readonly<Record<string, string>>>> = {
  redfish: { 'redfish-virtual-media': 'redfish-virtualmedia', 'redfish-https': 'redfish-uefihttp' },
  idrac: { 'idrac-redfish-virtual-media': 'idrac-virtualmedia' },
};

/**
 * A node of Ironic as `baremetal create FILE` takes it, or as commands of the client. Credentials are never written:
 * the commands take them from the environment. Left out are interfaces that Ironic picks well by itself, and everything
 * about RAID, BIOS, console and rescue.
 */

import { parseBootUrl } from '../../boot/urlArgument.ts';
import type { Issue, Rule } from '../../ignition/rule.ts';
import { type BmcAddress, bmcKind, isVirtualMedia } from './bmcAddress.ts';
import type { DeployHost } from './host.ts';
import { isUuid, nodeNameProblem } from '../../core/objectName.ts';
import { checkRamdiskArguments } from './ramdiskArguments.ts';
import { rootDeviceMissing } from './bareMetalHost.ts';

/** Where Ironic gets the ramdisk from, as it names it. */
export type Ramdisk =
  | { readonly kind: 'iso'; readonly iso: string }
  | { readonly kind: 'pair'; readonly kernel: string; readonly ramdisk: string; readonly arguments?: string };

export interface NodeSettings {
  readonly host: DeployHost;
  /** Absent leaves it to the conductor's own settings. */
  readonly ramdisk?: Ramdisk;
}

type Attributes = Readonly<Record<string, unknown>>;

/** The members are those of Ironic's API. */
export interface NodeDescription {
  readonly name: string;
  readonly driver?: string;
  readonly driver_info: Attributes;
  readonly properties: Attributes;
  readonly deploy_interface: 'custom-agent';
  readonly boot_interface?: string;
  readonly ports?: readonly { readonly address: string }[];
}

export const nodeName: Rule = {
  id: 'node-name',
  severity: 'error',
  message: 'the name is not allowed',
  hint: 'use letters, digits and dashes, e.g. worker-3',
};
const imageReference: Rule = {
  id: 'ramdisk-url',
  severity: 'error',
  message: 'Ironic cannot fetch this',
  hint: 'give an http, https or file URL, or the UUID of an image in Glance',
};
const isoNeedsVirtualMedia: Rule = {
  id: 'iso-needs-virtual-media',
  severity: 'error',
  message: 'the BMC address boots the ramdisk from the network, where Ironic cannot use an ISO',
  hint: 'use a virtual media address, or give --deploy-kernel and --deploy-ramdisk',
};

/** Paths lead into the settings. */
export function checkNode(settings: NodeSettings): readonly Issue[] {
  const { host, ramdisk } = settings;
  const nameProblem = nodeNameProblem(host.name);
  return [
    ...(nameProblem === undefined
      ? []
      : [{ rule: nodeName, path: ['name'], message: `${nodeName.message}: ${nameProblem}` }]),
    ...(ramdisk === undefined ? [] : checkRamdisk(ramdisk)),
    ...(ramdisk?.kind === 'iso' && host.bmc !== undefined && !isVirtualMedia(host.bmc.address)
      ? [{ rule: isoNeedsVirtualMedia, path: ['iso'] }]
      : []),
    ...(Object.keys(host.rootDevice).length === 0 ? [{ rule: rootDeviceMissing, path: [] }] : []),
  ];
}

/** Paths begin with `iso`, `kernel`, `ramdisk` or `arguments`. */
export function checkRamdisk(ramdisk: Ramdisk): readonly Issue[] {
  if (ramdisk.kind === 'iso') return checkReference('iso', ramdisk.iso);
  return [
    ...checkReference('kernel', ramdisk.kernel),
    ...checkReference('ramdisk', ramdisk.ramdisk),
    ...(ramdisk.arguments === undefined ? [] : checkRamdiskArguments(ramdisk.arguments)),
  ];
}

function checkReference(name: string, reference: string): readonly Issue[] {
  if (isUuid(reference)) return [];
  const isPrintable = /^[!-~]+$/.test(reference);
  const isFile = /^file:\/\/\/./.test(reference);
  const isWeb = /^https?:/.test(reference) && parseBootUrl(reference) !== undefined;
  return isPrintable && (isFile || isWeb) ? [] : [{ rule: imageReference, path: [name] }];
}

export function describeNode({ host, ramdisk }: NodeSettings): NodeDescription {
  const kind = host.bmc && bmcKind(host.bmc.address);
  return {
    name: host.name,
    ...(kind !== undefined && { driver: kind.driver }),
    driver_info: {
      ...(host.bmc !== undefined && bmcDriverInfo(host.bmc.address)),
      ...(host.bmc?.insecure === true && kind?.driver !== 'ipmi' && { redfish_verify_ca: false }),
      ...(ramdisk !== undefined && ramdiskDriverInfo(ramdisk)),
    },
    properties: {
      ...(host.architecture !== undefined && { cpu_arch: host.architecture }),
      ...(Object.keys(host.rootDevice).length > 0 && { root_device: host.rootDevice }),
    },
    deploy_interface: 'custom-agent',
    ...(kind !== undefined && { boot_interface: kind.bootInterface }),
    ...(host.bootMac !== undefined && { ports: [{ address: host.bootMac }] }),
  };
}

function bmcDriverInfo(address: BmcAddress): Attributes {
  const { host, port, path, transport, privilegeLevel } = address;
  if (bmcKind(address).driver === 'ipmi') {
    return {
      ipmi_address: host.replace(/^\[|\]$/g, ''),
      ...(port !== undefined && { ipmi_port: port }),
      ...(privilegeLevel !== undefined && { ipmi_priv_level: privilegeLevel }),
    };
  }
  const namesSystem = !['', 'redfish/v1'].includes(path.replace(/^\/+|\/+$/g, ''));
  return {
    redfish_address: `${transport}://${host}${port === undefined ? '' : `:${port}`}`,
    ...(namesSystem && { redfish_system_id: path }),
  };
}

/** Ironic's names; `%default%` keeps the arguments that the conductor is configured with. */
function ramdiskDriverInfo(ramdisk: Ramdisk): Attributes {
  if (ramdisk.kind === 'iso') return { deploy_iso: ramdisk.iso };
  return {
    deploy_kernel: ramdisk.kernel,
    deploy_ramdisk: ramdisk.ramdisk,
    ...(ramdisk.arguments !== undefined && { kernel_append_params: ramdisk.arguments }),
  };
}

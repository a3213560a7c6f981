/**
 * What a machine has, as ironic-python-agent reports it at an inspection. Ironic stores it (`baremetal node inventory save`), `try
 * --save` writes it, and Metal3 keeps it in `status.hardware` of a BareMetalHost and in HardwareData (`hardwaredetails.go` of the
 * baremetal-operator). Only what the settings of a host depend on is read.
 */

import { type Architecture, architectures } from '../core/architecture.ts';
import {
  asList,
  asMapping,
  asMappings,
  isMapping,
  type Mapping,
  stringOf,
  valueAt,
} from '../formats/mapping.ts';
import type { HintName } from './rootDeviceHints.ts';

export interface MachineHardware {
  /** The name of the Kubernetes object; Ironic's data contains none. */
  readonly name: string | undefined;
  /**
   * The BMC was inspected (inspect interface redfish), and not the machine: disks and interfaces have the names of the BMC, and a
   * RAID controller may show other disks to the machine.
   */
  readonly isFromBmc: boolean;
  readonly disks: readonly MachineDisk[];
  readonly interfaces: readonly MachineInterface[];
  /** Bytes. */
  readonly memory: number | undefined;
  readonly architecture: Architecture | undefined;
  /** How the machine was booted for the inspection. */
  readonly bootMode: 'bios' | 'uefi' | undefined;
}

/** By the names of root device hints. A missing member is not reported; null is what the disk does not have. `size` is in bytes. */
export type MachineDisk = Readonly<Partial<Record<HintName, string | number | boolean | null>>> & {
  readonly name: string;
  readonly size: number;
};

export interface MachineInterface {
  readonly name: string;
  /** In lower case with colons. */
  readonly mac: string;
  readonly addresses: readonly string[];
}

/** The machines of a document: one of Ironic, or any number of Metal3. Empty for other documents, and for hosts that were not inspected. */
export function readHardware(document: unknown): readonly MachineHardware[] {
  const object = asMapping(document);
  const { items, kind } = object;
  if (Array.isArray(items)) return items.flatMap(readHardware);
  const metal3 = valueAt(object, [kind === 'HardwareData' ? 'spec' : 'status', 'hardware']);
  if (isMapping(metal3)) {
    const name = textOf(valueAt(object, ['metadata', 'name']));
    return [{ ...readInventory(inventoryOf(metal3)), name }];
  }
  const inventory = isMapping(object['inventory']) ? object['inventory'] : object;
  return Array.isArray(inventory['interfaces']) ? [readInventory(inventory)] : [];
}

function readInventory(inventory: Mapping): MachineHardware {
  const disks = asMappings(inventory['disks']);
  const { total, physical_mb: mebibytes } = asMapping(inventory['memory']);
  const memory = typeof mebibytes === 'number' && mebibytes > 0 ? mebibytes * 1024 ** 2 : total;
  const machine = valueAt(inventory, ['cpu', 'architecture']);
  const mode = valueAt(inventory, ['boot', 'current_boot_mode']);
  return {
    name: undefined,
    // Without disks, Ironic leaves out the list (`inspect.py` of its redfish interface); the agent always sends it, with names of devices.
    isFromBmc:
      !Array.isArray(inventory['disks']) ||
      disks.some(({ name }) => stringOf(name)?.startsWith('/dev/') !== true),
    disks: disks.flatMap(({ name: given, size, ...values }) => {
      const name = textOf(given);
      const known = Object.entries(values).filter(
        ([, value]) => value === null || ['string', 'number', 'boolean'].includes(typeof value),
      );
      if (name === undefined || typeof size !== 'number') return [];
      return [{ ...Object.fromEntries(known), name, size }];
    }),
    interfaces: asMappings(inventory['interfaces']).flatMap(
      ({ name, mac_address: mac, ipv4_address: ipv4, ipv6_address: ipv6 }) => {
        if (typeof name !== 'string' || typeof mac !== 'string') return [];
        return [
          { name, mac: mac.toLowerCase(), addresses: [ipv4, ipv6].flatMap((one) => textOf(one) ?? []) },
        ];
      },
    ),
    memory: typeof memory === 'number' ? memory : undefined,
    architecture: architectures.find((name) => name === machine),
    bootMode: mode === 'bios' || mode === 'uefi' ? mode : undefined,
  };
}

/** What Metal3 keeps, as the agent sent it. */
function inventoryOf({ cpu, nics, ramMebibytes, storage }: Mapping): Mapping {
  const disks = asMappings(storage).map((disk) => {
    const names = [disk['name'], ...asList(disk['alternateNames'])].flatMap((one) => textOf(one) ?? []);
    const path = names.find((one) => one.startsWith('/dev/disk/by-path/'));
    return {
      name: names.find((one) => /^\/dev\/[^/]+$/.test(one)) ?? path ?? names[0],
      size: disk['sizeBytes'],
      model: disk['model'] ?? null,
      vendor: disk['vendor'] ?? null,
      serial: disk['serialNumber'] ?? null,
      wwn: disk['wwn'] ?? null,
      wwn_with_extension: disk['wwnWithExtension'] ?? null,
      wwn_vendor_extension: disk['wwnVendorExtension'] ?? null,
      hctl: disk['hctl'] ?? null,
      rotational: disk['rotational'] ?? false,
      ...(path !== undefined && { by_path: path }),
    };
  });
  return {
    disks: Array.isArray(storage) ? disks : undefined,
    interfaces: asMappings(nics).map(({ ip, mac, name }) => ({ name, mac_address: mac, ipv4_address: ip })),
    memory: { physical_mb: ramMebibytes },
    cpu: { architecture: asMapping(cpu)['arch'] },
  };
}

/** Undefined for an empty text. */
function textOf(value: unknown): string | undefined {
  return stringOf(value) || undefined;
}

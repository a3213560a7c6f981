/**
 * Whether a machine has what its host is configured for: the disk that the root device hints select, the interfaces of its network,
 * memory. The facts are those of an inspection: since then, disks may have been exchanged, and other kernels name interfaces otherwise.
 * So the user can turn each rule off.
 */

import type { Finding, Path } from '../core/finding.ts';
import { found, issueWith, lintError, lintNote, lintWarning, type Rule } from '../core/rule.ts';
import { asMapping, stringOf } from '../formats/mapping.ts';
import { formatSizeInWords } from '../formats/messageText.ts';
import type { MachineDisk, MachineHardware, MachineInterface } from '../ipa/machineHardware.ts';
import { type HintName, isHintName, type RootDevice } from '../ipa/rootDeviceHints.ts';
import { defaultDisk, matchDisks } from '../ipa/rootDisk.ts';
import { type Connection, connectionName, findConnection } from '../network/connection.ts';
import { formatAddress } from '../network/ipAddress.ts';

/** What a host expects of its machine; undefined for what is not checked. */
export interface ExpectedHardware {
  /** Empty for the default disk. */
  readonly rootDevice?: RootDevice | undefined;
  /** In lower case with colons. */
  readonly bootMac?: string | undefined;
  readonly architecture?: string | undefined;
  readonly bootMode?: MachineHardware['bootMode'];
  readonly connections: readonly Connection[];
  /** Bytes that the live system needs at least. */
  readonly memory?: number | undefined;
}

/** The boot mode that `spec` of a BareMetalHost sets: `bootMode: legacy`, `UEFI` or `UEFISecureBoot`. */
export function bootModeOf(spec: unknown): MachineHardware['bootMode'] {
  const mode = stringOf(asMapping(spec)['bootMode']);
  return mode === undefined ? undefined : mode === 'legacy' ? 'bios' : 'uefi';
}

export const hardwareRules = {
  noMachine: lintWarning(
    'hardware-no-machine',
    'the hardware data contains no machine of the host',
    'name the file of the machine like the host, or set the MAC address of the host',
  ),
  disk: lintNote('hardware-disk', 'this disk of the machine is overwritten', 'use another root device hint'),
  noDisk: lintError(
    'hardware-no-disk',
    'no disk of the machine matches the root device hints',
    'use the value of a disk of the machine',
  ),
  severalDisks: lintWarning(
    'hardware-several-disks',
    'several disks of the machine match the root device hints, and the first is overwritten',
    'add a hint that only one of the disks has',
  ),
  unknownDisk: lintNote(
    'hardware-unknown-disk',
    'the hardware data does not contain what a root device hint compares',
    'use the inventory that Ironic or try stores',
  ),
  noMac: lintError(
    'hardware-no-mac',
    'the machine has no interface with the MAC address',
    'use the MAC address of an interface of the machine',
  ),
  noInterface: lintWarning(
    'hardware-no-interface',
    'the machine has no interface with the name',
    'use the name of an interface of the machine, or only its MAC address',
  ),
  memory: lintError(
    'hardware-memory',
    'the machine has less memory than its images need',
    'use a smaller image, or a machine with more memory',
  ),
  architecture: lintError(
    'hardware-architecture',
    'the machine has another architecture than the host',
    'set the architecture of the machine',
  ),
  bootMode: lintWarning(
    'hardware-boot-mode',
    'the machine was inspected in another boot mode than the host sets',
    'set the boot mode of the machine',
  ),
};

/** Paths are empty, or begin with `rootDevice`, `bootMac`, `arch` or `spec`, after the settings of deployments. */
export function checkHardware(host: ExpectedHardware, machine: MachineHardware): readonly Finding[] {
  const { architecture, bootMac, bootMode, connections, memory = 0, rootDevice } = host;
  const { memory: ownMemory = memory } = machine;
  return found(
    rootDevice !== undefined && checkRootDevice(rootDevice, machine),
    bootMac !== undefined &&
      !machine.interfaces.some(({ mac }) => mac === bootMac) &&
      noMac(machine, ['bootMac'], `${bootMac}, from which it boots`),
    connections.flatMap((connection) => checkConnection(connection, connections, machine)),
    architecture !== undefined &&
      (machine.architecture ?? architecture) !== architecture &&
      issueWith(hardwareRules.architecture, ['arch'], `${machine.architecture}, not ${architecture}`),
    bootMode !== undefined &&
      (machine.bootMode ?? bootMode) !== bootMode &&
      issueWith(hardwareRules.bootMode, ['spec'], `${machine.bootMode}, not ${bootMode}`),
    memory > ownMemory &&
      issueWith(
        hardwareRules.memory,
        [],
        `${formatSizeInWords(ownMemory)}, not ${formatSizeInWords(memory)}`,
      ),
  );
}

/** A BMC may not list the interfaces of cards. */
function noMac({ interfaces, isFromBmc }: MachineHardware, path: Path, detail: string): Finding {
  const issue = issueWith(hardwareRules.noMac, path, detail);
  return { ...issue, ...(isFromBmc && { severity: 'warning' }), hint: `use ${listInterfaces(interfaces)}` };
}

function say(rule: Rule, path: Path, message: string, hint = rule.hint): readonly Finding[] {
  return [{ ...rule, path, message, hint }];
}

function checkRootDevice(rootDevice: RootDevice, { disks, isFromBmc }: MachineHardware): readonly Finding[] {
  const path = ['rootDevice'];
  if (isFromBmc) {
    const message = 'the hardware data is that of the BMC, which does not know the names of disks in Linux';
    const hint = 'inspect the machine with the agent, or boot it with try --save';
    return say(hardwareRules.unknownDisk, path, message, hint);
  }
  const names = Object.keys(rootDevice).filter(isHintName);
  const shown = `the disks are ${disks.map((disk) => describeDisk(disk, names)).join(', ') || 'none'}`;
  const unknown = disks.length === 0 ? undefined : names.find((name) => !disks.some((disk) => name in disk));
  if (unknown !== undefined) return [issueWith(hardwareRules.unknownDisk, [...path, unknown], unknown)];
  if (names.length === 0) {
    const disk = defaultDisk(disks);
    if (disk === undefined)
      return say(hardwareRules.noDisk, path, `no disk of the machine has 4 GiB: ${shown}`, 'add a disk');
    const message = `without a hint, the smallest disk of at least 4 GiB is overwritten: ${describeDisk(disk, [])}`;
    return say(hardwareRules.disk, path, message, `use ${distinguish(disk, disks)}`);
  }
  const [disk, ...others] = matchDisks(rootDevice, disks);
  if (disk === undefined) {
    // The agent also compares the second serial number and WWN of a disk, which are not in the data: then the hints may match.
    const sure = Object.entries(rootDevice).filter(([name]) => !/^(?:serial|wwn)/.test(name));
    const isSure = matchDisks(Object.fromEntries(sure), disks).length === 0;
    const message = `no disk of the machine matches ${names.join(' and ')}: ${shown}`;
    const hint = `use ${disks[0] === undefined ? 'name=/dev/…' : distinguish(disks[0], disks, names)}`;
    const rule = { ...hardwareRules.noDisk, severity: isSure ? 'error' : 'warning' } as const;
    return say(rule, names.length === 1 ? [...path, ...names] : path, message, hint);
  }
  if (others.length > 0) {
    const list = [disk, ...others].map((one) => describeDisk(one, [])).join(', ');
    const message = `${others.length + 1} disks of the machine match, and the first is overwritten: ${list}`;
    return say(hardwareRules.severalDisks, path, message, `add ${distinguish(disk, disks)}`);
  }
  return say(hardwareRules.disk, path, `${describeDisk(disk, names)} of the machine is overwritten`);
}

/** `/dev/sda (447.1 GiB, hctl 3:2:0:0)` */
function describeDisk(disk: MachineDisk, names: readonly HintName[]): string {
  const facts = names
    .filter((name) => name !== 'name' && name !== 'size')
    .map((name) => `${name} ${String(disk[name] ?? 'none')}`);
  return `${disk.name} (${[formatSizeInWords(disk.size), ...facts].join(', ')})`;
}

/** The hint for one disk: a value that no other disk has, of one of these hints if it can be. */
function distinguish(
  disk: MachineDisk,
  disks: readonly MachineDisk[],
  names: readonly HintName[] = [],
): string {
  const unique = [...names, 'by_path', 'serial', 'wwn', 'hctl'].filter(isHintName).find((name) => {
    const value = disk[name];
    return typeof value === 'string' && disks.every((other) => other === disk || other[name] !== value);
  });
  return `${unique === undefined ? `name=${disk.name}` : `${unique}="${String(disk[unique])}"`} for ${disk.name}`;
}

/** Connections for interfaces that the machine has, not for those that NetworkManager creates. */
function checkConnection(
  connection: Connection,
  all: readonly Connection[],
  machine: MachineHardware,
): readonly Finding[] {
  const { interfaces, isFromBmc } = machine;
  const { controller, interfaceName, isAutoconnected, mac, type, vlan } = connection;
  const name = connectionName(connection);
  if (!isAutoconnected) return [];
  const missing = (wanted: string, of: string): readonly Finding[] => {
    if (isFromBmc || interfaces.some((one) => one.name === wanted)) return [];
    const meant = interfaces.filter((one) => one.name.startsWith(wanted)); // eno1np0 in place of eno1
    const hint = `use ${listInterfaces(meant.length > 0 ? meant : interfaces)}`;
    return say(hardwareRules.noInterface, [], `the machine has no interface ${wanted}${of}`, hint);
  };
  const parent = vlan?.parent;
  if (parent !== undefined && findConnection(all, parent) === undefined) {
    return missing(parent, `, the parent of the VLAN ${name}`);
  }
  if (type !== 'ethernet') return [];
  if (mac === undefined) return interfaceName === undefined ? [] : missing(interfaceName, '');
  const own = interfaces.find((one) => one.mac === mac.toLowerCase());
  if (own === undefined) {
    // The ports of a running bond have its MAC address.
    const isBonded = new Set(interfaces.map((one) => one.mac)).size < interfaces.length;
    return isBonded && controller !== undefined ? [] : [noMac(machine, [], `${mac} of ${name}`)];
  }
  if (isFromBmc || interfaceName === undefined || interfaceName === own.name) return [];
  const message = `the machine has no interface ${interfaceName} with the MAC address ${mac}: it is named ${own.name}`;
  return say(hardwareRules.noInterface, [], message, `use ${own.name}, or only the MAC address`);
}

/** Interfaces of a running agent that have another IPv4 address than their connection, as clauses. */
export function compareAddresses(
  connections: readonly Connection[],
  { interfaces }: MachineHardware,
): readonly string[] {
  return connections.flatMap(({ interfaceName, ip, isAutoconnected, mac }) => {
    const wanted = ip[4].addresses.map(({ address }) => formatAddress(address));
    const own = interfaces.find((one) =>
      mac === undefined ? one.name === interfaceName : one.mac === mac.toLowerCase(),
    );
    const present = own?.addresses.filter((address) => !address.includes(':')) ?? [];
    if (!isAutoconnected || own === undefined || wanted.length === 0) return [];
    if (present.some((address) => wanted.includes(address))) return [];
    return [`${own.name} has ${present.join(', ') || 'no IPv4 address'} instead of ${wanted.join(', ')}`];
  });
}

/** `eno1np0 (52:54:00:12:34:56), eno2np1 (52:54:00:12:34:57)` */
function listInterfaces(interfaces: readonly MachineInterface[]): string {
  const shown = new Set(interfaces.map(({ mac, name }) => `${name} (${mac})`));
  return [...shown].join(' or ') || 'an interface of the machine';
}

/**
 * Redfish resources (DMTF DSP2046) as values. BMCs leave out properties that the specification requires, so every field may be
 * undefined.
 */

import type { Architecture } from '../core/architecture.ts';
import { isMapping, type Mapping, valueAt } from '../formats/mapping.ts';

export interface RedfishResource {
  /** Path without the origin: `/redfish/v1/Systems/1`. */
  readonly path: string;
  readonly body: Mapping;
}

export function textAt(body: unknown, ...keys: readonly string[]): string | undefined {
  const value = valueAt(body, keys);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The `@odata.id` of a link. Links to other hosts are invalid. */
function linkAt(body: unknown, ...keys: readonly string[]): string | undefined {
  return localPath(textAt(body, ...keys, '@odata.id'));
}

function localPath(text: string | undefined): string | undefined {
  return text !== undefined && /^\/(?!\/)[!-~]*$/.test(text) ? text : undefined;
}

/** Limit for the members of a collection; blade chassis have some dozens of systems. */
const MAX_MEMBERS = 256;

/** The links of a list: the members of a collection, or `Links.ManagedBy`. */
export function linksAt(body: unknown, ...keys: readonly string[]): readonly string[] {
  const list = valueAt(body, keys);
  return Array.isArray(list) ? list.slice(0, MAX_MEMBERS).flatMap((one) => linkAt(one) ?? []) : [];
}

export function textsAt(body: unknown, ...keys: readonly string[]): readonly string[] {
  const list = valueAt(body, keys);
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}

/** The target URI of an action; undefined if the resource does not support it. */
function actionAt(body: Mapping, ...keys: readonly string[]): string | undefined {
  return localPath(textAt(body, 'Actions', ...keys, 'target'));
}

export function readServiceRoot({ body }: RedfishResource) {
  const oem = valueAt(body, ['Oem']);
  return {
    systems: linkAt(body, 'Systems'),
    managers: linkAt(body, 'Managers'),
    /** Undefined if the BMC supports only basic authentication. */
    sessions: linkAt(body, 'Links', 'Sessions'),
    /** Vendor, product, and the names of vendors that extend the root: `Hpe`. */
    makers: [
      ...[textAt(body, 'Vendor'), textAt(body, 'Product')].filter((name) => name !== undefined),
      ...(isMapping(oem) ? Object.keys(oem).slice(0, 8) : []),
    ],
  };
}

export type System = Readonly<ReturnType<typeof readSystem>>;

export function readSystem({ body, path }: RedfishResource) {
  return {
    path,
    manufacturer: textAt(body, 'Manufacturer'),
    model: textAt(body, 'Model'),
    /** `On`, `Off`, `PoweringOn`, `PoweringOff`, … */
    power: textAt(body, 'PowerState'),
    /** The boot override, and its possible values. */
    boot: {
      /** `Cd`, `None`, … */
      target: textAt(body, 'Boot', 'BootSourceOverrideTarget'),
      /** `Once`, `Continuous` or `Disabled`. */
      enabled: textAt(body, 'Boot', 'BootSourceOverrideEnabled'),
      /** `UEFI` or `Legacy`. */
      mode: textAt(body, 'Boot', 'BootSourceOverrideMode'),
      httpUri: textAt(body, 'Boot', 'HttpBootUri'),
      /** Empty if the BMC does not list them. */
      targets: textsAt(body, 'Boot', 'BootSourceOverrideTarget@Redfish.AllowableValues'),
    },
    /** The resource that takes changes of `Boot`; mostly the system itself. */
    bootPath: path,
    reset: actionAt(body, '#ComputerSystem.Reset'),
    /** Empty if the BMC does not list them. */
    resetTypes: textsAt(body, 'Actions', '#ComputerSystem.Reset', 'ResetType@Redfish.AllowableValues'),
    media: linkAt(body, 'VirtualMedia'),
    managers: linksAt(body, 'Links', 'ManagedBy'),
    secureBoot: linkAt(body, 'SecureBoot'),
    interfaces: linkAt(body, 'EthernetInterfaces'),
    processors: linkAt(body, 'Processors'),
    memory: readMemory(body),
  };
}

const GIB = 1024 ** 3;

/** GiB. No machine has more memory: a larger number is an error of the BMC. */
const MAX_MEMORY = 1024 * 1024;

/** Bytes; undefined if the BMC does not know it, for example while the machine is off. */
function readMemory(body: Mapping): number | undefined {
  const size = valueAt(body, ['MemorySummary', 'TotalSystemMemoryGiB']);
  return typeof size === 'number' && size > 0 && size <= MAX_MEMORY ? size * GIB : undefined;
}

/** By `InstructionSet` and by `ProcessorArchitecture` of a processor; machines with 32 bits have no live image. */
const processorArchitectures: Readonly<Record<string, Architecture>> = {
  'x86-64': 'x86_64',
  'ARM-A64': 'aarch64',
  PowerISA: 'ppc64le',
  x86: 'x86_64',
  ARM: 'aarch64',
  Power: 'ppc64le',
};

export function readArchitecture({ body }: RedfishResource): Architecture | undefined {
  const name = textAt(body, 'InstructionSet') ?? textAt(body, 'ProcessorArchitecture') ?? '';
  return Object.hasOwn(processorArchitectures, name) ? processorArchitectures[name] : undefined;
}

/** The settings resource of a system, which some BMCs require for changes of `Boot`. */
export function settingsLink({ body }: RedfishResource): string | undefined {
  return linkAt(body, '@Redfish.Settings', 'SettingsObject');
}

export type Manager = Readonly<ReturnType<typeof readManager>>;

export function readManager({ body, path }: RedfishResource) {
  return {
    path,
    manufacturer: textAt(body, 'Manufacturer'),
    model: textAt(body, 'Model'),
    firmware: textAt(body, 'FirmwareVersion'),
    media: linkAt(body, 'VirtualMedia'),
    /** The collection of its own network interfaces. */
    interfaces: linkAt(body, 'EthernetInterfaces'),
    time: textAt(body, 'DateTime'),
    /** Dell's action that imports settings of the iDRAC. */
    importSettings: actionAt(body, 'Oem', '#OemManager.ImportSystemConfiguration'),
  };
}

const INSERT = '#VirtualMedia.InsertMedia';

export type MediaSlot = Readonly<ReturnType<typeof readMediaSlot>>;

export function readMediaSlot({ body, path }: RedfishResource) {
  const required: readonly string[] = []; // only in the ActionInfo
  return {
    path,
    id: textAt(body, 'Id') ?? path.slice(path.lastIndexOf('/') + 1),
    /** `CD`, `DVD`, `USBStick`, `Floppy`; empty if unknown. */
    types: textsAt(body, 'MediaTypes'),
    isInserted:
      body['Inserted'] === true || (body['Inserted'] === undefined && textAt(body, 'Image') !== undefined),
    /** Undefined if images are inserted by PATCH, or not at all. */
    insert: actionAt(body, INSERT),
    eject: actionAt(body, '#VirtualMedia.EjectMedia'),
    /** What InsertMedia allows and requires. */
    parameters: {
      /** Allowed values of `TransferProtocolType`: `HTTP`, `CIFS`; empty if the BMC does not list them. */
      protocols: textsAt(body, 'Actions', INSERT, 'TransferProtocolType@Redfish.AllowableValues'),
      /** Allowed values of `TransferMethod`: `Stream`, `Upload`; empty if the BMC does not list them. */
      methods: textsAt(body, 'Actions', INSERT, 'TransferMethod@Redfish.AllowableValues'),
      required,
    },
    /** The resource with further parameters of InsertMedia. */
    actionInfo: localPath(textAt(body, 'Actions', INSERT, '@Redfish.ActionInfo')),
  };
}

type InsertParameters = MediaSlot['parameters'];

/** The parameters of InsertMedia with those of its ActionInfo, which has precedence (DMTF DSP0266, action info). */
export function readActionInfo({ body }: RedfishResource, listed: InsertParameters): InsertParameters {
  const list = valueAt(body, ['Parameters']);
  const parameters = Array.isArray(list) ? list.slice(0, MAX_MEMBERS).filter(isMapping) : [];
  const valuesOf = (name: string): readonly string[] =>
    parameters.filter((one) => one['Name'] === name).flatMap((one) => textsAt(one, 'AllowableValues'));
  const [protocols, methods] = [valuesOf('TransferProtocolType'), valuesOf('TransferMethod')];
  return {
    protocols: protocols.length > 0 ? protocols : listed.protocols,
    methods: methods.length > 0 ? methods : listed.methods,
    required: parameters.flatMap((one) => (one['Required'] === true ? (textAt(one, 'Name') ?? []) : [])),
  };
}

/** How a slot names the protocol of an image URL: `HTTPS`; undefined if it does not support the protocol. */
export function protocolOf(imageUrl: string, { parameters: { protocols } }: MediaSlot): string | undefined {
  const own = imageUrl.startsWith('https:') ? 'HTTPS' : 'HTTP';
  return protocols.length === 0 ? own : protocols.find((one) => one.toUpperCase() === own);
}

/** A slot without a list of types may take CDs. */
export function takesCds({ types }: MediaSlot): boolean {
  return types.length === 0 || types.includes('CD') || types.includes('DVD');
}

/** Undefined if the BMC does not report Secure Boot. */
export function readSecureBoot({ body }: RedfishResource): boolean | undefined {
  const state = textAt(body, 'SecureBootCurrentBoot');
  if (state !== undefined) return state === 'Enabled';
  const enabled = body['SecureBootEnable'];
  return typeof enabled === 'boolean' ? enabled : undefined;
}

/** The state of a task; undefined for other resources, which are the result of a finished task. */
export function readTaskState({ body }: RedfishResource): 'running' | 'failed' | 'done' | undefined {
  const state = textAt(body, 'TaskState') ?? textAt(body, 'JobState');
  if (state === undefined) return undefined;
  if (/^(?:Exception|Killed|Cancell?ed|Failed|CompletedWithErrors)$/.test(state)) return 'failed';
  if (state !== 'Completed') return 'running';
  return textAt(body, 'TaskStatus') === 'Critical' ? 'failed' : 'done';
}

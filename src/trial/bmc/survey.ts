/** What a BMC shows about itself and its machine. Nothing is changed. */

import { append } from '../../core/lists.ts';
import { CliError } from '../../core/errors.ts';
import { trimEndOf } from '../../core/trimming.ts';
import type { Mapping } from '../../formats/mapping.ts';
import { parseMacAddress } from '../../core/macAddress.ts';
import { formatNames } from '../../io/report/problemGroups.ts';
import type { RedfishClient } from '../../redfish/redfishClient.ts';
import { RedfishError } from '../../redfish/redfishError.ts';
import {
  linksAt,
  type Manager,
  type MediaSlot,
  readActionInfo,
  readArchitecture,
  readManager,
  readMediaSlot,
  readSecureBoot,
  readSystem,
  type RedfishResource,
  settingsLink,
  type System,
  takesCds,
  textAt,
} from '../../redfish/resources.ts';
import { findVendor, type Vendor } from '../../redfish/vendors.ts';
import { readBmcNetwork } from './bmcNetwork.ts';

export type Survey = Readonly<Awaited<ReturnType<typeof surveyMachine>>>;

/** @param path path of the system in the address of the BMC; may be empty. Throws CliError. */
export async function surveyMachine(client: RedfishClient, path: string) {
  const resource = await getSystem(client, path);
  // Some BMCs accept changes of the boot override only in the settings resource (OpenStack sushy, system.py).
  const settings = await readOptional(client, settingsLink(resource));
  const { path: bootPath } = settings?.body['Boot'] === undefined ? resource : settings;
  const system = { ...readSystem(resource), bootPath };
  const manager = await readFirstManager(client, system);
  const makers = [...client.root.makers, system.manufacturer, manager?.manufacturer, manager?.model];
  const vendor = findVendor(makers, [manager?.model, system.model], manager?.firmware);
  const { mediaProblem, slots } = await readSlots(client, vendor, system, manager);
  const secureBoot = await readOptional(client, system.secureBoot);
  const [firstProcessor] = await readMembers(client, system.processors);
  const processor = await readOptional(client, firstProcessor);
  return {
    vendor,
    system,
    manager,
    /** Slots that take CDs by URL, in the order in which they are tried. */
    slots,
    mediaProblem,
    secureBoot: secureBoot && readSecureBoot(secureBoot),
    architecture: processor && readArchitecture(processor),
    /** Of the network interfaces that the BMC knows; may be empty. */
    macs: await readMacs(client, system),
    /** Of the BMC itself. */
    network: readBmcNetwork(await readBodies(client, manager?.interfaces)),
    clockOffset: clockOffset(manager, client),
  };
}

async function getSystem(client: RedfishClient, path: string): Promise<RedfishResource> {
  const resource = await client.get(await findSystem(client, path), 'reading the system');
  const type = textAt(resource.body, '@odata.type');
  if (type === undefined || type.startsWith('#ComputerSystem.')) return resource;
  throw new CliError(`${resource.path} is not a system, but of the type ${type.slice(0, MAX_TYPE)}`, {
    code: 'ERR_BMC',
    hint: 'remove the path from the address, or use the path of a system: …/redfish/v1/Systems/1',
  });
}

const MAX_TYPE = 80;

async function findSystem(client: RedfishClient, path: string): Promise<string> {
  const { path: root, systems = '' } = client.root;
  const given = trimEndOf(path, '/');
  const isGeneral = ['', '/redfish', root, systems].some((one) => trimEndOf(one, '/') === given);
  if (!isGeneral) return given;
  const { body } = await client.get(systems, 'reading the systems');
  const found = linksAt(body, 'Members');
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first;
  throw new CliError(
    first === undefined
      ? 'the BMC manages no system'
      : `the BMC manages several systems: ${formatNames(found)}`,
    {
      code: 'ERR_BMC',
      hint: 'add the path of the system to the address, for example …/redfish/v1/Systems/1',
    },
  );
}

/** The manager of the system: the first that lists it, or the first of all. */
async function readFirstManager(client: RedfishClient, { managers }: System): Promise<Manager | undefined> {
  const [path] = managers.length > 0 ? managers : await readMembers(client, client.root.managers);
  return path === undefined ? undefined : readManager(await client.get(path, 'reading the manager'));
}

/** Undefined if the BMC does not have the resource, or does not show it. */
async function readOptional(
  client: RedfishClient,
  path: string | undefined,
): Promise<RedfishResource | undefined> {
  if (path === undefined) return undefined;
  try {
    return await client.get(path, `reading ${path}`);
  } catch (error) {
    if (error instanceof RedfishError && error.status !== undefined && error.status !== 401) return undefined;
    throw error;
  }
}

/** The paths of the members of a collection; empty if the BMC does not have it, or does not show it. */
async function readMembers(client: RedfishClient, path: string | undefined): Promise<readonly string[]> {
  const collection = await readOptional(client, path);
  return linksAt(collection?.body, 'Members');
}

async function readSlots(
  client: RedfishClient,
  vendor: Vendor,
  system: System,
  manager: Manager | undefined,
): Promise<{ readonly slots: readonly MediaSlot[]; readonly mediaProblem: RedfishError | undefined }> {
  const paths =
    vendor.mediaOf === 'manager' ? [manager?.media, system.media] : [system.media, manager?.media];
  const slots: MediaSlot[] = [];
  let mediaProblem: RedfishError | undefined;
  for (const path of new Set(paths)) {
    if (path === undefined) continue;
    try {
      append(slots, usableSlots(await readCollection(client, path), vendor));
    } catch (error) {
      if (!(error instanceof RedfishError) || error.status === undefined) throw error;
      mediaProblem ??= error;
    }
  }
  return { slots, mediaProblem: slots.length > 0 ? undefined : mediaProblem };
}

async function readCollection(client: RedfishClient, path: string): Promise<readonly MediaSlot[]> {
  const { body } = await client.get(path, 'reading the virtual media slots');
  const slots: MediaSlot[] = [];
  for (const member of linksAt(body, 'Members')) {
    const slot = readMediaSlot(await client.get(member, 'reading a virtual media slot'));
    const info = await readOptional(client, slot.actionInfo);
    slots.push(info === undefined ? slot : { ...slot, parameters: readActionInfo(info, slot.parameters) });
  }
  return slots;
}

/** Slots without the action InsertMedia take an image by PATCH, unless another slot has the action. */
function usableSlots(all: readonly MediaSlot[], { slots: ids }: Vendor): readonly MediaSlot[] {
  const cds = all.filter((slot) => takesCds(slot) && (ids === undefined || ids.test(slot.id)));
  const withAction = cds.filter(({ insert }) => insert !== undefined);
  return withAction.length > 0 ? withAction : cds;
}

async function readMacs(client: RedfishClient, { interfaces }: System): Promise<readonly string[]> {
  const macs = new Set<string>();
  for (const body of await readBodies(client, interfaces)) {
    for (const key of ['MACAddress', 'PermanentMACAddress']) {
      const address = parseMacAddress(textAt(body, key) ?? '');
      if ('mac' in address) macs.add(address.mac);
    }
  }
  return [...macs];
}

/** The members of a collection of interfaces, as far as the BMC shows them. */
async function readBodies(
  client: RedfishClient,
  collection: string | undefined,
): Promise<readonly Mapping[]> {
  const bodies: Mapping[] = [];
  for (const path of await readMembers(client, collection)) {
    const one = await readOptional(client, path);
    if (one !== undefined) bodies.push(one.body);
  }
  return bodies;
}

/** Milliseconds that the clock of the BMC is ahead. */
function clockOffset(manager: Manager | undefined, client: RedfishClient): number | undefined {
  const offsets = [Date.parse(manager?.time ?? '') - Date.now(), client.clockOffset ?? Number.NaN];
  return offsets.find((offset) => !Number.isNaN(offset));
}

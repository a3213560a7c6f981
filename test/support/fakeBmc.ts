/**
 * A BMC that behaves as the documents in `src/redfish/vendors.ts` describe the one of a vendor, over a real socket, with a
 * machine that boots from its virtual media. Faults replace the answers to some requests.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tlsText } from './serveFixtures.ts';

type Body = Readonly<Record<string, unknown>>;

/** A request that the fake received, without its headers. */
interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly body: Body;
}

interface Refusal {
  readonly status: number;
  readonly id: string;
  readonly text: string;
  readonly related?: readonly string[];
}

export interface BmcModel {
  readonly root?: Body;
  readonly system: { readonly id: string; readonly fields?: Body; readonly bootTargets: readonly string[] };
  readonly manager: { readonly id: string; readonly fields?: Body };
  readonly mediaOf: 'system' | 'manager';
  readonly slots: readonly BmcSlot[];
  /** Slots of the other resource: the manager, or the system. */
  readonly otherSlots?: readonly BmcSlot[];
  readonly hasSessions?: false;
  readonly hasEtags?: true;
  readonly secureBoot?: boolean;
  /** Why it refuses to insert an image, by the request. */
  readonly refuseInsert?: (slot: string, body: Body) => Refusal | undefined;
  readonly refuseEject?: (body: string) => Refusal | undefined;
  /** Fields that a change of the boot override sets in addition. */
  readonly bootChange?: (boot: Body) => Body;
  /** The boot target with which the machine boots from virtual media. */
  readonly virtualTarget: string;
}

interface BmcSlot {
  readonly id: string;
  readonly types: readonly string[];
  /** Without it, images are inserted by PATCH. */
  readonly hasActions?: boolean;
  readonly hasInsert?: false;
  /** Fields of the action InsertMedia: allowed values. */
  readonly insert?: Body;
  /** The parameters of the ActionInfo of InsertMedia. */
  readonly actionInfo?: readonly Body[];
}

const hostError = (id: string, text: string, related?: readonly string[]): Refusal => ({
  status: 400,
  id: `Base.1.8.${id}`,
  text,
  ...(related !== undefined && { related }),
});

const cd = ['CD', 'DVD'];
const dellFields = { Manufacturer: 'Dell Inc.', Model: 'PowerEdge' };
const importAction = (id: string): Body => ({
  Actions: {
    Oem: {
      '#OemManager.ImportSystemConfiguration': {
        target: `/redfish/v1/Managers/${id}/Actions/Oem/EID_674_Manager.ImportSystemConfiguration`,
      },
    },
  },
});
const idrac = 'iDRAC.Embedded.1';

export const bmcModels = {
  idrac10: {
    root: { Vendor: 'Dell' },
    system: { id: 'System.Embedded.1', fields: dellFields, bootTargets: ['None', 'Pxe', 'Cd', 'UefiHttp'] },
    manager: {
      id: idrac,
      fields: { Model: '17G Monolithic', FirmwareVersion: '1.20.50.50', ...importAction(idrac) },
    },
    mediaOf: 'system',
    slots: [
      { id: '1', types: [...cd, 'USBStick'] },
      { id: '2', types: [...cd, 'USBStick'] },
    ],
    refuseInsert: (slot) =>
      slot === '1' ? undefined : hostError('GeneralError', 'Unable to complete the operation'),
    virtualTarget: 'VCD-DVD',
  },
  idrac9: {
    root: { Vendor: 'Dell' },
    system: { id: 'System.Embedded.1', fields: dellFields, bootTargets: ['None', 'Pxe', 'Cd', 'UefiHttp'] },
    manager: {
      id: idrac,
      fields: { Model: '16G Monolithic', FirmwareVersion: '7.10.30.00', ...importAction(idrac) },
    },
    mediaOf: 'system',
    slots: [
      { id: '1', types: [...cd, 'USBStick'] },
      { id: '2', types: [...cd, 'USBStick'] },
    ],
    virtualTarget: 'Cd',
  },
  idrac9old: {
    root: { Oem: { Dell: {} } },
    system: { id: 'System.Embedded.1', fields: dellFields, bootTargets: ['None', 'Pxe', 'Cd'] },
    manager: {
      id: idrac,
      fields: { Model: '14G Monolithic', FirmwareVersion: '5.10.50.00', ...importAction(idrac) },
    },
    mediaOf: 'manager',
    slots: [
      { id: 'CD', types: cd },
      { id: 'RemovableDisk', types: ['USBStick'] },
    ],
    virtualTarget: 'VCD-DVD',
  },
  ilo5: {
    root: { Vendor: 'HPE', Oem: { Hpe: {} } },
    system: {
      id: '1',
      fields: { Manufacturer: 'HPE', Model: 'ProLiant DL380 Gen10' },
      bootTargets: ['None', 'Cd', 'Hdd', 'Usb', 'UefiHttp'],
    },
    manager: { id: '1', fields: { Model: 'iLO 5', FirmwareVersion: 'iLO 5 v2.72' } },
    mediaOf: 'manager',
    slots: [
      { id: '1', types: ['Floppy', 'USBStick'] },
      { id: '2', types: cd },
    ],
    hasEtags: true,
    secureBoot: true,
    refuseEject: (body) =>
      body === ''
        ? { status: 415, id: 'Base.1.4.MalformedJSON', text: 'The request body is not JSON.' }
        : undefined,
    virtualTarget: 'Cd',
  },
  ilo6: {
    root: { Vendor: 'HPE' },
    system: {
      id: '1',
      fields: { Manufacturer: 'HPE', Model: 'ProLiant DL380 Gen11' },
      bootTargets: ['None', 'Cd', 'UefiHttp'],
    },
    manager: { id: '1', fields: { Model: 'iLO 6', FirmwareVersion: 'iLO 6 v1.58' } },
    mediaOf: 'manager',
    slots: [
      { id: '1', types: ['Floppy', 'USBStick'] },
      { id: '2', types: cd },
    ],
    hasEtags: true,
    virtualTarget: 'Cd',
  },
  xcc: {
    root: { Vendor: 'Lenovo' },
    system: {
      id: '1',
      fields: { Manufacturer: 'Lenovo', Model: 'ThinkSystem SR630' },
      bootTargets: ['None', 'Pxe', 'Cd', 'Usb', 'Hdd'],
    },
    manager: { id: '1', fields: { Model: 'Lenovo XClarity Controller', FirmwareVersion: 'CDI386D' } },
    mediaOf: 'manager',
    slots: [
      { id: 'RDOC1', types: cd, hasActions: true },
      { id: 'Remote1', types: cd, hasActions: false },
      { id: 'EXT1', types: cd, hasActions: false },
    ],
    hasEtags: true,
    refuseInsert: (slot, body) => {
      if (!slot.startsWith('EXT')) return hostError('PropertyNotWritable', `The slot ${slot} is read only`);
      return body['Inserted'] === true
        ? undefined
        : hostError('PropertyMissing', 'Inserted is missing', ['#/Inserted']);
    },
    virtualTarget: 'Cd',
  },
  supermicro: {
    root: { Vendor: 'Supermicro' },
    system: {
      id: '1',
      fields: { Manufacturer: 'Supermicro', Model: 'SYS-220P-C9R' },
      bootTargets: ['None', 'Pxe', 'Cd', 'UsbCd', 'Hdd'],
    },
    manager: { id: '1', fields: { Model: 'ASPEED', FirmwareVersion: '01.03.12' } },
    mediaOf: 'manager',
    slots: [{ id: 'VirtualMedia1', types: cd }],
    refuseInsert: (_, body) =>
      'Inserted' in body ? hostError('PropertyNotWritable', 'Inserted is read only') : undefined,
    // It falls back to BIOS mode if a request does not contain the mode.
    bootChange: (boot) => ({ BootSourceOverrideMode: boot['BootSourceOverrideMode'] ?? 'Legacy' }),
    virtualTarget: 'UsbCd',
  },
  cimc: {
    root: { Vendor: 'Cisco Systems Inc.' },
    system: {
      id: 'WZP2249',
      fields: { Manufacturer: 'Cisco Systems Inc', Model: 'UCSC-C220-M5SX' },
      bootTargets: ['None', 'Pxe', 'Cd', 'Hdd'],
    },
    manager: { id: 'CIMC', fields: { Model: 'CIMC', FirmwareVersion: '4.1(3d)' } },
    mediaOf: 'manager',
    slots: [
      { id: '0', types: ['DVD'] },
      { id: '1', types: ['DVD'] },
    ],
    refuseInsert: (slot) =>
      slot === '1' ? undefined : hostError('ActionNotSupported', 'This device is used by vKVM'),
    virtualTarget: 'Cd',
  },
  irmc: {
    root: { Oem: { ts_fujitsu: {} } },
    system: {
      id: '0',
      fields: { Manufacturer: 'FUJITSU', Model: 'PRIMERGY RX2540 M6' },
      bootTargets: ['None', 'Pxe', 'Cd', 'Hdd'],
    },
    manager: { id: 'iRMC', fields: { Model: 'iRMC S6', FirmwareVersion: '1.70c' } },
    mediaOf: 'manager',
    slots: [
      { id: '0', types: cd },
      { id: '1', types: cd },
    ],
    hasEtags: true,
    refuseInsert: (_, body) =>
      body['TransferProtocolType'] === undefined
        ? hostError('ActionParameterMissing', 'The action requires TransferProtocolType', [
            '#/TransferProtocolType',
          ])
        : undefined,
    virtualTarget: 'Cd',
  },
  openbmc: {
    system: {
      id: 'system',
      fields: { Manufacturer: 'Contoso' },
      bootTargets: ['None', 'Pxe', 'Cd', 'Hdd', 'Usb'],
    },
    manager: { id: 'bmc', fields: { Model: 'OpenBmc', FirmwareVersion: '2.14.0' } },
    mediaOf: 'manager',
    slots: [
      { id: 'Slot_0', types: ['CD', 'USBStick'], hasInsert: false },
      { id: 'Slot_1', types: ['CD', 'USBStick'] },
    ],
    refuseInsert: (_, body) =>
      body['TransferProtocolType'] === 'HTTPS'
        ? undefined
        : hostError('ActionParameterNotSupported', 'Only HTTPS and CIFS are supported'),
    virtualTarget: 'Cd',
  },
  unknown: {
    system: { id: '1', fields: { Manufacturer: 'Contoso' }, bootTargets: [] },
    manager: { id: '1' },
    mediaOf: 'system',
    slots: [{ id: 'Cd', types: cd }],
    refuseInsert: (_, body) =>
      body['TransferProtocolType'] === undefined
        ? { ...hostError('GeneralError', 'TransferProtocolType is missing'), status: 400 }
        : undefined,
    virtualTarget: 'Cd',
  },
} as const satisfies Record<string, BmcModel>;

/** Returns what answers a request instead of the fake; undefined lets the fake answer. */
export type Fault = (request: SeenRequest, count: number) => ((response: ServerResponse) => void) | undefined;

export interface FakeBmcOptions {
  readonly model?: BmcModel;
  readonly power?: 'On' | 'Off';
  /** GiB. */
  readonly memory?: number;
  readonly processor?: Body;
  /** The chain that it sends contains the CA. */
  readonly tls?: boolean;
  /** Whether a model with entity tags refuses changes without one. */
  readonly requiresTags?: boolean;
  readonly fault?: Fault;
  /** Whether the fake acts on a request, but its answer is lost. */
  readonly loses?: (request: SeenRequest) => boolean;
  /** Fields of `Boot` before. */
  readonly bootDevice?: Body;
  /** Images that are inserted before. */
  readonly inserted?: Readonly<Record<string, string>>;
  /** The address on which it listens; default: 127.0.0.1. */
  readonly address?: string;
  /** Called when the machine boots from virtual media, or by UEFI HTTP. */
  readonly onBoot?: (image: string) => void;
  /** Sent in the header `Date`. */
  readonly date?: Date;
  readonly mac?: string;
  /** The only network interface of the BMC itself; without it, it shows none. */
  readonly ownInterface?: Body;
}

/** The state that a client can change. */
interface State {
  power: string;
  boot: Record<string, unknown>;
  images: Map<string, string>;
  readonly tokens: Set<string>;
  revision: number;
  dellTarget: string | undefined;
}

export interface FakeBmc {
  readonly origin: string;
  /** `127.0.0.1:12345` */
  readonly host: string;
  readonly model: BmcModel;
  readonly systemPath: string;
  readonly seen: readonly SeenRequest[];
  readonly state: Readonly<State>;
  /** The requests that change something, without logins: `POST …/VirtualMedia.InsertMedia`. */
  readonly changes: () => readonly string[];
  readonly close: () => Promise<void>;
}

export const bmcUser = { username: 'admin', password: 'pa55:w"ord' };

export async function startFakeBmc(options: FakeBmcOptions = {}): Promise<FakeBmc> {
  const model: BmcModel = options.model ?? bmcModels.idrac9;
  const seen: SeenRequest[] = [];
  const state: State = {
    power: options.power ?? 'Off',
    boot: {
      BootSourceOverrideTarget: 'None',
      BootSourceOverrideEnabled: 'Disabled',
      BootSourceOverrideMode: 'UEFI',
      ...options.bootDevice,
    },
    images: new Map(Object.entries(options.inserted ?? {})),
    tokens: new Set(),
    revision: 1,
    dellTarget: undefined,
  };
  const fake = new Fake(model, state, options);
  const counts = new Map<string, number>();
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    void readText(request).then((text) => {
      const one: SeenRequest = { method: request.method ?? '', path: request.url ?? '', body: parse(text) };
      seen.push(one);
      const count = (counts.get(`${one.method} ${one.path}`) ?? 0) + 1;
      counts.set(`${one.method} ${one.path}`, count);
      if (options.date !== undefined) response.setHeader('Date', options.date.toUTCString());
      const fault = options.fault?.(one, count);
      if (options.loses?.(one) === true) Object.assign(response, { end: () => response });
      if (fault === undefined) fake.answer(one, text, request, response);
      else fault(response);
    });
  };
  const server =
    options.tls === true
      ? createTlsServer({ key: tlsText('server-key'), cert: tlsText('server') + tlsText('ca') }, handle)
      : createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, options.address ?? '127.0.0.1', resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { address, family, port } = server.address() as AddressInfo;
  const host = `${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  return {
    origin: `${options.tls === true ? 'https' : 'http'}://${host}`,
    host,
    model,
    systemPath: fake.systemPath,
    seen,
    state,
    changes: () =>
      seen
        .filter(({ method, path }) => method !== 'GET' && !path.includes('/Sessions'))
        .map(({ method, path }) => `${method} ${path.replace(/^.*\/(?=[^/]+\/[^/]+$)/, '')}`),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function parse(text: string): Body {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

export function refuseWith({ id, related, status, text }: Refusal): (response: ServerResponse) => void {
  return (response) => {
    response.statusCode = status;
    response.setHeader('Content-Type', 'application/json');
    const message = {
      MessageId: id,
      Message: text,
      ...(related !== undefined && { RelatedProperties: related }),
    };
    const error = {
      code: 'Base.1.8.GeneralError',
      message: 'See ExtendedInfo',
      '@Message.ExtendedInfo': [message],
    };
    response.end(JSON.stringify({ error }));
  };
}

const sessions = '/redfish/v1/SessionService/Sessions';
const link = (path: string): Body => ({ '@odata.id': path });

const OWN_INTERFACES = '/redfish/v1/Managers/EthernetInterfaces';

class Fake {
  readonly systemPath: string;
  readonly #managerPath: string;
  readonly #mediaPath: string;
  readonly #otherMediaPath: string;
  readonly #slots: ReadonlyMap<string, BmcSlot>;

  readonly model: BmcModel;
  readonly state: State;
  readonly options: FakeBmcOptions;

  constructor(model: BmcModel, state: State, options: FakeBmcOptions) {
    this.model = model;
    this.state = state;
    this.options = options;
    this.systemPath = `/redfish/v1/Systems/${model.system.id}`;
    this.#managerPath = `/redfish/v1/Managers/${model.manager.id}`;
    const owners = [this.systemPath, this.#managerPath].map((path) => `${path}/VirtualMedia`);
    const [own = '', other = ''] = model.mediaOf === 'system' ? owners : owners.toReversed();
    this.#mediaPath = own;
    this.#otherMediaPath = other;
    this.#slots = new Map([
      ...model.slots.map((slot): [string, BmcSlot] => [`${own}/${slot.id}`, slot]),
      ...(model.otherSlots ?? []).map((slot): [string, BmcSlot] => [`${other}/${slot.id}`, slot]),
    ]);
  }

  answer(request: SeenRequest, text: string, { headers }: IncomingMessage, response: ServerResponse): void {
    const { method, path } = request;
    if (path !== '/redfish/v1/' && path !== sessions && !this.#isKnown(headers)) {
      return refuseWith({
        status: 401,
        id: 'Base.1.8.NoValidSession',
        text: 'There is no valid session',
      })(response);
    }
    if (method === 'GET') return this.#get(path, response);
    if (method === 'DELETE') return this.#send(response, {}, 204);
    if (path === sessions) return this.#login(request, response);
    if (method === 'PATCH' && this.model.hasEtags === true) {
      const tag = headers['if-match'];
      if (tag === undefined && this.options.requiresTags === true) {
        return refuseWith({
          status: 428,
          id: 'Base.1.8.PreconditionRequired',
          text: 'The request has no ETag',
        })(response);
      }
      if (tag !== undefined && tag !== '*' && tag !== `"${this.state.revision}"`) {
        return refuseWith({
          status: 412,
          id: 'Base.1.8.PreconditionFailed',
          text: 'The ETag does not match',
        })(response);
      }
    }
    this.state.revision += 1;
    this.#change(request, text, response);
  }

  #isKnown({ 'x-auth-token': token, authorization }: IncomingMessage['headers']): boolean {
    const { password, username } = bmcUser;
    const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    return (typeof token === 'string' && this.state.tokens.has(token)) || authorization === basic;
  }

  #login({ body }: SeenRequest, response: ServerResponse): void {
    if (this.model.hasSessions === false) return this.#notFound(response);
    if (body['UserName'] !== bmcUser.username || body['Password'] !== bmcUser.password) {
      return refuseWith({
        status: 401,
        id: 'Base.1.8.ResourceAtUriUnauthorized',
        text: 'Unauthorized',
      })(response);
    }
    const token = `session-token-${this.state.tokens.size}`;
    this.state.tokens.add(token);
    response.setHeader('X-Auth-Token', token);
    response.setHeader('Location', `${sessions}/${this.state.tokens.size}`);
    this.#send(response, {}, 201);
  }

  #get(path: string, response: ServerResponse): void {
    const { manager, otherSlots = [], root, slots, system } = this.model;
    const media = { VirtualMedia: link(this.#mediaPath) };
    const otherMedia = otherSlots.length > 0 && { VirtualMedia: link(this.#otherMediaPath) };
    const resources: Record<string, Body> = {
      '/redfish/v1/': {
        ...root,
        Systems: link('/redfish/v1/Systems'),
        Managers: link('/redfish/v1/Managers'),
        ...(this.model.hasSessions === false ? {} : { Links: { Sessions: link(sessions) } }),
      },
      '/redfish/v1/Systems': { Members: [link(this.systemPath)] },
      [this.systemPath]: {
        ...system.fields,
        Id: system.id,
        PowerState: this.state.power,
        Boot: { ...this.state.boot, 'BootSourceOverrideTarget@Redfish.AllowableValues': system.bootTargets },
        Links: { ManagedBy: [link(this.#managerPath)] },
        Actions: {
          '#ComputerSystem.Reset': {
            target: `${this.systemPath}/Actions/ComputerSystem.Reset`,
            'ResetType@Redfish.AllowableValues': ['On', 'ForceOff', 'GracefulShutdown', 'GracefulRestart'],
          },
        },
        EthernetInterfaces: link(`${this.systemPath}/EthernetInterfaces`),
        Processors: link(`${this.systemPath}/Processors`),
        MemorySummary: { TotalSystemMemoryGiB: this.options.memory ?? null },
        ...(this.model.secureBoot !== undefined && { SecureBoot: link(`${this.systemPath}/SecureBoot`) }),
        ...(this.model.mediaOf === 'system' ? media : otherMedia),
      },
      [`${this.systemPath}/SecureBoot`]: { SecureBootEnable: this.model.secureBoot },
      [`${this.systemPath}/EthernetInterfaces`]: {
        Members: [link(`${this.systemPath}/EthernetInterfaces/1`)],
      },
      [`${this.systemPath}/EthernetInterfaces/1`]: { MACAddress: this.options.mac ?? '52:54:00:00:00:01' },
      [`${this.systemPath}/Processors`]: { Members: [link(`${this.systemPath}/Processors/1`)] },
      [`${this.systemPath}/Processors/1`]: this.options.processor ?? {},
      '/redfish/v1/Managers': { Members: [link(this.#managerPath)] },
      [this.#managerPath]: {
        ...manager.fields,
        Id: manager.id,
        ...(this.options.ownInterface !== undefined && { EthernetInterfaces: link(OWN_INTERFACES) }),
        ...(this.model.mediaOf === 'manager' ? media : otherMedia),
      },
      [OWN_INTERFACES]: { Members: [link(`${OWN_INTERFACES}/1`)] },
      [`${OWN_INTERFACES}/1`]: this.options.ownInterface ?? {},
      [this.#mediaPath]: { Members: slots.map(({ id }) => link(`${this.#mediaPath}/${id}`)) },
      [this.#otherMediaPath]: { Members: otherSlots.map(({ id }) => link(`${this.#otherMediaPath}/${id}`)) },
      '/redfish/v1/TaskService/Tasks/1': { TaskState: 'Completed', TaskStatus: 'OK' },
    };
    for (const [place, { actionInfo }] of this.#slots)
      if (actionInfo !== undefined) resources[`${place}/InsertInfo`] = { Parameters: actionInfo };
    const slot = this.#slots.get(path);
    const body = slot === undefined ? resources[path] : this.#slot(path, slot);
    if (body === undefined) return this.#notFound(response);
    if (this.model.hasEtags === true) response.setHeader('ETag', `W/"${this.state.revision}"`);
    this.#send(response, { '@odata.id': path, ...body });
  }

  #slot(path: string, { actionInfo, hasActions = true, hasInsert, id, insert, types }: BmcSlot): Body {
    const image = this.state.images.get(id);
    const target = (action: string): Body => ({ target: `${path}/Actions/VirtualMedia.${action}` });
    const info = actionInfo === undefined ? {} : { '@Redfish.ActionInfo': `${path}/InsertInfo` };
    return {
      Id: id,
      MediaTypes: types,
      Inserted: image !== undefined,
      Image: image ?? null,
      Actions: hasActions
        ? {
            ...(hasInsert !== false && {
              '#VirtualMedia.InsertMedia': { ...target('InsertMedia'), ...insert, ...info },
            }),
            '#VirtualMedia.EjectMedia': target('EjectMedia'),
          }
        : undefined,
    };
  }

  #change({ body, path }: SeenRequest, text: string, response: ServerResponse): void {
    const slot = this.#slots.get(path.replace(/\/Actions\/.*$/, ''));
    if (slot !== undefined) return this.#changeSlot(slot, { body, path, text }, response);
    if (path === this.systemPath) return this.#changeBoot(body, response);
    if (path.endsWith('/ComputerSystem.Reset')) return this.#reset(String(body['ResetType']), response);
    if (path.endsWith('.ImportSystemConfiguration')) {
      const buffer = String(body['ImportBuffer']);
      this.state.dellTarget = /FirstBootDevice">([^<]*)</.exec(buffer)?.[1];
      response.setHeader('Location', '/redfish/v1/TaskService/Tasks/1');
      return this.#send(response, {}, 202);
    }
    this.#notFound(response);
  }

  #changeSlot(
    { id }: BmcSlot,
    { body, path, text }: { body: Body; path: string; text: string },
    response: ServerResponse,
  ): void {
    const isEject = path.endsWith('EjectMedia') || (!path.includes('/Actions/') && body['Image'] === null);
    const refusal = isEject ? this.model.refuseEject?.(text) : this.model.refuseInsert?.(id, body);
    if (refusal !== undefined) return refuseWith(refusal)(response);
    if (isEject) this.state.images.delete(id);
    else if (this.state.images.has(id)) {
      return refuseWith({
        status: 500,
        id: 'IDRAC.2.5.VRM0012',
        text: 'Virtual media is already attached',
      })(response);
    } else this.state.images.set(id, String(body['Image']));
    this.#send(response, {}, 204);
  }

  #changeBoot({ Boot: boot }: Body, response: ServerResponse): void {
    const change: Body = typeof boot === 'object' && boot !== null ? { ...boot } : {};
    const target = textOf(change['BootSourceOverrideTarget']);
    const { bootTargets } = this.model.system;
    if (target !== '' && bootTargets.length > 0 && !bootTargets.includes(target)) {
      return refuseWith(hostError('PropertyValueNotInList', `${target} is not in the list`))(response);
    }
    Object.assign(this.state.boot, change, this.model.bootChange?.(change));
    this.#send(response, {}, 200);
  }

  #reset(type: string, response: ServerResponse): void {
    this.#send(response, {}, 204);
    if (type === 'ForceOff' || type === 'GracefulShutdown') {
      this.state.power = 'Off';
      return;
    }
    this.state.power = 'On';
    const {
      BootSourceOverrideEnabled: enabled,
      BootSourceOverrideTarget: target,
      HttpBootUri: url,
    } = this.state.boot;
    const [image] = this.state.images.values();
    const isVirtual =
      this.model.virtualTarget === 'VCD-DVD'
        ? this.state.dellTarget?.toUpperCase() === 'VCD-DVD'
        : enabled === 'Once' && target === this.model.virtualTarget;
    if (isVirtual && image !== undefined) this.options.onBoot?.(image);
    else if (enabled === 'Once' && target === 'UefiHttp') this.options.onBoot?.(String(url));
    if (enabled === 'Once')
      Object.assign(this.state.boot, {
        BootSourceOverrideEnabled: 'Disabled',
        BootSourceOverrideTarget: 'None',
      });
  }

  #send(response: ServerResponse, body: Body, status = 200): void {
    response.statusCode = status;
    response.setHeader('Content-Type', 'application/json');
    response.end(status === 204 ? undefined : JSON.stringify(body));
  }

  #notFound(response: ServerResponse): void {
    refuseWith({
      status: 404,
      id: 'Base.1.8.ResourceMissingAtURI',
      text: 'The resource is missing',
    })(response);
  }
}

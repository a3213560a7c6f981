/** Ironic's API as `try` plays it, on a free port, with what it has seen. */

import { type IronicApi, type IronicApiOptions, startIronicApi } from '../../src/trial/api/ironicApi.ts';
import type { CollectedInventory } from '../../src/trial/ironic/inspection.ts';
import { createMachines, type ExpectedHost } from '../../src/trial/timeline/machines.ts';
import type { TrialEvent } from '../../src/trial/timeline/events.ts';
import { ask, type Reply } from './serveFixtures.ts';

export interface PlayedIronic {
  readonly api: IronicApi;
  readonly events: TrialEvent[];
  /** With bodies as values. */
  readonly saved: (Omit<CollectedInventory, 'body'> & { readonly body: unknown })[];
  /** With its body as JSON, if it is not a text, and the answer's. */
  call(method: string, path: string, call?: Call): Promise<Answer>;
}

interface Call {
  readonly headers?: Readonly<Record<string, string>>;
  /** Version of the API. */
  readonly version?: string;
  readonly body?: unknown;
}

export interface Answer extends Reply {
  readonly json: unknown;
}

export const workers = [
  { name: 'worker-0', macs: ['52:54:00:00:00:01'], uuid: '11111111-1111-4111-8111-111111111111' },
  { name: 'worker-1', macs: ['52:54:00:00:00:02'], uuid: '22222222-2222-4222-8222-222222222222' },
];

const started = new Set<IronicApi>();

export type IronicOptions = Partial<IronicApiOptions> & {
  readonly expected?: readonly (ExpectedHost & { readonly uuid?: string })[];
};

export async function playIronic({
  expected = workers,
  ...options
}: IronicOptions = {}): Promise<PlayedIronic> {
  const events: TrialEvent[] = [];
  const saved: PlayedIronic['saved'] = [];
  const api = await startIronicApi({
    listen: { kind: 'tcp', host: '127.0.0.1', port: 0 },
    tlsNames: undefined,
    machines: createMachines(expected),
    uuids: new Map(expected.flatMap(({ name, uuid }) => (uuid === undefined ? [] : [[name, uuid]]))),
    observe: (event) => void events.push(event),
    saveInventory: async ({ body, ...inventory }) => {
      saved.push({ ...inventory, body: JSON.parse(Buffer.from(body).toString()) });
    },
    askBack: 'never',
    requiredSteps: [],
    ...options,
  });
  started.add(api);
  const call: PlayedIronic['call'] = async (method, path, { version, headers, body } = {}) => {
    const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const reply = await ask(api.origin, path, {
      method,
      headers: {
        accept: 'application/json',
        ...(version !== undefined && { 'x-openstack-ironic-api-version': version }),
        ...(sent !== undefined && { 'content-length': Buffer.byteLength(sent) }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
      ...(api.ca !== undefined && { ca: api.ca }),
    });
    const json: unknown = reply.text === '' ? undefined : JSON.parse(reply.text);
    return { ...reply, json };
  };
  return { api, events, saved, call };
}

/** Ends all that were started; for `afterEach`. */
export async function stopIronics(): Promise<void> {
  await Promise.all([...started].map((api) => api.stop()));
  started.clear();
}

/** An inventory with these interfaces and nothing else. */
export const inventoryOf = (...macs: readonly string[]): { inventory: object } => ({
  inventory: { interfaces: macs.map((mac) => ({ mac_address: mac, has_carrier: true })) },
});

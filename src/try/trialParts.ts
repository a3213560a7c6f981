/** Starts what a trial consists of, in the order in which one needs the other: Ironic, images, the emulated machine. */

import type { Io } from '../io/io.ts';
import { defaultPorts, type Ports } from './timeline/causes/cause.ts';
import type { ApiPlace } from './timeline/ironicAddress.ts';
import { readServeSource, type ServeSource } from '../serve/source.ts';
import { certificateNames, reachableAddresses, tellApi } from './address/ironicPlace.ts';
import { ironicUrlsOfHosts } from './address/ironicUrls.ts';
import { bootTokensOfHosts } from './api/bootTokens.ts';
import { type IronicApi, startIronicApi } from './api/ironicApi.ts';
import { openInventoryFolder } from './api/savedInventories.ts';
import type { TrialMachine } from './emulation/emulatedTrial.ts';
import { findGuestPlace, type GuestPlace } from './emulation/guestPlace.ts';
import { preflightProblem, preflightRemark } from './emulation/preflight.ts';
import { findMedium, startEmulated } from './emulation/startEmulated.ts';
import type { TryOptions } from './options.ts';
import { createQuietLog } from './quietLog.ts';
import { startImages } from './serving/startImages.ts';
import type { TrialSetup } from './setup.ts';
import type { PlannedMachine, TrialPlan } from './trialPlan.ts';

export interface TrialParts {
  readonly machine: TrialMachine | undefined;
  /** Whether the machine was not started, as its agent would not call here. */
  readonly isHopeless: boolean;
  readonly ports: Ports;
}

/** What has been started when it fails is among the ends. Throws CliError, UsageError. */
export async function startParts(plan: TrialPlan): Promise<TrialParts> {
  const { io, machine, options, setup } = plan;
  const read = await readInventory(options, io);
  const listed = read === undefined ? new Map() : ironicUrlsOfHosts(read, io);
  const wishes = { given: options.guestHost, listed, setup };
  const guest = machine && (await findGuestPlace(machine.source, wishes, io));
  const tokens = read === undefined ? new Map() : bootTokensOfHosts(read, io);
  const api = await startApi(plan, { guest, tokens });
  const place = placeOf(api, setup, guest);
  const problem = guest && preflightProblem(guest, place);
  if (machine !== undefined && problem !== undefined && isAwaited(machine, plan)) {
    plan.talk.remark(preflightRemark(problem));
    const { mac } = machine.source;
    plan.trial.observe({ kind: 'preflight', at: new Date(), client: undefined, mac, problem });
    return { machine: undefined, isHopeless: true, ports: { ...defaultPorts, ironic: api.port } };
  }
  const images = read && (await startImages(plan, { api, guest, listed, place }));
  const ports = { ironic: api.port, images: images?.port ?? defaultPorts.images };
  if (machine === undefined || guest === undefined) return { machine: undefined, isHopeless: false, ports };
  if (problem !== undefined) plan.talk.remark({ ...preflightRemark(problem), severity: 'warning' });
  const medium = await findMedium(plan, machine.source, images);
  const started = await startEmulated(plan, machine, { api, guest, medium, place });
  return { machine: started, isHopeless: false, ports };
}

/** Whether nothing can come of the trial without this machine. */
function isAwaited({ source }: PlannedMachine, { expectation: { awaited } }: TrialPlan): boolean {
  return awaited.kind === 'hosts' && awaited.names.includes(source.host.name);
}

async function readInventory({ inventory, profile }: TryOptions, io: Io): Promise<ServeSource | undefined> {
  if (inventory === undefined) return undefined;
  return readServeSource({ inventory, ...(profile !== undefined && { profile }) }, io);
}

interface ApiSurroundings {
  readonly guest: GuestPlace | undefined;
  /** That hosts bring along. */
  readonly tokens: ReadonlyMap<string, string>;
}

async function startApi(
  { ends, expectation, io, options, setup, trial }: TrialPlan,
  { guest, tokens }: ApiSurroundings,
): Promise<IronicApi> {
  const { askBack, listen, scheme } = setup;
  const saveInventory = options.save === undefined ? undefined : await openInventoryFolder(options.save, io);
  const api = await startIronicApi({
    listen,
    askBack,
    tlsNames: scheme === 'https' ? certificateNames(options, listen, guest?.host) : undefined,
    expected: expectation.known.map((host) => ({ ...host, agentToken: tokens.get(host.name) })),
    observe: (event) => trial.observe(event),
    saveInventory,
    log: createQuietLog(io),
  });
  ends.add(() => api.stop());
  await tellApi(api, options, { listen, io });
  return api;
}

/** Where machines find the API: an emulated one at its own address for this machine, and all where it listens. */
function placeOf(
  { port }: IronicApi,
  { listen, scheme }: TrialSetup,
  guest: GuestPlace | undefined,
): ApiPlace {
  const addresses = reachableAddresses(listen);
  if (guest === undefined) return { scheme, port, addresses };
  // To the machine, 127.0.0.1 is itself.
  return { scheme, port, addresses: [guest.host, ...addresses.filter((address) => !isLocal(address))] };
}

function isLocal(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

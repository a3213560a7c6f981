/** Starts what a trial consists of, in the order in which one needs the other: Ironic, images, the emulated machine. */

import { UsageError } from '../../errors.ts';
import type { Io } from '../../io/io.ts';
import { guestNetwork } from '../../trial/guestNetwork.ts';
import { type ApiPlace, mayLeadHere } from '../../trial/ironicAddress.ts';
import type { Medium } from '../../trial/machineArguments.ts';
import { readServeSource, type ServeSource } from '../serve/source.ts';
import { ironicChange, tellElsewhere } from './chosenIronic.ts';
import { openConsoleOutput } from './consoleOutput.ts';
import type { EmulatedSource } from './emulatedSource.ts';
import { runTrialMachine, type TrialMachine } from './emulatedTrial.ts';
import type { Ends } from './ends.ts';
import type { Expectation } from './expectation.ts';
import { findGuestPlace, type GuestPlace } from './guestPlace.ts';
import { type ImageService, startImageService } from './imageService.ts';
import { type IronicApi, startIronicApi } from './ironicApi.ts';
import { certificateNames, reachableAddresses, tellApi } from './ironicPlace.ts';
import { type IronicUrls, ironicUrlsOfHosts } from './ironicUrls.ts';
import type { MachineSetup } from './machineSetup.ts';
import type { TryOptions } from './options.ts';
import { startFolderService } from './preparedFolderService.ts';
import { createQuietLog } from './quietLog.ts';
import type { RunningTrial } from './runningTrial.ts';
import { openInventoryFolder } from './savedInventories.ts';
import type { TrialSetup } from './setup.ts';
import type { TrialTalk } from './trialTalk.ts';

export interface TrialPlan {
  readonly options: TryOptions;
  readonly setup: TrialSetup;
  readonly machine: PlannedMachine | undefined;
  readonly expectation: Expectation;
  readonly trial: RunningTrial;
  readonly talk: TrialTalk;
  /** Get what has been started. */
  readonly ends: Ends;
  readonly io: Io;
}

export interface PlannedMachine {
  readonly source: EmulatedSource;
  readonly setup: MachineSetup;
}

export interface TrialParts {
  readonly machine: TrialMachine | undefined;
}

/** What has been started when it fails is among the ends. Throws CliError, UsageError. */
export async function startParts(plan: TrialPlan): Promise<TrialParts> {
  const { io, machine, options, setup } = plan;
  const read = await readInventory(options, io);
  const listed = read === undefined ? new Map() : ironicUrlsOfHosts(read, io);
  const wishes = { given: options.guestHost, listed, setup };
  const guest = machine && (await findGuestPlace(machine.source, wishes, io));
  const api = await startApi(plan, guest);
  const place = placeOf(api, setup, guest);
  const images = read && (await startImages(plan, { api, guest, listed, place }));
  if (machine === undefined || guest === undefined) return { machine: undefined };
  const medium = await findMedium(plan, machine.source, images);
  return { machine: await startEmulated(plan, machine, { api, guest, medium, place }) };
}

async function readInventory({ inventory, profile }: TryOptions, io: Io): Promise<ServeSource | undefined> {
  if (inventory === undefined) return undefined;
  return readServeSource({ inventory, ...(profile !== undefined && { profile }) }, io);
}

async function startApi(
  { ends, expectation, io, options, setup, trial }: TrialPlan,
  guest: GuestPlace | undefined,
): Promise<IronicApi> {
  const { askBack, listen, scheme } = setup;
  const saveInventory = options.save === undefined ? undefined : await openInventoryFolder(options.save, io);
  const api = await startIronicApi({
    listen,
    askBack,
    tlsNames: scheme === 'https' ? certificateNames(options, listen, guest?.host) : undefined,
    expected: expectation.known,
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
  return { scheme, port, addresses: guest === undefined ? addresses : [guest.host, ...addresses] };
}

interface Surroundings {
  readonly api: IronicApi;
  readonly guest: GuestPlace | undefined;
  readonly listed: IronicUrls;
  readonly place: ApiPlace;
}

async function startImages(
  { ends, io, machine, options, talk, trial }: TrialPlan,
  { api, guest, listed, place }: Surroundings,
): Promise<ImageService> {
  const isOfHost = machine?.source.medium.kind === 'host';
  const url = options.ironicUrl ?? (isOfHost ? otherUrl(guest, place) : undefined);
  const elsewhere = url === undefined ? tellElsewhere(listed, place) : undefined;
  if (elsewhere !== undefined) talk.remark(elsewhere);
  if (url !== undefined) {
    checkUrl(url);
    talk.remark({
      severity: 'info',
      message: `configs name ${url} as Ironic, in place of what the inventory says`,
    });
  }
  const images = await startImageService({
    options,
    io,
    log: createQuietLog(io),
    observe: (event) => trial.observe(event),
    guestHost: guest?.host,
    changeSource: await ironicChange({ url, ca: api.ca }, ends),
  });
  ends.add(() => images.stop());
  return images;
}

/** Where a machine finds the API whose config leads elsewhere: whoever emulates a machine wants it to call here. */
function otherUrl(guest: GuestPlace | undefined, place: ApiPlace): string | undefined {
  if (guest === undefined || mayLeadHere(guest.ironicUrls, place)) return undefined;
  return `${place.scheme}://${guest.host}:${place.port}`;
}

function checkUrl(url: string): void {
  if (/^https?:\/\/[^\s,]+$/.test(url) && URL.canParse(url)) return;
  throw new UsageError(`--ironic-url ${JSON.stringify(url)} is no URL`, {
    hint: 'for example http://192.0.2.1:6385',
  });
}

async function findMedium(
  { ends, io, trial }: TrialPlan,
  { host, medium }: EmulatedSource,
  images: ImageService | undefined,
): Promise<Medium> {
  if (medium.kind === 'image') return { kind: 'cd', path: medium.path };
  if (medium.kind === 'folder') {
    const log = createQuietLog(io);
    const { scriptUrl, stop } = await startFolderService(medium, {
      log,
      observe: (event) => trial.observe(event),
    });
    ends.add(stop);
    return { kind: 'network', scriptUrl };
  }
  if (images === undefined) throw new UsageError(`no images are served for ${host.name}`);
  return medium.way === 'cd'
    ? { kind: 'cd-url', url: images.isoUrl(medium.name) }
    : { kind: 'network', scriptUrl: images.scriptUrl() };
}

interface GuestSurroundings {
  readonly api: IronicApi;
  readonly guest: GuestPlace;
  readonly medium: Medium;
  readonly place: ApiPlace;
}

async function startEmulated(
  { ends, io, options, talk, trial }: TrialPlan,
  { setup, source }: PlannedMachine,
  { api, guest, medium, place }: GuestSurroundings,
): Promise<TrialMachine> {
  const network = guestNetwork(guest.host, '--guest-host');
  talk.remark({
    severity: 'info',
    message: `the emulated machine ${source.mac} reaches this one at ${guest.host}, and this Ironic at ${place.scheme}://${guest.host}:${place.port}`,
  });
  const isChanged = source.medium.kind === 'host';
  const elsewhere = isChanged
    ? undefined
    : tellElsewhere(new Map([['the machine', guest.ironicUrls]]), place);
  if (elsewhere !== undefined) {
    const hint = 'listen on the port that its config names (--listen, --tls), or give --guest-host';
    talk.remark({ ...elsewhere, hint });
  }
  const console = await openConsoleOutput(options.console, talk.say, io);
  ends.add(() => console.close());
  const machine = runTrialMachine({
    setup,
    source,
    medium,
    network,
    console,
    observe: (event) => {
      if (event.state === 'started' || event.state === 'rebooted') api.bootedAnew(event.mac);
      trial.observe(event);
    },
    say: (message) => talk.remark({ severity: 'info', message }),
    env: io.env,
  });
  ends.add(() => machine.stop());
  return machine;
}

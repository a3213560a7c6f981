/** `try --inventory`: images of hosts beside the trial, as `serve` serves them. */

import { CliError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import { isLoopback, type ListenAddress } from '../../serve/http/listenAddress.ts';
import type { ServerLog } from '../../serve/http/serverLog.ts';
import { report } from '../../io/report/report.ts';
import { hostFileName } from '../../hosts/artifacts/servedPaths.ts';
import { type ApiPlace, mayLeadHere } from '../timeline/addresses.ts';
import type { FetchEvent } from '../timeline/events.ts';
import { loadSnapshot, type RunningService, startService } from '../../serve/service.ts';
import { readSetup } from '../../serve/setup.ts';
import type { ServeSource } from '../../serve/source.ts';
import { printUrls } from '../../serve/urlList.ts';
import {
  createIronicChange,
  type IronicUrls,
  changeDiagnostics,
  elsewhereDiagnostic,
} from '../ironicAddress.ts';
import type { IronicApi } from '../api/ironicApi.ts';
import type { GuestPlace } from '../emulation/guestPlace.ts';
import type { Expectation } from '../expectation.ts';
import type { TryOptions } from '../setup.ts';
import { createQuietLog } from '../quietLog.ts';
import type { TrialPlan } from '../trial.ts';
import { createFetchWatcher } from './preparedFolderService.ts';

export interface ImageService {
  readonly port: number;
  /** The script that a machine boots which is sent here by DHCP. Throws CliError where there is none. */
  scriptUrl(): string;
  /** The ISO of a host, as this machine reaches it. Throws CliError where there is none. */
  isoUrl(host: string): string;
  /** Hosts of the inventory that are not served, which has been told. */
  readonly wrong: readonly string[];
  /** Says who reaches it, and under which URLs. */
  reportUrls(): Promise<void>;
  stop(): Promise<void>;
}

interface ImageServiceOptions {
  readonly options: TryOptions;
  readonly io: Io;
  readonly log: ServerLog;
  readonly observe: (event: FetchEvent) => void;
  /** By which an emulated machine reaches this one. */
  readonly guestHost: string | undefined;
  /** What of the inventory is not as it is written. */
  readonly changeSource: (read: ServeSource) => ServeSource;
}

/** Serves when it resolves. Throws CliError, UsageError. */
async function startImageService({
  guestHost,
  io,
  log,
  observe,
  options,
  ...own
}: ImageServiceOptions): Promise<ImageService> {
  const serve = { ...options, listen: options.serveListen, format: undefined, log: 'text' };
  const setup = await readSetup(definedOf(serve), io);
  let running: RunningService | undefined;
  const watcher = createFetchWatcher(() => running?.transfers, observe);
  const service = await startService(definedOf(serve), setup, {
    ...own,
    io,
    log,
    watchers: [watcher],
    ...(guestHost !== undefined && {
      publicUrl: ({ port }) => `${setup.tls === undefined ? 'http' : 'https'}://${guestHost}:${port}`,
    }),
  });
  running = service;
  const stop = async (): Promise<void> => {
    await service.server.stop(0);
    await service.state.close();
  };
  try {
    await loadSnapshot(service);
    const hosts = service.state.current()?.hosts ?? [];
    return {
      port: service.server.port,
      scriptUrl: () => scriptUrl(service),
      isoUrl: (host) => isoUrl(host, service),
      wrong: hosts.filter(({ isServed }) => !isServed).map(({ name }) => name),
      reportUrls: () => tell(service, options, { listen: setup.listen, io }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Without what is undefined: an option that is not given is not there. */
function definedOf<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is left out was optional
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}

async function tell(
  { links, server, state }: RunningService,
  { expect, open, publicUrl, qemu }: TryOptions,
  { listen, io }: { readonly listen: ListenAddress; readonly io: Io },
): Promise<void> {
  // An emulated machine finds its way, and the URLs are good for whoever reads them in a log.
  if (qemu !== undefined && expect === undefined) return;
  const isLocal = isLoopback(listen);
  if (isLocal && publicUrl === undefined) {
    report(io, {
      severity: 'info',
      message: 'only programs of this machine reach the images',
      hint: `use --serve-listen :${server.port} --public-url http://ADDRESS:${server.port} for other machines`,
    });
  }
  if (!isLocal && open === true) {
    report(io, {
      severity: 'warning',
      message: 'whoever reaches the images can fetch every config, with all its secrets',
      hint: 'leave --open out',
    });
  }
  const snapshot = state.current();
  if (snapshot === undefined) return;
  await printUrls(snapshot, { links, form: 'text' }, { stdout: io.stderr });
}

function scriptUrl({ links, state }: RunningService): string {
  if (state.current()?.wanted.loaders.includes('ipxe') === true) {
    return `${links.publicUrl}/${links.path({ kind: 'boot' }, 'boot.ipxe')}`;
  }
  throw new CliError('there is no boot script that an emulated machine could start with', {
    code: 'ERR_IMAGE',
    hint: 'give a kernel and an initramfs, or an ISO that has them; or boot from the ISO with --boot cd',
  });
}

function isoUrl(host: string, { links, server, state }: RunningService): string {
  if (state.current()?.wanted.configs.includes('iso') === true) {
    return `${server.origin}/${links.path({ kind: 'host', host }, hostFileName(host, 'iso'))}`;
  }
  throw new CliError('there is no live ISO that an emulated machine could boot from', {
    code: 'ERR_IMAGE',
    hint: 'give one with --iso FILE, or boot over the network',
  });
}

export interface ImageContext {
  readonly api: IronicApi;
  readonly guest: GuestPlace | undefined;
  /** Of the inventory. */
  readonly listed: IronicUrls;
  readonly place: ApiPlace;
}

/** Throws CliError where they cannot be served, or not those of a host that is awaited. */
export async function startImages(
  { cleanup, expectation, io, machine, options, setup, output, trial }: TrialPlan,
  { api, guest, listed, place }: ImageContext,
): Promise<ImageService> {
  const isOfHost = machine?.source.medium.kind === 'host';
  const url = setup.ironicUrl ?? (isOfHost ? otherUrl(guest, place) : undefined);
  const remarks = url === undefined ? [elsewhereDiagnostic(listed, place)] : changeDiagnostics(url, place);
  for (const remark of remarks) if (remark !== undefined) output.report(remark);
  const images = await startImageService({
    options,
    io,
    log: createQuietLog(io),
    observe: (event) => trial.observe(event),
    guestHost: guest?.host,
    changeSource: await createIronicChange({ url, ca: api.ca }, cleanup),
  });
  cleanup.defer(() => images.stop());
  refuseUnserved(images, expectation);
  await images.reportUrls();
  return images;
}

/** That a message lists. */
const MOST_NAMES = 10;

/** Whoever is awaited and cannot be served would only be missing at the end of the time. */
function refuseUnserved({ wrong }: ImageService, { awaited }: Expectation): void {
  const names = awaited.kind === 'hosts' ? wrong.filter((name) => awaited.names.includes(name)) : [];
  if (names.length === 0) return;
  const more = names.length > MOST_NAMES ? ', …' : '';
  throw new CliError(`awaited, and cannot be served: ${names.slice(0, MOST_NAMES).join(', ')}${more}`, {
    code: 'ERR_HOST',
    hint: 'mend what is reported above, or wait for others with --expect',
  });
}

/** Where a machine finds the API whose config leads elsewhere: whoever emulates a machine wants it to call here. */
function otherUrl(guest: GuestPlace | undefined, place: ApiPlace): string | undefined {
  if (guest === undefined || mayLeadHere(guest.ironicUrls, place)) return undefined;
  return `${place.scheme}://${guest.host}:${place.port}`;
}

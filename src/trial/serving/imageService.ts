/** `try --inventory`: serves the images of hosts during the trial, like `serve`. */

import { CliError } from '../../core/errors.ts';
import { isLoopbackHost } from '../../formats/hostName.ts';
import { urlHost } from '../../formats/url.ts';
import { isLoopback, type ListenAddress } from '../../http/server/listenAddress.ts';
import { formatNames } from '../../io/report/problemGroups.ts';
import { report } from '../../io/report/report.ts';
import type { HostPlan } from '../../hosts/plan/planHost.ts';
import { hostFileName } from '../../hosts/plan/servedPaths.ts';
import { type ApiEndpoint, mayReachApi } from '../api/apiEndpoint.ts';
import { loadSnapshot, type RunningService, startService } from '../../service/service.ts';
import { readSetup } from '../../service/setup.ts';
import { printUrls } from '../../service/urlList.ts';
import {
  createIronicChange,
  type IronicOfHosts,
  changeDiagnostics,
  otherIronicDiagnostics,
} from '../api/ironicAddress.ts';
import type { IronicApi } from '../api/ironicApi.ts';
import type { GuestAddress } from '../emulation/guestAddress.ts';
import type { Expectation } from '../expectation.ts';
import { createQuietLog } from '../quietLog.ts';
import type { TrialPlan } from '../trial.ts';
import { createFetchWatcher, SERVE_LISTEN_HINT, throwWithHint } from './catalogService.ts';

/** Reports which machines can connect, and prints the URLs. `boot` puts the address into the URL that it sends to a BMC. */
async function reportUrls(
  { links, server, state }: RunningService,
  { bootMachines, io, machine, options: { open, publicUrl } }: TrialPlan,
  listen: ListenAddress,
): Promise<void> {
  // An emulated machine needs no printed URLs, and anyone who can read them in a log can fetch the images.
  if (machine?.isOnly === true) return;
  const isLocal = isLoopback(listen);
  const isNamed = publicUrl !== undefined || bootMachines !== undefined;
  const messages = [
    {
      isTrue: isLocal && publicUrl === undefined,
      severity: 'info',
      message: 'image server listening on loopback only; other machines cannot connect',
      hint: `use --serve-listen :${server.port} --public-url http://ADDRESS:${server.port} to serve other machines`,
    },
    {
      isTrue: !isLocal && !isNamed && isLoopbackHost(urlHost(new URL(server.origin))),
      severity: 'warning',
      message: `all URLs of images start with ${server.origin}, which other machines cannot reach`,
      hint: `pass --public-url http://ADDRESS:${server.port} with the address of this machine`,
    },
    {
      isTrue: !isLocal && open === true,
      severity: 'warning',
      message: 'anyone who can reach the image server can fetch all configs, including their secrets',
      hint: 'remove --open',
    },
  ] as const;
  report(
    io,
    messages.filter(({ isTrue }) => isTrue),
  );
  const snapshot = state.current();
  if (snapshot !== undefined) await printUrls(snapshot, links, 'text', io.stderr);
}

/** @param artifacts the value of `--artifacts` */
function scriptUrl({ links, state }: RunningService, artifacts: string | undefined): string {
  if (state.current()?.wanted.loaders.includes('ipxe') === true) {
    return `${links.publicUrl}/${links.path({ kind: 'boot' }, 'boot.ipxe')}`;
  }
  throw new CliError('no boot script for the emulated machine', {
    code: 'ERR_IMAGE',
    hint:
      artifacts === undefined
        ? 'pass --iso, or --kernel and --initramfs'
        : 'add ipxe to --artifacts, or use --boot cd',
  });
}

function isoPath(host: string, { links, state }: RunningService, artifacts: string | undefined): string {
  if (state.current()?.wanted.configs.includes('iso') === true) {
    return links.path({ kind: 'host', host }, hostFileName(host, 'iso'));
  }
  throw new CliError('no live ISO for the machine', {
    code: 'ERR_IMAGE',
    hint: artifacts === undefined ? 'pass --iso FILE' : 'add iso to --artifacts',
  });
}

export interface ImageContext {
  readonly api: IronicApi;
  readonly guest: GuestAddress | undefined;
  readonly listed: IronicOfHosts;
  readonly endpoint: ApiEndpoint;
}

export type ImageService = Readonly<Awaited<ReturnType<typeof startImages>>>;

/** Resolves when the service is ready. Throws CliError if the images, or those of an expected host, cannot be served. */
export async function startImages(plan: TrialPlan, { api, guest, listed, endpoint }: ImageContext) {
  const { cleanup, expectation, io, machine, options, setup: trialSetup, trial } = plan;
  const { artifacts } = options;
  const isOfHost = machine?.source.medium.kind === 'host';
  const url = trialSetup.ironicUrl ?? (isOfHost ? otherUrl(guest, endpoint) : undefined);
  const found =
    url === undefined ? otherIronicDiagnostics(listed, endpoint) : changeDiagnostics(url, endpoint);
  for (const message of found) report(io, message);
  const { format: _format, listen: _listen, serveListen, ...shared } = options;
  const serve = {
    ...shared,
    ...(serveListen !== undefined && { listen: serveListen }),
    log: 'text' as const,
  };
  const setup = await readSetup(serve, io);
  const service = await startService(serve, setup, {
    command: 'try',
    io,
    log: createQuietLog(io),
    watchers: [createFetchWatcher(trial.observe)],
    refused: ({ host, refusal: { at, client, hint, message } }) =>
      trial.observe({ kind: 'refusal', at, client, host, problem: { kind: 'file', message, hint } }),
    changeSource: createIronicChange(url, api.ca),
    publicUrl: guest && (({ port }) => `http://${guest.host}:${port}`),
  }).catch(throwWithHint(SERVE_LISTEN_HINT));
  cleanup.defer(async () => {
    await service.server.stop(0);
    await service.state.close();
  });
  await loadSnapshot(service);
  refuseUnserved(service, expectation);
  await reportUrls(service, plan, setup.listen);
  return {
    /** URL of the boot script for DHCP. Throws CliError if it does not exist. */
    scriptUrl: (): string => scriptUrl(service, artifacts),
    /** URL of the ISO of a host for clients on this machine. Throws CliError if it does not exist. */
    isoUrl: (host: string): string => `${service.server.origin}/${isoPath(host, service, artifacts)}`,
    /** URL of the ISO of a host for its BMC. Throws CliError if it does not exist. */
    mediumUrl: (host: string): string => `${service.links.publicUrl}/${isoPath(host, service, artifacts)}`,
    /** Undefined for a host that is not served. */
    planOf: (host: string): HostPlan | undefined =>
      service.state.current()?.hosts.find(({ name }) => name === host)?.plan,
  };
}

/** An expected host that is not served could never call home; its errors are already reported. */
function refuseUnserved({ state }: RunningService, { awaited }: Expectation): void {
  const unserved = (state.current()?.hosts ?? []).flatMap(({ name, plan }) =>
    plan === undefined ? [name] : [],
  );
  const names = awaited.kind === 'hosts' ? unserved.filter((name) => awaited.names.includes(name)) : [];
  if (names.length === 0) return;
  throw new CliError(`expected hosts cannot be served: ${formatNames(names)}`, {
    code: 'ERR_HOST',
    hint: 'fix the errors above, or expect only other hosts with --expect',
  });
}

/** The URL of the mock Ironic for an emulated machine whose config contains another Ironic URL. */
function otherUrl(guest: GuestAddress | undefined, endpoint: ApiEndpoint): string | undefined {
  if (guest === undefined || mayReachApi(guest.ironicUrls, endpoint)) return undefined;
  return `${endpoint.scheme}://${guest.host}:${endpoint.port}`;
}

/** `try --inventory`: images of hosts beside the trial, as `serve` serves them. */

import { CliError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import { isLoopback, type ListenAddress } from '../../serve/http/listenAddress.ts';
import type { ServerLog } from '../../serve/http/serverLog.ts';
import { formatDiagnostic } from '../../io/report/diagnosticText.ts';
import type { Diagnostic } from '../../core/diagnostic.ts';
import { hostFileName } from '../../hosts/artifacts/hostFiles.ts';
import type { FetchEvent } from '../timeline/events.ts';
import { loadSnapshot, type Service, startService } from '../../serve/service.ts';
import { readSetup } from '../../serve/setup.ts';
import type { ServeSource } from '../../serve/source.ts';
import { printUrls } from '../../serve/urlList.ts';
import { createFetchWatcher } from './fetchWatcher.ts';
import type { TryOptions } from '../options.ts';

export interface ImageService {
  readonly port: number;
  /** The script that a machine boots which is sent here by DHCP. Throws CliError where there is none. */
  scriptUrl(): string;
  /** The ISO of a host, as this machine reaches it. Throws CliError where there is none. */
  isoUrl(host: string): string;
  /** Hosts of the inventory that are not served, which has been told. */
  readonly wrong: readonly string[];
  /** Says who reaches it, and under which URLs. */
  tell(): Promise<void>;
  stop(): Promise<void>;
}

export interface ImageServiceOptions {
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
export async function startImageService({
  guestHost,
  io,
  log,
  observe,
  options,
  ...own
}: ImageServiceOptions): Promise<ImageService> {
  const serve = { ...options, listen: options.serveListen, format: undefined, log: 'text' };
  const setup = await readSetup(definedOf(serve), io);
  let running: Service | undefined;
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
      tell: () => tell(service, options, { listen: setup.listen, io }),
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
  { links, server, state }: Service,
  { expect, open, publicUrl, qemu }: TryOptions,
  { listen, io }: { readonly listen: ListenAddress; readonly io: Io },
): Promise<void> {
  // An emulated machine finds its way, and the URLs are good for whoever reads them in a log.
  if (qemu !== undefined && expect === undefined) return;
  const isLocal = isLoopback(listen);
  if (isLocal && publicUrl === undefined) {
    tellRemark(io, {
      severity: 'info',
      message: 'only programs of this machine reach the images',
      hint: `use --serve-listen :${server.port} --public-url http://ADDRESS:${server.port} for other machines`,
    });
  }
  if (!isLocal && open === true) {
    tellRemark(io, {
      severity: 'warning',
      message: 'whoever reaches the images can fetch every config, with all its secrets',
      hint: 'leave --open out',
    });
  }
  const snapshot = state.current();
  if (snapshot === undefined) return;
  await printUrls(snapshot, { links, form: 'text' }, { stdout: io.stderr });
}

function tellRemark({ stderr }: Pick<Io, 'stderr'>, remark: Diagnostic): void {
  stderr.write(formatDiagnostic(remark));
}

function scriptUrl({ links, state }: Service): string {
  if (state.current()?.wanted.loaders.includes('ipxe') === true) {
    return `${links.publicUrl}/${links.path({ kind: 'boot' }, 'boot.ipxe')}`;
  }
  throw new CliError('there is no boot script that an emulated machine could start with', {
    hint: 'give a kernel and an initramfs, or an ISO that has them; or boot from the ISO with --boot cd',
  });
}

function isoUrl(host: string, { links, server, state }: Service): string {
  if (state.current()?.wanted.configs.includes('iso') === true) {
    return `${server.origin}/${links.path({ kind: 'host', host }, hostFileName(host, 'iso'))}`;
  }
  throw new CliError('there is no live ISO that an emulated machine could boot from', {
    hint: 'give one with --iso FILE, or boot over the network',
  });
}

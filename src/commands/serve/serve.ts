/**
 * `serve`: serves an image for each host, built from shared base images, until it is stopped. It writes no images. When the
 * inventory or an image changes, it reloads all files; a valid inventory replaces the previous one.
 */

import { namesIn } from '../../io/files/fileStates.ts';
import { formatNames } from '../../io/report/problemGroups.ts';
import { join, resolve } from 'node:path';
import { CliError } from '../../core/errors.ts';
import { isLoopbackHost } from '../../formats/hostName.ts';
import { formatCount } from '../../formats/messageText.ts';
import { portOf, urlHost } from '../../formats/url.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { isLoopback } from '../../http/server/listenAddress.ts';
import { endNow, listenToSignals } from '../../io/process.ts';
import { fetchesRootfs } from '../../hosts/plan/artifacts.ts';
import { imageFiles } from '../../hosts/plan/baseImages.ts';
import { report } from '../../io/report/report.ts';
import type { Diagnostic } from '../../core/finding.ts';
import { pageMessage } from '../../service/pageMessage.ts';
import { readLogForm, readSetup, type Setup } from '../../service/setup.ts';
import type { ServeOptions } from './options.ts';
import {
  loadSnapshot,
  readyProblem,
  reload,
  type RunningService,
  startService,
} from '../../service/service.ts';
import { createInputWatches, endService } from '../../service/serviceRun.ts';
import { loggingFailure, openLog, runService, withLog } from '../../service/serviceLog.ts';
import { formatDuration } from '../../service/status/figures.ts';
import { mainArtifact, printUrls } from '../../service/urlList.ts';

/**
 * Returns 0 after SIGTERM or SIGINT, and with `--once` after the image was fetched. In a JSON log, any other reason for the
 * end is an event of the log, except an invalid command line.
 */
export async function serve(options: ServeOptions, userIo: Io): Promise<ExitCode> {
  const form = readLogForm(options.log, userIo);
  const log = openLog(userIo, form);
  const target = { log, form };
  const io = withLog(userIo, target);
  const run = async (setup: Setup): Promise<ExitCode> => {
    const service = await startService(options, setup, { command: 'serve', io, log });
    const { links, server, state, transfers } = service;
    report(io, pageMessage(setup, links));
    const inputs = createInputWatches(() => void reloadAll());
    const reloadAll = async (): Promise<void> => {
      await inputs.accept();
      const before = state.current();
      await reload(service);
      if (state.current() !== before) report(io, secretMessages(service));
    };
    const signals = listenToSignals(() => void reloadAll(), io.signal);
    const stopped = signals.nextStop();
    await inputs.add(() => hostFiles(options, io));
    try {
      // The error is logged before `stopped`, which is the last line.
      return await loggingFailure(target, async () => {
        await Promise.race([loadSnapshot(service), stopped]);
        const { artifacts, once } = options;
        const snapshot = state.current(); // undefined if the service is already stopping
        const images = imageFiles(snapshot?.bases.values());
        await inputs.add(async () => images);
        if (snapshot !== undefined) {
          const problem = readyProblem(snapshot);
          if (once !== undefined && problem !== undefined) {
            throw new CliError(`Host ${once} is invalid`, {
              code: 'ERR_HOST',
              hint: 'fix the errors reported above',
            });
          }
          if (problem === undefined) log.note('info', 'ready', { url: links.publicUrl });
          else log.note('error', 'not ready', { url: links.publicUrl, problem });
          report(io, startMessages(setup, server), publicUrlMessages(setup, server));
          // `--artifacts ign` asks for configs only and needs no warning.
          if (snapshot.bases.size === 0 && artifacts === undefined) {
            report(io, {
              severity: 'warning',
              message: 'no base image, so only Ignition configs are served',
              hint: 'pass --iso FILE, --images FOLDER, or --kernel, --initramfs and --rootfs; for configs only, pass --artifacts ign',
            });
          }
          report(io, secretMessages(service));
          if (setup.list !== undefined) await printUrls(snapshot, links, setup.list, io.stdout);
        }
        await (once === undefined ? stopped : Promise.race([stopped, whenFetched(once, service)]));
        return 0;
      });
    } finally {
      inputs.stop();
      state.cancel();
      const running = transfers.running();
      if ((running > 0 || state.isLoading()) && setup.grace > 0) {
        const what = running > 0 ? formatCount(running, 'transfer') : 'the files that are being loaded';
        const message = `waiting up to ${formatDuration(setup.grace / 1000)} for ${what}; press Ctrl-C again to stop at once`;
        log.note('info', 'stopping', { message });
      }
      const hurry = signals.nextStop();
      void hurry.then(() => signals.ignore());
      const isStuck = await endService(service, { grace: setup.grace, hurry });
      signals.ignore();
      if (isStuck) endNow('SIGTERM');
    }
  };
  return runService(target, () => readSetup({ ...options, log: form }, io), run);
}

function secretMessages({ links, state }: RunningService): Diagnostic[] {
  if (!/^http:/i.test(links.publicUrl)) return [];
  return [...(state.current()?.secrets ?? [])].map(([what, hosts]) => ({
    severity: 'warning',
    message: `plain HTTP sends ${what} unencrypted, for ${formatNames(hosts)}`,
    hint: 'pass --tls-cert and --tls-key, or serve the provisioning network only',
  }));
}

function startMessages(
  { hasKey, listen, publicUrl, signer, tls }: Setup,
  { origin, port }: RunningService['server'],
): Diagnostic[] {
  const isLocal = isLoopback(listen);
  const option = `--public-url ${tls === undefined ? 'http' : 'https'}://ADDRESS:${port}`;
  const messages: readonly (Diagnostic & { readonly isTrue: boolean })[] = [
    {
      isTrue: signer === undefined && !isLocal,
      severity: 'warning',
      message: 'anyone who can connect to this server can fetch every config with all its secrets',
      hint: 'remove --open',
    },
    {
      isTrue: !isLocal && tls === undefined,
      severity: 'warning',
      message: 'configs and their URLs are sent unencrypted',
      hint: 'pass --tls-cert and --tls-key, or serve the provisioning network only',
    },
    {
      isTrue: isLocal && publicUrl === undefined,
      severity: 'info',
      message: 'listening on loopback only; other machines cannot connect',
      hint: `pass --listen :${port} ${option} for other machines`,
    },
    {
      isTrue: !isLocal && publicUrl === undefined && isLoopbackHost(urlHost(new URL(origin))),
      severity: 'warning',
      message: `all URLs start with ${origin}, which other machines cannot reach`,
      hint: `pass ${option} with the address of this machine`,
    },
    {
      isTrue: signer !== undefined && !hasKey,
      severity: 'info',
      message: 'the URLs become invalid when this server stops',
      hint: 'pass --key-file FILE to keep them valid after a restart',
    },
  ];
  return messages.filter(({ isTrue }) => isTrue);
}

/** What keeps other machines from fetching files from the public URL. */
function publicUrlMessages(
  { listen, publicUrl, tls }: Setup,
  { isCertifiedFor, port }: RunningService['server'],
): Diagnostic[] {
  if (publicUrl === undefined) return [];
  const url = new URL(publicUrl);
  const host = urlHost(url);
  const messages: Diagnostic[] = [];
  const publicPort = portOf(url);
  const isDirect = (url.protocol === 'https:') === (tls !== undefined); // otherwise, a proxy encrypts
  if (!isLoopback(listen) && isDirect && publicPort !== port) {
    messages.push({
      severity: 'info',
      message: `--public-url has port ${publicPort}, but this server listens on port ${port}`,
      hint: `use :${port} in --public-url, unless a proxy or NAT forwards port ${publicPort}`,
    });
  }
  if (isLoopback(listen) && !isLoopbackHost(host)) {
    messages.push({
      severity: 'info',
      message: 'listening on loopback only; other machines can connect only through a proxy on this machine',
      hint: `pass --listen :${port} if there is no proxy`,
    });
  }
  if (tls !== undefined && url.protocol === 'http:') {
    messages.push({
      severity: 'warning',
      message: '--public-url is an http URL, but this server accepts only https',
      hint: 'use https in --public-url, or remove --tls-cert and --tls-key',
    });
  } else if (!isCertifiedFor(host)) {
    messages.push({
      severity: 'warning',
      message: `the certificate is not valid for ${host}, so clients reject it`,
      hint: 'use a certificate that contains this name or address as subjectAltName, or another --public-url',
    });
  }
  return messages;
}

/** The files of the command line. Files that the inventory names are not watched; SIGHUP reloads them. */
async function hostFiles({ inventory, nmstateDir }: ServeOptions, io: Io): Promise<string[]> {
  if (nmstateDir === undefined) return inventory === undefined ? [] : [resolve(io.cwd, inventory)];
  const folder = resolve(io.cwd, nmstateDir);
  const names = await namesIn(folder);
  return [folder, ...names.map((name) => join(folder, name))];
}

/** Resolves when the image of the host and the root filesystem that it requires were fetched. */
async function whenFetched(once: string, { state, transfers }: RunningService): Promise<void> {
  const image = mainArtifact(state.current()?.wanted.configs ?? []);
  await Promise.all([
    transfers.whenFetched(once, [image]),
    fetchesRootfs(image) ? transfers.whenFetched(undefined, ['rootfs']) : undefined,
  ]);
}

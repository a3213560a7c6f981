/** The hosts of `serve` and `controller` on a terminal: the rows of the status page, with the running transfers. */

import type { Diagnostic } from '../core/finding.ts';
import { formatCount, formatSize } from '../formats/messageText.ts';
import type { Io } from '../io/io.ts';
import { type LiveRows, showLiveRows } from '../io/liveRows.ts';
import type { Links } from '../hosts/plan/links.ts';
import type { RunningService } from './service.ts';
import type { Servable } from './serviceState.ts';
import type { Setup } from './setup.ts';
import { hostRow, hostStateNames } from './status/hostRows.ts';
import { createRates } from './status/rates.ts';
import type { Status } from './status/status.ts';
import { formatLiveRows, formatStates } from './status/terminalRows.ts';

/** The URL of the status page; undefined if no client has access to it. */
function pageUrl({ signer, tls, tokens }: Setup, { publicUrl }: Links): string | undefined {
  const isAccessible = signer === undefined || tokens.length > 0 || tls?.clientCa !== undefined;
  return isAccessible ? `${publicUrl}/` : undefined;
}

export function pageMessage(setup: Setup, links: Links): Diagnostic {
  const url = pageUrl(setup, links);
  if (url === undefined) {
    return {
      severity: 'info',
      message: 'no client has access to the status page and /metrics',
      hint: 'pass --token-file FILE with a token from: openssl rand -hex 32',
    };
  }
  const hint =
    setup.tokens.length === 0
      ? undefined
      : 'log in with any user name and a token of --token-file as password';
  return { severity: 'info', message: `status page: ${url}`, hint };
}

/** Without a log for people, there are no rows. */
export function showLiveHosts<S extends Servable>(
  { links, status, state, transfers }: RunningService<S>,
  setup: Setup,
  io: Io,
): LiveRows {
  if (setup.log === 'json') return { end: () => undefined };
  const page = pageUrl(setup, links);
  const rateOf = createRates();
  return showLiveRows(io, (size) => {
    const described = status();
    const { now } = described.service;
    const rows = described.hosts.map((host) => hostRow(host, now));
    const isLoaded = state.current() !== undefined;
    const hosts = isLoaded
      ? [formatCount(rows.length, 'host'), formatStates(rows, hostStateNames)].filter(Boolean).join(': ')
      : 'loading';
    const figures = [hosts, ...transferFigures(described, rateOf('all', transfers.sent()))].join('; ');
    return formatLiveRows(
      { page, figures, rows, names: hostStateNames, now },
      size,
      ({ name, transfer }) => transfer && rateOf(`${name} ${transfer.path}`, transfer.bytes),
      io.paint,
    );
  });
}

/** Machines fetch the kernel, the initramfs and the root filesystem as shared files, which are of no host. */
function transferFigures({ service, shared }: Status, rate: number | undefined): readonly string[] {
  const { transfers } = service;
  if (transfers === 0) return [];
  const ofShared = shared.reduce((sum, { running }) => sum + running, 0);
  const which = ofShared === 0 ? '' : ` (${ofShared} of shared files)`;
  const speed = rate === undefined ? '' : `, ${formatSize(rate)}/s`;
  return [`${formatCount(transfers, 'transfer')}${which}${speed}`];
}

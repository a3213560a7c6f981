/** Events as text. Control characters from clients are escaped. */

import { formatCount, formatSize } from '../../formats/messageText.ts';
import { printable } from '../../core/foreignText.ts';
import { artifacts } from '../../core/artifacts.ts';
import { formatDuration, formatPercent } from '../../service/status/figures.ts';
import { isFullyFetched, isInterrupted } from '../timeline/stages.ts';
import { byKind, type ByKind, type TrialEvent } from '../timeline/events.ts';

/** One line: `fetched the Ignition config (3.1 KiB)`. */
export function eventPhrase(event: TrialEvent): string {
  return printable(byKind(words, event));
}

/** The client address, to follow the phrase; empty if the phrase already contains an address. */
export function originPhrase({ kind, client }: TrialEvent): string {
  if (client === undefined || kind === 'callback' || kind === 'steps') return '';
  return kind === 'fetch' ? ` from ${printable(client)}` : ` (${printable(client)})`;
}

export function elapsed(from: Date, until: Date): string {
  return formatDuration(Math.max(0, until.getTime() - from.getTime()) / 1000);
}

/** Maximum number of MAC addresses in a line. */
const MAX_MACS = 4;

const tokenPhrases = {
  valid: '',
  unknown: '',
  invalid: ' with an invalid token',
  missing: ' without a token',
} as const;

const words: ByKind<string> = {
  bmc: ({ text }) => text,
  machine: ({ problem, state }) => `${state}${after(problem)}`,
  console: ({ line }) => `console: ${line}`,
  fetch: (event) => {
    const { artifact, bytes, size, outcome } = event;
    const what = `${artifacts[artifact].noun} (${formatSize(size)})`;
    if (isFullyFetched(event) && outcome !== 'began') return `fetched ${what}`;
    if (bytes === 0) return `started to fetch ${what}`;
    const part = `${formatPercent(bytes, size)} of ${what}`;
    return isInterrupted(event) ? `fetched ${part}: ${outcome}` : `fetched ${part}`;
  },
  refusal: ({ problem }) => {
    switch (problem.kind) {
      case 'tls':
        return `failed the TLS handshake: ${problem.reason}`;
      case 'plain-http':
        return 'sent plain HTTP to a TLS port';
      case 'tls-to-http':
        return 'sent a TLS handshake to a plain-HTTP port';
      case 'path':
        return `sent a request that Ironic does not support: ${problem.method} ${problem.path}`;
      case 'file':
        return problem.message;
      case 'request':
      default:
        return `sent a request that was refused: ${problem.status} ${problem.message}`;
    }
  },
  api: ({ userAgent }) => `requested the API versions${userAgent === undefined ? '' : ` (${userAgent})`}`,
  inspection: ({ differences, isIncomplete, node, summary, problem }) => {
    if (node === undefined) return `sent its inventory, which was refused${after(problem)}`;
    const shownProblem = problem === undefined ? '' : ` (${isIncomplete ? 'incomplete: ' : ''}${problem})`;
    const shownDifferences = differences.length === 0 ? '' : `; not as expected: ${differences.join('; ')}`;
    return `sent its inventory${after(summary)}${shownProblem}${shownDifferences}`;
  },
  lookup: ({ macs, node, problem }) => {
    const more = macs.length > MAX_MACS ? ` and ${macs.length - MAX_MACS} more` : '';
    const by = macs.length === 0 ? 'no MAC address' : `${macs.slice(0, MAX_MACS).join(', ')}${more}`;
    const outcome = node === undefined ? `, which was refused${after(problem)}` : ` → node ${node}`;
    return `sent a lookup for ${by}${outcome}`;
  },
  heartbeat: ({ agentVersion, callbackUrl, problem, token }) => {
    if (problem !== undefined || token === 'invalid' || token === 'missing') {
      return `sent a heartbeat${tokenPhrases[token]}${problem === undefined ? '' : `, which was refused: ${problem}`}`;
    }
    const agent = agentVersion === undefined ? '' : ` (agent ${agentVersion})`;
    return `sent a heartbeat${agent}${callbackUrl ? `, callback URL ${callbackUrl}` : ' without a callback URL'}`;
  },
  callback: ({ url, problem, reason, summary }) => {
    if (reason === 'callback-address')
      return `sent the callback URL ${url}, which was ${problem ?? 'not contacted'}`;
    if (problem !== undefined) return `did not answer at ${url}: ${problem}`;
    return `answered at ${url}${after(summary)}`;
  },
  steps: ({ managers, missing, problem }) => {
    if (managers.length === 0) return `did not report its steps${after(problem)}`;
    const count = managers.reduce((sum, { steps }) => sum + steps.length, 0);
    const reported = `reported ${formatCount(count, 'step')} of ${formatCount(managers.length, 'hardware manager')}`;
    return missing.length === 0 ? reported : `${reported}${after(problem)}`;
  },
};

function after(text: string | undefined): string {
  return text === undefined ? '' : `: ${text}`;
}

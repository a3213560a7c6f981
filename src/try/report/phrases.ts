/** Events and stages in words. What comes from callers is made harmless for terminals. */

import { formatSize } from '../../formats/messageText.ts';
import { printable } from '../../io/report/terminalText.ts';
import type { Artifact } from '../../serve/answer/resource.ts';
import { formatPercent } from '../../serve/status/figures.ts';
import { isBrokenOff, isWhole, type Stage } from '../timeline/stages.ts';
import type {
  CallbackEvent,
  FetchEvent,
  HeartbeatEvent,
  InspectionEvent,
  LookupEvent,
  MachineEvent,
  PreflightEvent,
  RefusalEvent,
  TrialEvent,
} from '../timeline/events.ts';

/** What the machine did: `fetched the Ignition config (3.1 KiB)`. One line. */
export function eventPhrase(event: TrialEvent): string {
  return printable(wordsOf(event));
}

/** Where it came from, to stand behind the phrase; nothing where that is clear. */
export function originPhrase({ kind, client }: TrialEvent): string {
  if (client === undefined || kind === 'callback') return '';
  return kind === 'fetch' ? ` from ${printable(client)}` : ` (${printable(client)})`;
}

/** How far a machine came: `the Ignition config`. */
export const stagePhrases: Readonly<Record<Stage, string>> = {
  expected: 'nothing that was seen',
  power: 'its start',
  script: 'the boot script',
  image: 'the ISO',
  kernel: 'the kernel',
  initramfs: 'the initramfs',
  config: 'the Ignition config',
  rootfs: 'the root filesystem',
  'agent image': "the agent's image",
  inspection: 'the inspection',
  api: 'the versions of the API',
  lookup: 'the lookup',
  heartbeat: 'the heartbeat',
  callback: 'the answer of the agent',
};

function wordsOf(event: TrialEvent): string {
  switch (event.kind) {
    case 'machine':
      return machinePhrase(event);
    case 'fetch':
      return fetchPhrase(event);
    case 'refusal':
      return refusalPhrase(event);
    case 'api':
      return event.userAgent === undefined
        ? 'asked for the versions of the API'
        : `asked for the versions of the API (${event.userAgent})`;
    case 'inspection':
      return inspectionPhrase(event);
    case 'lookup':
      return lookupPhrase(event);
    case 'heartbeat':
      return heartbeatPhrase(event);
    case 'preflight':
      return preflightPhrase(event);
    case 'callback':
    default:
      return callbackPhrase(event);
  }
}

const artifactPhrases: Readonly<Record<Artifact, string>> = {
  iso: 'the ISO',
  'minimal-iso': 'the minimal ISO',
  initramfs: 'the initramfs',
  ign: 'the Ignition config',
  archive: 'the archive with the Ignition config',
  script: 'the boot script',
  kernel: 'the kernel',
  rootfs: 'the root filesystem',
  agent: "the agent's image",
};

function fetchPhrase(event: FetchEvent): string {
  const { artifact, bytes, size, outcome } = event;
  const what = `${artifactPhrases[artifact]} (${formatSize(size)})`;
  if (isWhole(event) && outcome !== 'began') return `fetched ${what}`;
  if (bytes === 0) return `began to fetch ${what}`;
  const part = `${formatPercent(bytes, size)} of ${what}`;
  return isBrokenOff(event) ? `got ${part}: ${outcome}` : `got ${part}`;
}

function refusalPhrase({ problem }: RefusalEvent): string {
  switch (problem.kind) {
    case 'tls':
      return `broke off the TLS handshake: ${problem.reason}`;
    case 'plain-http':
      return 'spoke plain HTTP to the port of TLS';
    case 'tls-to-http':
      return 'spoke TLS to the port of plain HTTP';
    case 'path':
      return `asked for what Ironic does not have: ${problem.method} ${problem.path}`;
    case 'request':
    default:
      return `sent a request that was refused: ${problem.status} ${problem.message}`;
  }
}

function inspectionPhrase({ hasGaps, node, service, summary, problem }: InspectionEvent): string {
  const what = service === 'ironic' ? 'its inventory' : 'its inventory to the inspector';
  if (node === undefined) return `sent ${what}, which was refused${because(problem)}`;
  const said = summary === undefined ? '' : `: ${summary}`;
  return `sent ${what}${said}${problem === undefined ? '' : ` (${hasGaps ? 'with gaps: ' : ''}${problem})`}`;
}

/** MAC addresses that are told: machines may have dozens. */
const mostMacs = 4;

function lookupPhrase({ macs, node, problem }: LookupEvent): string {
  const more = macs.length > mostMacs ? ` and ${macs.length - mostMacs} more` : '';
  const by = macs.length === 0 ? 'no MAC address' : `${macs.slice(0, mostMacs).join(', ')}${more}`;
  if (node === undefined) return `asked which node has ${by}, and was refused${because(problem)}`;
  return `asked which node has ${by}: ${node}`;
}

const tokenPhrases = {
  right: '',
  unknown: '',
  wrong: ' with a wrong token',
  missing: ' with no token',
} as const;

function heartbeatPhrase({ agentVersion, callbackUrl, problem, token }: HeartbeatEvent): string {
  if (problem !== undefined || token === 'wrong' || token === 'missing') {
    return `sent a heartbeat${tokenPhrases[token]}${problem === undefined ? '' : `, which was refused: ${problem}`}`;
  }
  const agent = agentVersion === undefined ? '' : ` of agent ${agentVersion}`;
  return `sent a heartbeat${agent}${callbackUrl === undefined ? '' : `, to be asked back at ${callbackUrl}`}`;
}

function callbackPhrase({ url, problem, reason, summary }: CallbackEvent): string {
  if (reason === 'other-address')
    return `gave ${url} as its callback URL, which was ${problem ?? 'not asked'}`;
  if (problem !== undefined) return `did not answer at ${url}: ${problem}`;
  return `answered at ${url}${summary === undefined ? '' : `: ${summary}`}`;
}

function preflightPhrase({ problem }: PreflightEvent): string {
  if (problem.kind === 'no-config') return `was not started: ${problem.message}`;
  const { fix, here, urls } = problem;
  const named = urls.length === 0 ? 'no Ironic' : `${urls.join(', ')} as Ironic`;
  return `was not started: its config names ${named}, and this Ironic is at ${here}: ${fix}`;
}

function machinePhrase({ state, problem }: MachineEvent): string {
  return problem === undefined ? state : `${state}: ${problem}`;
}

function because(problem: string | undefined): string {
  return problem === undefined ? '' : `: ${problem}`;
}

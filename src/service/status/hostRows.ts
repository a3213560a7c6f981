/** The hosts of `serve` and `controller` as rows of their status page. What a host fetches shows how far its boot is. */

import type { Diagnostic } from '../../core/finding.ts';
import type { ImageProgress } from '../../http/server/answer/transfers.ts';
import { formatDuration, formatPercent } from './figures.ts';
import { type BootStage, bootStages, type MarkState, type StageMark } from './bootStages.ts';
import { type PageRow, progressFacts } from './document.ts';
import { type MachineCause, type MachineRow, stateNames } from './machineRow.ts';
import type { HostStatus } from './hostStatus.ts';
import { artifacts } from '../../core/artifacts.ts';

/** `serve` does not see requests to Ironic, so that a machine has fetched its files is the last thing it knows. */
export const hostStateNames = stateNames('fetched');

/** Milliseconds. A client that goes on with an interrupted transfer does so within this time. */
const RESUMED = 60_000;
/** Milliseconds without a request after which a boot is no longer under way. */
const QUIET = 5 * 60_000;

export function hostRow(host: HostStatus, now: Date): PageRow {
  const { name, macs, architecture, staleSince, stream } = host;
  const fetched = host.progress();
  return {
    name,
    macs,
    texts: [...macs, ...[architecture, stream].filter((text) => text !== undefined)],
    ...hostProgress(host, fetched, now),
    details: () => ({
      architecture,
      stream,
      staleSince,
      stages: fetched.length === 0 ? [] : fetchMarks(fetched),
      images: host.images().map((image) => {
        const one = fetched.find(({ path }) => path === image.path);
        return { ...image, ...(one && progressFacts(one)) };
      }),
    }),
  };
}

type HostProgress = Omit<MachineRow, 'name' | 'texts'>;

/** With a refused request that no fetch has followed: the boot has stopped there, unless the machine has fetched its files. */
function hostProgress(host: HostStatus, fetched: readonly ImageProgress[], now: Date): HostProgress {
  const { refusal } = host;
  const progress = fetchProgress(host, fetched, now);
  if (refusal === undefined || fetched.some(({ lastFetch }) => lastFetch >= refusal.at)) return progress;
  const { artifact, at, client, hint, message } = refusal;
  const cause: MachineCause = { severity: 'warning', message: `${client} ${message}`, hint };
  if (progress.state === 'failed') return { ...progress, others: [cause, ...progress.others] };
  const causes = [cause, ...progress.causes];
  if (progress.state === 'home') return { ...progress, causes };
  const stage = artifact === undefined ? progress.stage : artifacts[artifact].part;
  return { ...progress, state: 'stuck', stage, transfer: undefined, since: at, causes };
}

function fetchProgress(
  { staleSince, messages }: HostStatus,
  fetched: readonly ImageProgress[],
  now: Date,
): HostProgress {
  const marks = fetchMarks(fetched);
  const mark = marks.findLast(({ state }) => state !== 'waiting' && state !== 'passed');
  const last = fetched.toSorted((a, b) => a.lastFetch.getTime() - b.lastFetch.getTime()).at(-1);
  const shown = firstMessage(messages);
  const found = {
    transfer: undefined,
    causes: shown === undefined ? [] : [shown],
    others: messages.filter((message) => message !== shown),
  };
  if (shown?.severity === 'error') {
    const stage = staleSince === undefined ? 'without an image' : 'with its last valid image';
    return { ...found, state: 'failed', stage, since: staleSince ?? last?.lastFetch };
  }
  if (last === undefined || mark === undefined)
    return { ...found, state: 'idle', stage: undefined, since: undefined };
  const since = last.lastFetch;
  if (mark.state === 'running')
    return { ...found, state: 'under-way', stage: mark.stage, transfer: last, since };
  const stage = mark.note === undefined ? mark.stage : `${mark.stage}, ${mark.note}`;
  const age = now.getTime() - since.getTime();
  if (mark.state === 'stopped' && age > RESUMED)
    return { ...found, state: 'stuck', stage, since, causes: [unresumed(last), ...found.causes] };
  if (mark.state === 'paused' && age > QUIET)
    return { ...found, state: 'stuck', stage, since, causes: [unread(last, age), ...found.causes] };
  if (mark.state === 'reached' && isLast(mark)) return { ...found, state: 'home', stage, since };
  return { ...found, state: age < QUIET ? 'under-way' : 'idle', stage, since };
}

function unresumed({ bytes, path, size }: ImageProgress): MachineCause {
  const name = path.slice(path.lastIndexOf('/') + 1); // the path in the catalog of `controller` starts with a digest
  const message = `The transfer of ${name} ended at ${formatPercent(bytes, size)}, and the machine has not resumed it.`;
  return { severity: 'warning', message };
}

function unread({ bytes, path, size }: ImageProgress, age: number): MachineCause {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const message = `The BMC has read ${formatPercent(bytes, size)} of ${name}, and nothing more for ${formatDuration(age / 1000)}.`;
  const hint = 'watch the console of the machine; ignore this if its agent has called Ironic';
  return { severity: 'warning', message, hint };
}

/** The stages after which a machine fetches nothing more of its own. */
function isLast({ stage }: StageMark): boolean {
  return stage === 'media' || stage === 'Ignition' || stage === 'image';
}

/** The first error, or else the first warning. The others are among the details. */
function firstMessage(messages: readonly Diagnostic[]): Diagnostic | undefined {
  return (
    messages.find(({ severity }) => severity === 'error') ??
    messages.find(({ severity }) => severity === 'warning')
  );
}

/** `serve` does not see the power of a host, its console and its requests to Ironic. */
const fetchStages: ReadonlySet<BootStage> = new Set(Object.values(artifacts).map(({ part }) => part));

const seen = bootStages.filter((stage) => fetchStages.has(stage));

/** Marks of all stages with fetches. Other hosts may have fetched the shared files, so these are not counted. */
export function fetchMarks(fetched: readonly ImageProgress[]): StageMark[] {
  const byStage = new Map<BootStage, ImageProgress>();
  for (const image of fetched) {
    const stage = artifacts[image.artifact].part;
    const known = byStage.get(stage);
    if (known === undefined || known.lastFetch <= image.lastFetch) byStage.set(stage, image);
  }
  const last = seen.findLastIndex((stage) => byStage.has(stage));
  return seen.map((stage, index) => {
    const image = byStage.get(stage);
    if (image === undefined) return { stage, state: index < last ? 'passed' : 'waiting' };
    if (image.completed !== undefined) return { stage, state: 'reached' };
    const note = formatPercent(image.bytes, image.size);
    return { stage, state: image.running > 0 ? 'running' : pausedState(stage, index < last), note };
  });
}

/** BMCs read only the parts of an ISO that the machine reads, with pauses: an incomplete ISO is neither complete nor an error. */
function pausedState(stage: BootStage, isPassed: boolean): MarkState {
  if (isPassed) return 'reached';
  return stage === 'media' ? 'paused' : 'stopped';
}

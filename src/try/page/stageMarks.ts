/** The stages of a trial as the bar of the page shows them. */

import { type BootStage, bootStages, type MarkState, type StageMark } from '../../serve/status/stageBar.ts';
import { formatDuration, formatPercent } from '../../serve/status/figures.ts';
import type { HostResult } from '../timeline/result.ts';
import type { FetchEvent, TrialEvent } from '../timeline/events.ts';
import { type Stage, stages } from '../timeline/stages.ts';
import type { HostTimeline } from '../timeline/timeline.ts';

const partOf: Readonly<Record<Exclude<Stage, 'none'>, BootStage>> = {
  'boot device': 'media',
  power: 'power',
  script: 'loader',
  image: 'media',
  kernel: 'kernel',
  initramfs: 'kernel',
  config: 'Ignition',
  rootfs: 'root filesystem',
  'agent archive': 'image',
  'live system': 'Ignition',
  'agent container': 'image',
  inspection: 'agent',
  api: 'agent',
  lookup: 'agent',
  heartbeat: 'agent',
  callback: 'agent',
  steps: 'agent',
};

/**
 * The marks of one machine. The note of a reached stage is the time since the first event of the machine; that of the ISO is
 * the fetched part.
 */
export function stageMarks({ causes, gaps, hasCalledHome, host }: HostResult): StageMark[] {
  const started = firstEventTime(host);
  const reached = bootStages.map((part) => firstOf(host, part));
  const last = reached.findLastIndex((at) => at !== undefined);
  const hasStopped = gaps.some(({ isOpen }) => isOpen) || causes.some(isProven);
  return bootStages.map((stage, index) => {
    const at = reached[index];
    if (at === undefined) return { stage, state: index < last ? 'passed' : 'waiting' };
    const note = stage === 'media' ? fetchedPart(host) : undefined;
    const state = index < last || hasCalledHome ? 'reached' : lastState(hasStopped);
    return { stage, state, note: note ?? (started && started < at ? elapsed(started, at) : undefined) };
  });
}

function lastState(hasStopped: boolean): MarkState {
  return hasStopped ? 'stopped' : 'running';
}

function isProven({ certainty }: HostResult['causes'][number]): boolean {
  return certainty === 'proven';
}

/** The first event of the machine; undefined without events. */
export function firstEventTime({ entries }: Pick<HostTimeline, 'entries'>): Date | undefined {
  return entries[0]?.first;
}

export function elapsed(from: Date, until: Date): string {
  return formatDuration(Math.max(0, until.getTime() - from.getTime()) / 1000);
}

function firstOf({ entries, milestones }: HostTimeline, part: BootStage): Date | undefined {
  const inserted = entries.filter(({ event }) => event.kind === 'bmc' && event.step === 'media');
  const shown = stages.flatMap((stage) =>
    stage !== 'none' && partOf[stage] === part ? (milestones.get(stage) ?? []) : [],
  );
  const times = [...(part === 'media' ? inserted : []), ...shown].map(({ first }) => first.getTime());
  return times.length === 0 ? undefined : new Date(Math.min(...times));
}

function fetchedPart({ entries }: Pick<HostTimeline, 'entries'>): string | undefined {
  const [last] = entries.flatMap(({ event }) => (isMedium(event) ? [event] : [])).slice(-1);
  return last && formatPercent(last.bytes, last.size);
}

function isMedium(event: TrialEvent): event is FetchEvent {
  return event.kind === 'fetch' && (event.artifact === 'iso' || event.artifact === 'minimal-iso');
}

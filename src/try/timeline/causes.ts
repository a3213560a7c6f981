/**
 * The likely causes of what was seen, and of what was not. The page docs/troubleshooting.md is made from the same table.
 */

import { agentCauses } from './causes/agentCauses.ts';
import { bootCauses, ramdiskCauses } from './causes/bootCauses.ts';
import { callbackCauses, tlsCauses } from './causes/connectionCauses.ts';
import { type Cause, type Certainty, findEvidence, hasCalled, isOwn } from './causes/cause.ts';
import { ironicCauses } from './causes/ironicCauses.ts';
import { isFurther, type Stage, type TimelineEntry } from './stages.ts';
import { createTimeline, type HostTimeline } from './timeline.ts';

/** What could be seen at all: all from the first fetch on, or nothing but calls to Ironic, as nothing was served. */
export type Sight = 'boot' | 'calls';

export type LikelyCause =
  | { readonly cause: Cause; readonly certainty: 'proven'; readonly evidence: TimelineEntry }
  | {
      readonly cause: Cause;
      readonly certainty: Exclude<Certainty, 'proven'>;
      /** What would prove it, if it were known to be this machine's. */
      readonly evidence: TimelineEntry | undefined;
    };

/** By the part of the way where they are found, in its order. */
export const causeTable: readonly { readonly title: string; readonly causes: readonly Cause[] }[] = [
  { title: 'Before the live system starts', causes: bootCauses },
  { title: 'While the live system starts', causes: ramdiskCauses },
  { title: 'Before the agent calls', causes: agentCauses },
  { title: 'In the calls to Ironic', causes: [...tlsCauses, ...ironicCauses] },
  { title: 'When Ironic asks the agent back', causes: callbackCauses },
];

/** Of a host that is not home: first what is proven, then what is likely, then what is possible at its stage. */
export function likelyCauses(host: HostTimeline, sight: Sight): readonly LikelyCause[] {
  const whereabouts = possibleStages(host, sight);
  const own = { ...host, entries: host.entries.filter(({ event }) => isOwn(host, event)) };
  const found = causeTable
    .flatMap(({ causes }) => causes)
    .flatMap((cause): LikelyCause[] => {
      const evidence = cause.isRefuted?.(host) === true ? undefined : findEvidence(host, cause);
      if (evidence !== undefined && isOwn(host, evidence.event))
        return [{ cause, certainty: 'proven', evidence }];
      if (evidence !== undefined || cause.evidenceIf?.(own) === true)
        return [{ cause, certainty: 'likely', evidence }];
      return isPossible(cause, host, whereabouts) ? [{ cause, certainty: 'possible', evidence }] : [];
    });
  return found.toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** Of machines that are awaited and of which nothing at all was seen: nobody knows which they are. */
export function causesOfUnseen(sight: Sight): readonly LikelyCause[] {
  return createTimeline([{ name: 'unseen', macs: [] }])
    .hosts()
    .flatMap((host) => likelyCauses(host, sight));
}

function isPossible(
  { after = [], boots, isRefuted }: Cause,
  host: HostTimeline,
  whereabouts: readonly Stage[],
): boolean {
  if (!after.some((stage) => whereabouts.includes(stage))) return false;
  if (boots !== undefined && host.boot !== undefined && !boots.includes(host.boot)) return false;
  return isRefuted?.(host) !== true;
}

const unseen: readonly Stage[] = [
  'expected',
  'image',
  'kernel',
  'initramfs',
  'config',
  'rootfs',
  'agent image',
];

/** Where nothing was served, a machine that did not call may have come as far as that. */
function possibleStages(host: HostTimeline, sight: Sight): readonly Stage[] {
  const { stage } = host;
  if (hasCalled(host)) return isFurther(stage, 'agent image') ? [stage] : [];
  if (stage === 'power') return unseen.filter((other) => other !== 'expected');
  return sight === 'boot' || isFurther(stage, 'power') ? [stage] : unseen;
}

function rankOf({ cause, certainty }: LikelyCause): number {
  return certainties.indexOf(certainty) * usual.length + usual.indexOf(cause.usual);
}

const usual: readonly Cause['usual'][] = ['most', 'often', undefined];
const certainties: readonly Certainty[] = ['proven', 'likely', 'possible'];

/** The stages that the fetches of a host show. `serve` does not see its power, its console and its requests to Ironic. */

import type { ImageProgress } from '../../../http/server/answer/transfers.ts';
import type { Artifact } from '../../../http/server/answer/resource.ts';
import { formatPercent } from './figures.ts';
import type { BootStage, MarkState, StageMark } from './stageBar.ts';

/** The stage that a fetch of each artifact shows, in the order of the boot. */
const fetchStages: Readonly<Record<Artifact, BootStage>> = {
  iso: 'media',
  'minimal-iso': 'media',
  script: 'loader',
  kernel: 'kernel',
  initramfs: 'kernel',
  rootfs: 'root filesystem',
  ign: 'Ignition',
  archive: 'Ignition',
  agent: 'image',
};

const seen = [...new Set(Object.values(fetchStages))];

/** Marks of all stages with fetches. Other hosts may have fetched the shared files, so these are not counted. */
export function fetchMarks(fetched: readonly ImageProgress[]): StageMark[] {
  const byStage = new Map<BootStage, ImageProgress>();
  for (const image of fetched) {
    const stage = fetchStages[image.artifact];
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

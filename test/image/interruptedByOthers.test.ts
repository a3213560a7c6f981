/**
 * Images that a program without a rollback journal was editing when it was killed, as earlier versions of this one: whatever
 * it had written by then, the image is not called pristine, and `reset --force` gives the original.
 */

import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { changedImage, type ImageChange } from '../../src/image/imageChange.ts';
import { inspectIso } from '../../src/image/inspection/inspectImage.ts';
import { openLiveIso, repairIso } from '../../src/image/liveIso.ts';
import { bytesAccess, type Patch, patchSource } from '../../src/image/overlay.ts';
import { reportInspection } from '../../src/commands/inspect/inspectionReport.ts';
import { hybridIso, liveIso } from '../support/liveIso.ts';

const noise = createHash('shake256', { outputLength: 340_000 }).update('noise').digest();
const files = new Map([['config.ign', noise]]);
const mediumFile = { name: 'agent.tar', content: bytesAccess(Buffer.alloc(100_000, 'secret')) };
const same = (left: Uint8Array, right: Uint8Array): boolean => Buffer.compare(left, right) === 0;

async function apply(bytes: Uint8Array, change: ImageChange): Promise<Buffer> {
  const image = changedImage(bytesAccess(bytes), change);
  return Buffer.from(await image.read(0, image.size));
}

/** The image after each write: patches in pieces of 64 KiB, one after the other, and at last the new length. */
async function* statesOf(before: Buffer, { stages, size }: ImageChange): AsyncGenerator<Buffer, void> {
  let state = Buffer.from(before);
  for (const patch of stages.flat()) {
    for (const [offset, piece] of await piecesOf(patch)) {
      const longer = Buffer.alloc(Math.max(state.length, offset + piece.length));
      longer.set(state);
      longer.set(piece, offset);
      if (!same(longer, state)) yield longer;
      state = longer;
    }
  }
  if (size !== undefined) yield state.subarray(0, size);
}

async function piecesOf(patch: Patch): Promise<[number, Uint8Array][]> {
  const source = patchSource(patch);
  const data = await source.read(0, source.size);
  const starts = Array.from({ length: Math.ceil(data.length / 65_536) }, (_, index) => index * 65_536);
  return starts.map((start) => [patch.offset + start, data.subarray(start, start + 65_536)]);
}

const allRight = (states: readonly boolean[][]): boolean => states.flat().every(Boolean) && states.length > 5;

describe.each([
  ['an image', liveIso('2023-07')],
  ['an image with a header', liveIso('2021-01')],
  ['a hybrid image', hybridIso()],
])('%s', (_name, original) => {
  let grown: Buffer;
  let growth: ImageChange;
  beforeAll(async () => {
    growth = await (
      await openLiveIso(bytesAccess(original), 'any')
    ).change({ files, mediumFiles: hasFolder(original) ? [mediumFile] : [] });
    grown = await apply(original, growth);
  });

  /** Of each state in turn, whether it is called pristine when it is, and whether it is repaired. */
  const outcomes = async (before: Buffer, change: ImageChange): Promise<boolean[][]> => {
    const all: boolean[][] = [];
    for await (const state of statesOf(before, change)) {
      const subject = await inspectIso(bytesAccess(state));
      const { pristine } = reportInspection({ file: 'a.iso', subject, findings: [] });
      const repaired = await apply(state, await repairIso(await openLiveIso(bytesAccess(state))));
      all.push([pristine === same(state, original), same(repaired, original)]);
    }
    return all;
  };

  it('that was becoming longer', async () => {
    expect(await outcomes(Buffer.from(original), growth)).toSatisfy(allRight);
  });

  it('that was being reset', async () => {
    const reset = await repairIso(await openLiveIso(bytesAccess(grown)));
    expect(await outcomes(grown, reset)).toSatisfy(allRight);
  });

  it('that was being reset by an earlier version, which wrote the primary descriptor first', async () => {
    const { stages, ...change } = await repairIso(await openLiveIso(bytesAccess(grown)));
    const earlier = stages.map((stage, index) => (index === 0 ? stage : stage.toReversed()));
    expect(await outcomes(grown, { ...change, stages: earlier })).toSatisfy(allRight);
  });
});

function hasFolder(image: Uint8Array): boolean {
  return Buffer.from(image).includes('features.json');
}

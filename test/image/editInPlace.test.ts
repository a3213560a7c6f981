/** Edits in place that end anywhere: every write of them is a last one here, as if the process was killed after it. */

import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { changedImage, type ImageChange } from '../../src/image/imageChange.ts';
import { inspectIso } from '../../src/image/inspection/inspectImage.ts';
import { openIsoTree } from '../../src/image/isoTree.ts';
import { type LiveIso, openLiveIso, resetDamagedIso } from '../../src/image/liveIso.ts';
import { bytesAccess } from '../../src/image/overlay.ts';
import { editInPlace, readRollback, rollBack, type WritableImage } from '../../src/image/rollback.ts';
import { hybridIso, liveIso } from '../support/liveIso.ts';

type Step =
  | { readonly kind: 'write'; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly size: number }
  | { readonly kind: 'sync' };

/** An image in memory that remembers what was done to it, and fails at step `failsAt`. */
function memoryImage(
  bytes: Uint8Array,
  steps: Step[] = [],
  failsAt = Infinity,
): WritableImage & { readonly bytes: Buffer } {
  const disk = createDisk(bytes);
  const done = (step: Step): void => {
    steps.push(step);
    if (steps.length === failsAt + 1) throw new Error('the disk failed');
    disk.run(step);
  };
  return {
    get bytes() {
      return disk.bytes();
    },
    get size() {
      return disk.bytes().length;
    },
    read: async (offset: number, length: number) => {
      if (offset + length > disk.bytes().length) throw new RangeError('behind the end');
      return Uint8Array.from(disk.bytes().subarray(offset, offset + length));
    },
    write: async (data: Uint8Array, offset: number) =>
      done({ kind: 'write', offset, bytes: Uint8Array.from(data) }),
    truncate: async (size: number) => done({ kind: 'truncate', size }),
    sync: async () => done({ kind: 'sync' }),
  };
}

interface Disk {
  readonly run: (step: Step) => void;
  /** What the disk contains until the next step. */
  readonly bytes: () => Buffer<ArrayBuffer>;
}

function createDisk(content: Uint8Array): Disk {
  let memory = Buffer.from(content);
  let size = memory.length;
  const resize = (next: number): void => {
    if (next > memory.length) memory = Buffer.concat([memory], 2 * next);
    if (next > size) memory.fill(0, size, next);
    size = next;
  };
  return {
    run: (step) => {
      if (step.kind === 'truncate') resize(step.size);
      if (step.kind !== 'write') return;
      resize(Math.max(size, step.offset + step.bytes.length));
      memory.set(step.bytes, step.offset);
    },
    bytes: () => memory.subarray(0, size),
  };
}

function after(bytes: Uint8Array, steps: readonly Step[]): Buffer<ArrayBuffer> {
  const disk = createDisk(bytes);
  for (const step of steps) disk.run(step);
  return disk.bytes();
}

const same = (left: Uint8Array, right: Uint8Array): boolean => Buffer.compare(left, right) === 0;
const open = (bytes: Uint8Array): Promise<LiveIso> => openLiveIso(bytesAccess(bytes), 'any');
const SECRET = createHash('shake256', { outputLength: 300 }).update('secret').digest('hex');
const noise = createHash('shake256', { outputLength: 340_000 }).update('noise').digest('hex');
const files = (text: string): ReadonlyMap<string, Uint8Array> => new Map([['config.ign', Buffer.from(text)]]);
const mediumFile = { name: 'agent.tar', content: bytesAccess(Buffer.from(SECRET.repeat(300))) };

async function apply(bytes: Uint8Array, change: ImageChange): Promise<Buffer> {
  const image = changedImage(bytesAccess(bytes), change);
  return Buffer.from(await image.read(0, image.size));
}

interface Edit {
  readonly before: Uint8Array;
  readonly change: ImageChange;
}

const edits: Readonly<Record<string, () => Promise<Edit>>> = {
  embed: () => edit(liveIso('2023-07'), (iso) => iso.change({ files: files(SECRET) })),
  'embed and kernel arguments': () =>
    edit(liveIso('2021-01'), (iso) => iso.change({ files: files(SECRET), kargs: 'a b' })),
  'kernel arguments': () => edit(liveIso('s390x'), (iso) => iso.change({ kargs: 'a b' })),
  grow: () => edit(liveIso('2023-07'), (iso) => iso.change({ files: files(SECRET + noise) })),
  'grow a hybrid image': () =>
    edit(hybridIso(), (iso) => iso.change({ files: files(SECRET + noise), kargs: 'a b' })),
  'a file on the medium': () =>
    edit(liveIso('2022-02'), (iso) => iso.change({ mediumFiles: [mediumFile], files: files(SECRET) })),
  'remove from a grown image': async () => {
    const { before, change } = await edits['grow a hybrid image']!();
    return edit(await apply(before, change), (iso) => iso.change({ files: new Map() }));
  },
  'reset a grown image': async () => {
    const { before, change } = await edits['grow']!();
    return edit(await apply(before, change), resetDamagedIso);
  },
};

async function edit(before: Uint8Array, change: (iso: LiveIso) => Promise<ImageChange>): Promise<Edit> {
  return { before, change: await change(await open(before)) };
}

const isUnfinished = async (state: Uint8Array): Promise<boolean> =>
  (await readRollback(bytesAccess(state))) !== undefined;

describe.each(Object.entries(edits))('an edit in place: %s', (_name, prepare) => {
  let before: Uint8Array;
  let change: ImageChange;
  let goal: Buffer;
  let edited: Buffer;
  let steps: Step[];
  beforeAll(async () => {
    ({ before, change } = await prepare());
    goal = await apply(before, change);
    steps = [];
    const image = memoryImage(before, steps);
    await editInPlace(image, change);
    edited = image.bytes;
  });

  it('makes the change', () => {
    expect(edited).toEqual(goal);
  });

  const states = (): Buffer[] => steps.map((_step, count) => after(before, steps.slice(0, count + 1)));

  it('is old or new after each step, or seen to be unfinished', async () => {
    for (const [count, state] of states().entries()) {
      const isWhole = same(state, before) || same(state, goal);
      const seen = [count, isWhole || (await isUnfinished(state))];
      expect(seen).toEqual([count, true]);
    }
  });

  it('is reported and undone where it is unfinished', async () => {
    let unfinished = 0;
    for (const [count, state] of states().entries()) {
      if (!(await isUnfinished(state))) continue;
      unfinished++;
      await expect(openIsoTree(bytesAccess(state))).rejects.toThrow('an edit of the image is in progress');
      const { issues, leftovers } = await inspectIso(bytesAccess(state));
      expect([leftovers, issues[0]?.rule]).toEqual([['unfinished edit'], 'image-unfinished-edit']);
      const image = memoryImage(state);
      expect(await rollBack(image)).toBe(true);
      expect([count, same(image.bytes, before)]).toEqual([count, true]);
    }
    expect(unfinished).toBeGreaterThan(3);
  });

  it('is undone also where undoing it ends anywhere', async () => {
    const state = after(
      before,
      steps.slice(
        0,
        steps.findLastIndex(({ kind }) => kind === 'truncate'),
      ),
    );
    const undoing: Step[] = [];
    await rollBack(memoryImage(state, undoing));
    for (let count = 0; count <= undoing.length; count++) {
      const image = memoryImage(after(state, undoing.slice(0, count)));
      await rollBack(image);
      expect([count, same(image.bytes, before)]).toEqual([count, true]);
    }
  });

  it('is taken back where a step fails', async () => {
    const last = steps.findLastIndex(({ kind }) => kind === 'truncate');
    for (let failsAt = 0; failsAt <= last; failsAt++) {
      const image = memoryImage(before, [], failsAt);
      await expect(editInPlace(image, change)).rejects.toThrow('the disk failed');
      expect([failsAt, same(image.bytes, before)]).toEqual([failsAt, true]);
    }
  });

  it('survives a power failure that loses any of the writes which were not waited for', async () => {
    const losses = fc.tuple(fc.nat(steps.length), fc.infiniteStream(fc.boolean()));
    await fc.assert(
      fc.asyncProperty(losses, async ([count, kept]) => {
        const safe = steps.slice(0, count).findLastIndex(({ kind }) => kind === 'sync') + 1;
        const unsafe = steps.slice(safe, count).filter(() => kept.next().value);
        const image = memoryImage(after(before, [...steps.slice(0, safe), ...unsafe]));
        const wasUnfinished = await rollBack(image);
        const isOld = same(image.bytes.subarray(0, before.length), before);
        expect(isOld || (!wasUnfinished && same(image.bytes, goal))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe('an edit in place', () => {
  const before = Buffer.alloc(300_000, 'old');

  it('takes back what it wrote where a source fails', async () => {
    const image = memoryImage(before);
    const failing = {
      size: 2 ** 21,
      read: async (offset: number, length: number): Promise<Uint8Array> => {
        if (offset > 0) throw new Error('the source broke off');
        return new Uint8Array(length);
      },
    };
    const patches = [
      { offset: 5, data: Buffer.from('new') },
      { offset: before.length, data: failing },
    ];
    await expect(editInPlace(image, { patches })).rejects.toThrow('the source broke off');
    expect(image.bytes).toEqual(before);
  });

  it('does not take a journal for its own that is damaged, or names what the image does not have', async () => {
    const steps: Step[] = [];
    await editInPlace(memoryImage(before, steps), { patches: [{ offset: 5, data: Buffer.from('new') }] });
    const whole = after(
      before,
      steps.slice(
        0,
        steps.findIndex(({ kind }) => kind === 'sync'),
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: whole.length - before.length }),
        fc.integer({ min: 1, max: 255 }),
        async (back, value) => {
          const damaged = Buffer.from(whole);
          damaged[damaged.length - back]! ^= value;
          const image = memoryImage(damaged);
          await rollBack(image);
          expect(image.bytes.subarray(0, before.length)).toEqual(before);
        },
      ),
    );
  });
});

/** What is written into a status, and that nothing is written that is there already. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type FailedOutcome,
  type Outcome,
  type ReadyOutcome,
  statusPatch,
} from '../../../../src/commands/controller/api/outcome.ts';
import { readPreprovisioningImage } from '../../../../src/commands/controller/api/preprovisioningImage.ts';
import { storedObject } from './support.ts';

const now = new Date('2026-11-21T20:00:00.123Z');
const earlier = '2026-11-20T00:00:00Z';

const ready: ReadyOutcome = {
  kind: 'ready',
  imageUrl: 'http://192.0.2.1/h.x/tag/worker-0.iso',
  kernelUrl: undefined,
  extraKernelParams: undefined,
  note: undefined,
  attempt: { format: 'iso', architecture: 'x86_64', networkData: { name: 'net', version: '9' } },
};
const initrd: ReadyOutcome = {
  ...ready,
  kernelUrl: 'http://192.0.2.1/kernel',
  extraKernelParams: 'a=b',
  attempt: { format: 'initrd', architecture: 'x86_64', networkData: undefined },
};
const failed: FailedOutcome = {
  kind: 'failed',
  reason: 'ImageBuildInvalid',
  message: 'the network is wrong',
  attempt: ready.attempt,
};
const missing: FailedOutcome = {
  kind: 'failed',
  reason: 'MissingNetworkData',
  message: 'there is no Secret',
  attempt: undefined,
};

const patchOf = (status: unknown, outcome: Outcome): unknown =>
  statusPatch(readPreprovisioningImage(storedObject({ status })), outcome, now)?.status;

/** RFC 7396. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(result[name], value);
  }
  return result;
}

/** The status after one outcome after the other. */
const statusAfter = (...outcomes: readonly Outcome[]): Record<string, unknown> => {
  let status: unknown = {};
  for (const outcome of outcomes) status = mergePatch(status, patchOf(status, outcome) ?? {});
  return typeof status === 'object' && status !== null ? { ...status } : {};
};

const condition = (type: string, status: string, more: object): object => ({
  type,
  status,
  lastTransitionTime: '2026-11-21T20:00:00Z',
  observedGeneration: 2,
  ...more,
});

describe('the status', () => {
  it('of an ISO', () => {
    expect(statusAfter(ready)).toEqual({
      imageUrl: ready.imageUrl,
      format: 'iso',
      architecture: 'x86_64',
      networkData: { name: 'net', version: '9' },
      conditions: [
        condition('Ready', 'True', { reason: 'ImageSuccess', message: 'Generated image' }),
        condition('Error', 'False', { reason: 'ImageSuccess', message: '' }),
      ],
    });
  });

  it.each<[string, Outcome]>([
    ['an ISO', ready],
    ['a failure', failed],
  ])('of %s is not written again when the API server has sorted its fields', (_title, outcome) => {
    const { conditions, ...others } = statusAfter(outcome);
    const sorted = (Array.isArray(conditions) ? conditions : []).map((one: object) =>
      Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    );
    expect(sorted).toHaveLength(2);
    expect(patchOf({ conditions: sorted, ...others }, outcome)).toBeUndefined();
  });

  it('keeps the conditions of other controllers, and adds its own', () => {
    const foreign = {
      type: 'Audited',
      status: 'True',
      lastTransitionTime: earlier,
      reason: 'x',
      message: '',
    };
    expect(patchOf({ conditions: [foreign] }, ready)).toMatchObject({
      conditions: [
        { type: 'Audited' },
        { type: 'Ready', status: 'True' },
        { type: 'Error', status: 'False' },
      ],
    });
  });

  it('of an initramfs has its kernel and kernel arguments, and an ISO after it has not', () => {
    expect(statusAfter(initrd)).toMatchObject({
      kernelUrl: 'http://192.0.2.1/kernel',
      extraKernelParams: 'a=b',
    });
    expect(statusAfter(initrd)).not.toHaveProperty('networkData');
    expect(statusAfter(initrd, ready)).toEqual(statusAfter(ready));
    expect(statusAfter(ready, initrd)).toEqual(statusAfter(initrd));
  });

  it('of what could not be made says from what, so that the operator tells it', () => {
    expect(statusAfter(failed)).toEqual({
      format: 'iso',
      architecture: 'x86_64',
      networkData: { name: 'net', version: '9' },
      conditions: [
        condition('Ready', 'False', { reason: 'ImageBuildInvalid', message: '' }),
        condition('Error', 'True', { reason: 'ImageBuildInvalid', message: 'the network is wrong' }),
      ],
    });
  });

  it('of what was not tried keeps what the last image was made from, but not its URL', () => {
    const status = statusAfter(ready, missing);
    expect(status).toMatchObject({ format: 'iso', networkData: { version: '9' } });
    expect(status).not.toHaveProperty('imageUrl');
  });

  it('has no message that is too long for the API server', () => {
    const long = statusAfter({ ...failed, message: 'x'.repeat(100_000) });
    expect(long).toMatchObject({ conditions: [{ message: '' }, { message: 'x'.repeat(4096) }] });
  });
});

describe('a patch', () => {
  it.each([
    ['an ISO', ready],
    ['an initramfs', initrd],
    ['an error', failed],
    ['an error before anything was tried', missing],
  ])('is none where the status has %s already', (_title, outcome) => {
    expect(patchOf(statusAfter(outcome), outcome)).toBeUndefined();
  });

  it('has only what is different', () => {
    const changed = { ...ready, imageUrl: 'http://192.0.2.1/other.iso' };
    expect(patchOf(statusAfter(ready), changed)).toEqual({ imageUrl: changed.imageUrl });
  });

  const old = [
    { ...condition('Ready', 'True', { reason: 'ImageSuccess', message: 'x' }), lastTransitionTime: earlier },
    { ...condition('Error', 'False', { reason: 'ImageSuccess', message: '' }), lastTransitionTime: earlier },
  ];

  it('keeps the time of a condition that stays, and the conditions of others', () => {
    const other = {
      ...condition('Other', 'True', { reason: 'Theirs', message: 'm' }),
      lastTransitionTime: earlier,
    };
    expect(patchOf({ conditions: [other, ...old] }, ready)).toMatchObject({
      conditions: [
        other,
        { type: 'Ready', message: 'Generated image', lastTransitionTime: earlier },
        { type: 'Error', lastTransitionTime: earlier },
      ],
    });
    expect(patchOf({ conditions: old }, failed)).toMatchObject({
      conditions: [
        { type: 'Ready', status: 'False', lastTransitionTime: '2026-11-21T20:00:00Z' },
        { type: 'Error', status: 'True', lastTransitionTime: '2026-11-21T20:00:00Z' },
      ],
    });
  });

  it('is of the generation that was read', () => {
    const status = statusAfter(ready);
    const image = readPreprovisioningImage(storedObject({ status }, { generation: 3 }));
    expect(statusPatch(image, ready, now)?.status).toEqual({
      conditions: [
        expect.objectContaining({ type: 'Ready', observedGeneration: 3 }),
        expect.objectContaining({ type: 'Error', observedGeneration: 3 }),
      ],
    });
  });

  const own = new Set(['Ready', 'Error']);
  const names = ['imageUrl', 'kernelUrl', 'extraKernelParams', 'format', 'architecture', 'networkData'];

  it('leads to the same status from any other one, with the conditions of others', () => {
    const text = fc.constantFrom('iso', 'initrd', 'a=b', 'http://192.0.2.1/kernel');
    const fields = Object.fromEntries(names.map((name) => [name, text]));
    const networkData = fc.record({ name: text, version: text }, { requiredKeys: [] });
    const conditions = fc.uniqueArray(
      fc.record({
        type: fc.constantFrom('Ready', 'Error', 'Audited', 'Other'),
        status: fc.constantFrom('True', 'False'),
        reason: fc.constantFrom('ImageSuccess', 'x'),
        message: fc.constantFrom('', 'Generated image'),
        lastTransitionTime: fc.constant(earlier),
      }),
      { selector: ({ type }) => type },
    );
    fc.assert(
      fc.property(
        fc.record({ ...fields, networkData, conditions }, { requiredKeys: ['conditions'] }),
        fc.constantFrom(ready, initrd, failed),
        (status, outcome) => {
          const after = mergePatch(status, patchOf(status, outcome) ?? {});
          expect(patchOf(after, outcome)).toBeUndefined();
          const image = readPreprovisioningImage(storedObject({ status: after }));
          const expected = readPreprovisioningImage(storedObject({ status: statusAfter(outcome) }));
          expect({ ...image.status, conditions: [] }).toEqual({ ...expected.status, conditions: [] });
          const wanted = expected.status.conditions.map(({ message, reason, status: value, type }) => ({
            message,
            reason,
            status: value,
            type,
          }));
          const found = image.status.conditions.filter(({ type }) => own.has(type));
          expect(found).toHaveLength(wanted.length);
          expect(found).toEqual(expect.arrayContaining(wanted.map((one) => expect.objectContaining(one))));
          const others = image.status.conditions.filter(({ type }) => !own.has(type));
          expect(others).toEqual(status.conditions.filter(({ type }) => !own.has(type)));
        },
      ),
    );
  });
});

/** When the finalizer comes and goes. */

import { describe, expect, it } from 'vitest';
import {
  readPreprovisioningImage,
  wantedFinalizers,
} from '../../../../src/commands/controller/api/preprovisioningImage.ts';
import { storedObject } from './support.ts';

const ours = 'preprovisioningimage.metal3.io';
const deleted = '2026-11-21T10:00:00Z';

describe('the finalizer', () => {
  it.each([
    ['comes to an object without any', [], undefined, [ours]],
    ['comes to those of others', ['theirs'], undefined, ['theirs', ours]],
    ['stays', ['theirs', ours], undefined, undefined],
    ['goes from one that is deleted', [ours, 'theirs'], deleted, ['theirs']],
    ['goes as the last', [ours], deleted, []],
    ['does not come to one that is deleted', ['theirs'], deleted, undefined],
  ])('%s', (_title, finalizers, deletionTimestamp, expected) => {
    const image = readPreprovisioningImage(storedObject({}, { finalizers, deletionTimestamp }));
    expect(wantedFinalizers(image)).toEqual(expected);
  });
});

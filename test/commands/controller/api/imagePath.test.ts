/** Paths of images: what stands in them, and what is none. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatImagePath,
  builtFileName,
  fileNameIn,
} from '../../../../src/commands/controller/api/imageChoice.ts';

const etag = '"AbC-_012345678901234567"';

describe('the path of an image', () => {
  it('has the entity tag and the name of the host', () => {
    const path = formatImagePath(etag, builtFileName('worker-0.example.com', 'iso'));
    expect(path).toBe('AbC-_012345678901234567/worker-0.example.com.iso');
    expect(fileNameIn(path)).toBe('worker-0.example.com.iso');
  });

  it.each([
    ['', 'nothing'],
    ['worker-0.iso', 'no tag'],
    ['AbC-_0123/../worker-0.iso', 'steps upwards'],
    ['AbC-_0123/worker 0.iso', 'a blank'],
    ['short/worker-0.iso', 'a tag that is too short'],
    [`${'a'.repeat(65)}/worker-0.iso`, 'a tag that is too long'],
    [`AbC-_0123/${'a'.repeat(65)}`, 'a name that is too long'],
  ])('%j is none: %s', (path) => {
    expect(fileNameIn(path)).toBeUndefined();
  });

  it('can be read for any name of an object', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 300 }), (name) => {
        const fileName = builtFileName(name, 'initramfs');
        expect(fileNameIn(formatImagePath(etag, fileName))).toBe(fileName);
      }),
    );
  });
});

/** Changes without the zeros at the end of their patches. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { patchBytes, trimZeroPatches } from '../../../src/hosts/artifacts/artifactResource.ts';
import { changedImage, type ImageChange } from '../../../src/image/imageChange.ts';
import { bytesAccess } from '../../../src/image/overlay.ts';

const read = async (base: Uint8Array, change: ImageChange): Promise<string> => {
  const image = changedImage(bytesAccess(base), change);
  return Buffer.from(await image.read(0, image.size)).toString('hex');
};

describe('leanChange', () => {
  it('changes the same bytes', async () => {
    const patch = fc.record({
      gap: fc.nat(3000),
      content: fc.uint8Array({ maxLength: 300 }),
      zeros: fc.constantFrom(0, 1, 1023, 1024, 5000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(patch, { maxLength: 4 }), fc.option(fc.nat(20_000)), async (list, size) => {
        let end = 0;
        const patches = list.map(({ gap, content, zeros }) => {
          const data = Buffer.concat([content, Buffer.alloc(zeros)]);
          const offset = end + gap;
          end = offset + data.length;
          return { offset, data };
        });
        const change = { patches, ...(size !== null && { size }) };
        const base = new Uint8Array(8000).fill(0xee);
        expect(await read(base, trimZeroPatches(change))).toBe(await read(base, change));
      }),
    );
  });

  it('holds what is not zero, in memory of its own', () => {
    const area = Buffer.alloc(262_144);
    area.write('a config', 0);
    const lean = trimZeroPatches({ patches: [{ offset: 5, data: area }] });
    expect(patchBytes(lean)).toBe(8);
    const buffers = lean.patches.flatMap(({ data }) => (data instanceof Uint8Array ? data.buffer : []));
    expect(buffers.map(({ byteLength }) => byteLength)).toEqual([8]);
  });
});

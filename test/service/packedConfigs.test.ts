/** Configs of many hosts in little memory. */

import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPacker } from '../../src/service/servedHosts.ts';

describe('packed configs', () => {
  it('gives back what was put in', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 5000 })), (configs) => {
        const pack = createPacker();
        const packed = configs.map((config) => pack(config));
        expect(packed.map(({ read }) => Buffer.from(read()))).toEqual(configs.map((one) => Buffer.from(one)));
      }),
    );
  });

  it('takes a tenth for configs that are alike, also where they have a long secret', () => {
    const secret = randomBytes(9000).toString('base64');
    const pack = createPacker();
    const config = (host: number): Buffer => Buffer.from(JSON.stringify({ host: `worker-${host}`, secret }));
    const packed = Array.from({ length: 100 }, (_, host) => pack(config(host)));
    expect(Buffer.from(packed[57]?.read() ?? []).toString()).toBe(config(57).toString());
    expect(packed.reduce((sum, { size }) => sum + size, 0)).toBeLessThan((100 * config(0).length) / 10);
  });
});

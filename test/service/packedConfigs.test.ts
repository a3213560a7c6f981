/** Configs of many hosts in little memory. */

import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPackedConfigs } from '../../src/service/servedHosts.ts';

describe('packed configs', () => {
  it('gives back what was put in', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.uint8Array({ maxLength: 5000 }))), (entries) => {
        const configs = createPackedConfigs();
        for (const [host, config] of entries) configs.add(host, config);
        for (const [host, config] of new Map(entries)) {
          expect(Buffer.from(configs.get(host) ?? [])).toEqual(config);
        }
      }),
    );
  });

  it('has nothing for a host that is not there', () => {
    const configs = createPackedConfigs();
    expect(configs.get('a')).toBeUndefined();
    configs.add('a', Buffer.from('{}'));
    expect(configs.get('b')).toBeUndefined();
  });

  it('takes a tenth for configs that are alike, also where they have a long secret', () => {
    const secret = randomBytes(9000).toString('base64');
    const configs = createPackedConfigs();
    const config = (host: number): Buffer => Buffer.from(JSON.stringify({ host: `worker-${host}`, secret }));
    for (let host = 0; host < 100; host++) configs.add(String(host), config(host));
    expect(Buffer.from(configs.get('57') ?? []).toString()).toBe(config(57).toString());
    expect(configs.size).toBeLessThan((100 * config(0).length) / 10);
  });

  it('counts a config that is put in again once', () => {
    const configs = createPackedConfigs();
    configs.add('a', randomBytes(5000));
    const before = configs.size;
    configs.add('b', randomBytes(5000));
    configs.add('b', Buffer.alloc(0));
    expect(configs.size - before).toBeLessThan(10);
  });
});

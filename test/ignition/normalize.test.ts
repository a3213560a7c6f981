import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIgnition } from '../../src/ignition/ignitionText.ts';
import { normalizeConfig } from '../../src/ignition/merge.ts';
import type { SpecVersion } from '../../src/ignition/versions.ts';
import { decodeConfig, randomConfigs } from '../support/randomConfigs.ts';

describe('normalizeConfig', () => {
  it.each<[string, SpecVersion, string, string]>([
    ['empty objects and lists go', '3.4.0', '"passwd":{"users":[]},"storage":{}', ''],
    [
      'also inside of items, which stay',
      '3.4.0',
      '"storage":{"files":[{"path":"/a","append":[{"verification":{}}],"contents":{}}]}',
      '"storage":{"files":[{"path":"/a","append":[{}]}]}',
    ],
    [
      'an empty value that differs from null stays',
      '3.4.0',
      '"storage":{"files":[{"path":"/a","contents":{"compression":"","source":""}}]}',
      '"storage":{"files":[{"path":"/a","contents":{"compression":"","source":""}}]}',
    ],
    [
      'one that does not goes',
      '3.4.0',
      '"storage":{"disks":[{"device":"/d","partitions":[{"number":0}]}]}',
      '"storage":{"disks":[{"device":"/d","partitions":[{}]}]}',
    ],
    [
      'what Go always prints is there',
      '3.0.0',
      '"storage":{"raid":[{}]}',
      '"storage":{"raid":[{"level":"","name":""}]}',
    ],
    [
      'an empty object stays where null is something else',
      '3.2.0',
      '"storage":{"luks":[{"name":"a","clevis":{}}]}',
      '"storage":{"luks":[{"clevis":{},"name":"a"}]}',
    ],
  ])('%s (%s)', (_title, version, members, expected) => {
    const document = (rest: string) =>
      `{"ignition":{"version":"${version}"}${rest === '' ? '' : `,${rest}`}}`;
    const normalized = normalizeConfig(decodeConfig(document(members)), version);
    expect(formatIgnition(normalized)).toBe(`${document(expected)}\n`);
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(randomConfigs(), ({ config, version }) => {
        const once = normalizeConfig(config, version);
        expect(normalizeConfig(once, version)).toEqual(once);
      }),
    );
  });
});

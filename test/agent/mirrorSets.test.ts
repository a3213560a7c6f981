import { describe, expect, it } from 'vitest';
import { formatMirrorSets } from '../../src/agent/mirrorSets.ts';
import { readRegistriesConf } from '../../src/agent/registriesConf.ts';

describe('mirror sets as registries.conf', () => {
  it('have the mirrors of all objects, for digests or for tags', () => {
    const text = formatMirrorSets([
      {
        kind: 'ImageDigestMirrorSet',
        spec: { imageDigestMirrors: [{ source: 'quay.io/team', mirrors: ['mirror.example.com/team'] }] },
      },
      {
        kind: 'ImageTagMirrorSet',
        spec: {
          imageTagMirrors: [
            {
              source: 'quay.io/team',
              mirrorSourcePolicy: 'NeverContactSource',
              mirrors: ['m.example.com/team', 'quay.io/team'],
            },
          ],
        },
      },
      { kind: 'ImageTagMirrorSet', spec: { imageTagMirrors: [{ source: '*.example.org' }, 5] } },
    ]);
    expect(text).toBe(
      [
        '[[registry]]',
        'location = "quay.io/team"',
        'blocked = true',
        '',
        '[[registry.mirror]]',
        'location = "mirror.example.com/team"',
        'pull-from-mirror = "digest-only"',
        '',
        '[[registry.mirror]]',
        'location = "m.example.com/team"',
        'pull-from-mirror = "tag-only"',
        '',
      ].join('\n'),
    );
    expect(readRegistriesConf(text).issues).toEqual([]);
  });
});

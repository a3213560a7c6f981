import { describe, expect, it } from 'vitest';
import { summary, withUnit } from './support.ts';

const contents = '$.systemd.units.0.contents';
const image = 'quay.io/example/ironic-agent';

describe('images', () => {
  it.each([
    [
      'upper case',
      [image, 'quay.io/Metal3/Agent'],
      [`agent-image-reference ${contents}`, `agent-image-reference ${contents}`],
    ],
    [
      'a short name in both commands',
      [image, 'metal3-io/ironic-agent'],
      [`agent-image-unpullable ${contents}`],
    ],
    ['a registry with a port', [image, 'registry:5000'], [`agent-image-unpullable ${contents}`]],
    ['a registry alone', [image, 'quay.io'], [`agent-image-unpullable ${contents}`]],
    ['a tag that is a year and more', [image, 'quay.io/x/ironic-agent:2026'], []],
    ['a private registry', [image, '10.0.0.1:5000/agent'], [`agent-image-issuer ${contents}`]],
    ['a registry on the machine', [image, 'localhost:5000/ironic-agent'], [`agent-address ${contents}`]],
    ['an archive on the host', [image, 'oci-archive:/var/lib/agent.tar'], []],
    ['a variable', [image, '${IMAGE}'], []],
  ] as const)('%s', (_title, change, expected) => {
    expect(summary(withUnit(change))).toEqual(expected);
  });
});

import { describe, expect, it } from 'vitest';
import { planPull } from '../../src/agent/imagePull.ts';
import { readRegistriesConf } from '../../src/agent/registriesConf.ts';

describe('planPull', () => {
  const { registries } = readRegistriesConf(
    [
      '[[registry]]\nprefix = "quay.io"\nlocation = "r.example.com"\n',
      '[[registry]]\nprefix = "quay.io/metal3-io"\nlocation = "quay.io/metal3-io"\n[[registry.mirror]]\nlocation = "m:5000/x"\n',
      '[[registry]]\nprefix = "*.example.org"\nlocation = "other.example.com"\n',
      '[[registry]]\nprefix = "*.example.net"\n',
    ].join(''),
  );

  it.each([
    ['quay.io/metal3-io/ironic-agent:v1', ['m:5000/x/ironic-agent', 'quay.io/metal3-io/ironic-agent']],
    ['quay.io/metal3-iox/a', ['r.example.com/metal3-iox/a']],
    ['a.b.example.org:5000/c/d', ['other.example.com:5000/c/d']],
    ['example.org/c', ['example.org/c']],
    ['a.example.net/c', ['a.example.net/c']],
    ['docker.io/a@sha256:x', []],
    ['docker.io/a', ['docker.io/library/a']],
    ['agent', []],
  ])('%s', (image, names) => {
    expect(registries).toBeDefined();
    expect(planPull(image, registries)?.sources.map(({ name }) => name) ?? []).toEqual(names);
  });
});

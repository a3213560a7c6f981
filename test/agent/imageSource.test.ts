import { describe, expect, it } from 'vitest';
import { findImageAddress, findShortNameProblem } from '../../src/agent/imageSource.ts';
import { pullNames } from '../../src/agent/imagePull.ts';
import { readRegistriesConf } from '../../src/agent/registriesConf.ts';

describe('findShortNameProblem', () => {
  it.each([
    ['ironic-agent:latest', 'add the registry: registry.example.com/ironic-agent:latest'],
    ['team/agent', 'add the registry: registry.example.com/team/agent'],
  ])('%s', (text, hint) => {
    expect(findShortNameProblem(text)?.hint).toBe(hint);
  });

  it.each(['quay.io/a', 'localhost/a', 'registry:5000/a', 'not an image'])('not %s', (text) => {
    expect(findShortNameProblem(text)).toBeUndefined();
  });
});

describe('findImageAddress', () => {
  it.each([
    ['localhost:5000/a', true],
    ['127.0.0.1:5000/a', true],
    ['quay.io/a', false],
    ['localhost', false],
    ['[2001:db8::1]:5000/a', false],
  ])('%s', (text, isFound) => {
    expect(findImageAddress(text) !== undefined).toBe(isFound);
  });
});

describe('pullNames', () => {
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
    expect(pullNames(image, registries)).toEqual(names);
  });
});

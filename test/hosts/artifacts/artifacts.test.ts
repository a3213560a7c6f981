import { describe, expect, it } from 'vitest';
import { mainArtifact } from '../../../src/service/urlList.ts';
import { type ConfigArtifact, configArtifacts } from '../../../src/core/artifacts.ts';
import {
  needsBaseUrl,
  needsSharedImages,
  parseArtifacts,
  startedArtifact,
} from '../../../src/hosts/plan/artifacts.ts';
import { hostFileName, parseHostFileName } from '../../../src/hosts/plan/servedPaths.ts';

describe('parseArtifacts', () => {
  it.each([
    ['ign', ['ign'], []],
    ['pxelinux, ign,ipxe,ign', ['ign'], ['ipxe', 'pxelinux']],
    ['minimal-iso,iso', ['iso', 'minimal-iso'], []],
  ])('%s', (text, configs, loaders) => {
    expect(parseArtifacts(text)).toEqual({ configs, loaders });
  });

  it.each([
    ['isos', 'invalid value "isos" for --artifacts'],
    ['', 'invalid value "" for --artifacts'],
    ['ign,', 'invalid value "" for --artifacts'],
    ['ipxe', 'contains only boot scripts'],
  ])('refuses %j', (text, message) => {
    expect(() => parseArtifacts(text)).toThrow(message);
  });
});

describe('what artifacts need', () => {
  it.each([
    ['ign', false, false, 'ign'],
    ['ign,ipxe', true, true, 'ign'],
    ['iso', false, false, 'iso'],
    ['iso,ipxe', false, true, 'iso'],
    ['minimal-iso', true, true, 'minimal-iso'],
    ['initramfs', true, false, 'initramfs'],
    ['iso,archive,ign,grub', true, true, 'archive'],
  ])('%s', (text, images, url, started) => {
    const wanted = parseArtifacts(text);
    expect(needsSharedImages(wanted)).toBe(images);
    expect(needsBaseUrl(wanted)).toBe(url);
    expect(startedArtifact(wanted.configs)).toBe(started);
  });

  it.each(configArtifacts)('%s alone is started, printed and found by its file names', (artifact) => {
    expect(startedArtifact([artifact])).toBe(artifact);
    expect(mainArtifact([artifact])).toBe(artifact);
    expect(parseHostFileName(hostFileName('a', artifact))).toContainEqual({ host: 'a', artifact });
  });

  it('starts nothing where there is nothing', () => {
    const none: readonly ConfigArtifact[] = [];
    expect(startedArtifact(none)).toBeUndefined();
  });
});

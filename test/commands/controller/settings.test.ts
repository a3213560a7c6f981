/** Settings from a file in a mounted ConfigMap or Secret. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ImageFactory } from '../../../src/commands/controller/imageFactory.ts';
import { writeKubeletVolume } from '../../support/kubeletVolume.ts';
import { tlsText } from '../../support/serveFixtures.ts';
import { settings, workplace } from './support.ts';

const place = workplace();

const pullSecret = (password: string): string => {
  const auth = Buffer.from(`user:${password}`).toString('base64');
  return JSON.stringify({ auths: { 'registry.example.com': { auth } } });
};

describe('settings in a volume of a pod', () => {
  const volume = join(place.folder, 'volume');
  const first = {
    'ramdisk.yaml': settings.replace(
      'agent:\n',
      'agent:\n  ironic.caFiles: [ironic.crt]\n  agent.pullSecret: auth.json\n',
    ),
    'ironic.crt': tlsText('ca'),
    'auth.json': pullSecret('one'),
  };
  const factoryOf = (files: Readonly<Record<string, string>>): Promise<ImageFactory> => {
    writeKubeletVolume(volume, files);
    return place.factory({ settings: 'volume/ramdisk.yaml' });
  };
  const pathFrom = async (factory: ImageFactory, name: string): Promise<string | undefined> => {
    const choice = { architecture: 'x86_64', stream: undefined, format: 'iso' } as const;
    return (await factory.build({ namespace: 'metal3', name, network: undefined, choice }, place.io))?.path;
  };

  it.each([
    ['settings', { 'ramdisk.yaml': first['ramdisk.yaml'].replace('192.0.2.1', '192.0.2.111') }],
    ['certificate', { 'ironic.crt': tlsText('other-ca') }],
    ['pull secret', { 'auth.json': pullSecret('two') }],
  ])(
    'are read again with another %s, while images of the former ones are still built',
    async (_title, other) => {
      const before = await factoryOf(first);
      const path = await pathFrom(before, 'worker-0');
      const after = await factoryOf({ ...first, ...other });
      expect(await pathFrom(after, 'worker-0')).not.toBe(path);
      expect(await pathFrom(before, 'worker-0')).toBe(path);
      expect(await pathFrom(await factoryOf(first), 'worker-0')).toBe(path);
    },
  );
});

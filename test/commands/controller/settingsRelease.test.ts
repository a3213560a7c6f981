/** How long the files of settings are there: as long as anything is made from them. */

import { controllerOptions } from '../../../src/commands/controller/options.ts';
import { givenOptions } from '../../support/givenOptions.ts';
import { describe, expect, it } from 'vitest';
import { type ImageFactory, openImageFactory } from '../../../src/commands/controller/imageFactory.ts';
import { knownDigests } from '../../../src/io/files/fileDigests.ts';
import { links, workplace } from './support.ts';

const place = workplace();

/** With settings that count how often they are released. */
async function take(name: string): Promise<{ factory?: ImageFactory; released: () => number }> {
  let count = 0;
  const release = async (): Promise<void> => void (count += 1);
  const around = {
    settings: { name, folder: place.folder, release },
    links,
    digests: knownDigests(new Map()),
    cacheSize: 1024,
    io: place.io,
  };
  const taking = openImageFactory(givenOptions(controllerOptions, { iso: ['live.iso'] }), around);
  const factory = await taking.catch(() => undefined);
  return { ...(factory && { factory }), released: () => count };
}

describe('settings are released', () => {
  it('when what is made from them is closed', async () => {
    const { factory, released } = await take('ramdisk.yaml');
    expect(released()).toBe(0);
    await factory?.close();
    expect(released()).toBe(1);
  });

  it('at once where they are wrong', async () => {
    place.write('wrong.yaml', 'agent: {ironic.apiUrls: "a b"}\n');
    const { factory, released } = await take('wrong.yaml');
    expect([factory, released()]).toEqual([undefined, 1]);
  });
});

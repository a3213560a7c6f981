/** How long the files of settings are there: as long as anything is made from them. */

import { describe, expect, it } from 'vitest';
import { type ControllerSnapshot, takeControllerSnapshot } from '../../src/controller/snapshot.ts';
import { knownDigests } from '../../src/io/files/fileDigests.ts';
import { links, workplace } from './support.ts';

const place = workplace();

/** With settings that count how often they are released. */
async function take(name: string): Promise<{ snapshot?: ControllerSnapshot; released: () => number }> {
  let count = 0;
  const release = async (): Promise<void> => void (count += 1);
  const around = {
    settings: { name, folder: place.folder, release },
    links,
    digests: knownDigests(new Map()),
    cacheSize: 1024,
    findImage: () => undefined,
    networkVersion: () => undefined,
    readSecret: async () => undefined,
    io: place.io,
  };
  const taking = takeControllerSnapshot({ iso: ['live.iso'] }, around);
  const snapshot = await taking.catch(() => undefined);
  return { ...(snapshot && { snapshot }), released: () => count };
}

describe('settings are released', () => {
  it('when what is made from them is closed', async () => {
    const { snapshot, released } = await take('ramdisk.yaml');
    expect(released()).toBe(0);
    await snapshot?.close();
    expect(released()).toBe(1);
  });

  it('at once where they are wrong', async () => {
    place.write('wrong.yaml', 'agent: {ironic.apiUrls: "a b"}\n');
    const { snapshot, released } = await take('wrong.yaml');
    expect([snapshot, released()]).toEqual([undefined, 1]);
  });
});

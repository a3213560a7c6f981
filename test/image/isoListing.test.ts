import { describe, expect, it } from 'vitest';
import { writeIso9660 } from '../../src/formats/iso9660/writer.ts';
import { describeKargs, listIso } from '../../src/image/isoListing.ts';
import { openIsoTree } from '../../src/image/isoTree.ts';
import { openLiveIso } from '../../src/image/liveIso.ts';
import { bytesAccess } from '../../src/image/overlay.ts';
import { liveIso } from '../support/liveIso.ts';

const date = new Date('2023-11-14T22:13:20Z');

describe('listIso', () => {
  it('lists descriptors without the terminator, and primary names, folders first', async () => {
    const files = new Map([
      ['coreos/features.json', Buffer.from('{}')],
      ['images/pxeboot/initrd.img', Buffer.from('x')],
      ['images/a long name.txt', Buffer.from('y')],
    ]);
    const image = writeIso9660({ volumeId: 'LABEL', date }, files);
    const { header, records } = await listIso(await openIsoTree(bytesAccess(image)));
    expect(header.descriptors).toMatchObject([
      {
        type: 'primary',
        volume_id: 'LABEL',
        volume_space_size: image.length / 2048,
        root: { name: '.', length: 2048 },
      },
      { type: 'supplementary' },
    ]);
    const other = Buffer.from(image);
    other[17 * 2048] = 7;
    const listed = await listIso(await openIsoTree(bytesAccess(other)));
    expect(listed.header.descriptors[1]).toEqual({ type: 'unknown', type_id: 7 });
    expect(records).toEqual([
      'COREOS',
      'COREOS/FEATURES.JSO',
      'IMAGES',
      'IMAGES/A_LONG_N.TXT',
      'IMAGES/PXEBOOT',
      'IMAGES/PXEBOOT/INITRD.IMG',
    ]);
  });
});

/** The description with its values left out. */
const keysOf = async (layout: Parameters<typeof liveIso>[0]): Promise<string> => {
  const areas = await (await openLiveIso(bytesAccess(liveIso(layout)))).kargsAreas();
  const text = JSON.stringify(describeKargs(areas));
  return text.replaceAll(/:("[^"]*"|\d+)/g, '');
};

describe('describeKargs', () => {
  it.each([
    ['2020-09', 'null'],
    ['2021-09', '{"length","default","kargs":[{"offset","length"},{"offset","length"}]}'],
    ['s390x', '{"length","default","kargs":[{"offset","length","pad","end"}]}'],
  ] as const)('layout %s', async (layout, keys) => {
    expect(await keysOf(layout)).toBe(keys);
  });
});

/** The network of a host in its Secret. */

import { describe, expect, it } from 'vitest';
import {
  listOtherKeys,
  readNetworkDescription,
} from '../../../../src/commands/controller/api/preprovisioningImage.ts';

const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString('base64');

describe('the network in a Secret', () => {
  it.each([
    ['text', { nmstate: base64('interfaces: []\n') }, { key: 'nmstate', text: 'interfaces: []\n' }],
    ['text with umlauts', { nmstate: base64('# ä\n') }, { key: 'nmstate', text: '# ä\n' }],
    ['nothing', { nmstate: '' }, { key: 'nmstate', text: '' }],
    ['network data', { networkData: base64('links: []') }, { key: 'networkData', text: 'links: []' }],
    [
      'both, of which nmstate counts',
      { networkData: base64('links: []'), nmstate: base64('{}') },
      { key: 'nmstate', text: '{}', unread: 'networkData' },
    ],
    ['nmstate that is no text, beside network data', { nmstate: 4, networkData: base64('{}') }, undefined],
    ['no such key', { userData: base64('x') }, undefined],
    ['no data', undefined, undefined],
    ['data that are a list', ['nmstate'], undefined],
    ['a value that is no text', { nmstate: 4 }, undefined],
    ['bytes that are no text', { nmstate: base64(Uint8Array.of(0xff, 0xfe)) }, undefined],
    ['what every object has', Object.create({ nmstate: base64('x') }), undefined],
  ])('%s', (_title, data, expected) => {
    expect(readNetworkDescription(data)).toEqual(expected);
  });
});

describe('the other keys of a Secret', () => {
  it.each([
    ['one', { userData: 'eA==', nmstate: 'eA==' }, '"userData"'],
    ['none', { nmstate: 'eA==', networkData: 'eA==' }, ''],
    ['no data', undefined, ''],
    ['many', { a: '', b: '', c: '', d: '', e: '', f: '' }, '"a", "b", "c", "d", "e", …'],
    ['long ones', { [`\u001b${'x'.repeat(99)}`]: '' }, `"\\u001b${'x'.repeat(99)}"`],
  ])('%s', (_title, data, expected) => {
    expect(listOtherKeys(data)).toBe(expected);
  });
});

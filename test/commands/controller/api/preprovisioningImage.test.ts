/** Objects as the API server has them: what is read. */

import { describe, expect, it } from 'vitest';
import { readPreprovisioningImage } from '../../../../src/commands/controller/api/preprovisioningImage.ts';
import { metadata, storedObject } from './support.ts';

const read = (fields: object): ReturnType<typeof readPreprovisioningImage> =>
  readPreprovisioningImage(storedObject(fields));

describe('a PreprovisioningImage', () => {
  it('is read as the contract has it', () => {
    const spec = { networkDataName: 'net', architecture: 'aarch64', acceptFormats: ['initrd', 'iso'] };
    const condition = {
      type: 'Ready',
      status: 'True',
      reason: 'ImageSuccess',
      message: '',
      lastTransitionTime: '2026-11-21T10:00:00Z',
      observedGeneration: 1,
    };
    const status = {
      imageUrl: 'http://192.0.2.1/a.iso',
      kernelUrl: 'http://192.0.2.1/kernel',
      extraKernelParams: 'a=b',
      format: 'iso',
      architecture: 'aarch64',
      networkData: { name: 'net', version: '4' },
      conditions: [condition],
    };
    expect(read({ spec, status })).toEqual({
      namespace: 'metal3',
      name: 'worker-0',
      resourceVersion: '7',
      generation: 2,
      finalizers: ['preprovisioningimage.metal3.io'],
      isDeleted: false,
      isForeign: false,
      spec,
      status,
    });
  });

  it.each([
    ['without spec and status', {}],
    [
      'with empty texts, as Go programs write them',
      { spec: { networkDataName: '' }, status: { networkData: { name: '', version: '' } } },
    ],
  ])('%s', (_title, fields) => {
    const { spec, status } = readPreprovisioningImage({ metadata, ...fields });
    expect([spec.acceptFormats, spec.networkDataName, status.networkData, status.conditions]).toEqual([
      [],
      undefined,
      undefined,
      [],
    ]);
  });

  it.each([
    ['nobody', {}, {}, [false, false]],
    ['the assisted service', { labels: { 'infraenvs.agent-install.openshift.io': 'x' } }, {}, [true, false]],
    [
      'the same, with an empty label',
      { labels: { 'infraenvs.agent-install.openshift.io': '' } },
      {},
      [true, false],
    ],
    ['nobody any more', { deletionTimestamp: '2026-11-21T10:00:00Z' }, {}, [false, true]],
  ])('of %s', (_title, more, fields, expected) => {
    const { isForeign, isDeleted } = readPreprovisioningImage(storedObject(fields, more));
    expect([isForeign, isDeleted]).toEqual(expected);
  });
});

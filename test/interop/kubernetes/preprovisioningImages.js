// @ts-check
/**
 * The kind PreprovisioningImage (metal3.io/v1alpha1) as the Bare Metal Operator has an API server check it, for tests:
 * the fields, what each may be, and that the status has a URL of its own. Descriptions are left out.
 */

import { setTimeout as wait } from 'node:timers/promises';

const text = { type: 'string' };
const imageFormat = { type: 'string', enum: ['iso', 'initrd'] };

const spec = {
  type: 'object',
  properties: {
    acceptFormats: { type: 'array', items: imageFormat },
    architecture: text,
    networkDataName: text,
  },
};

const condition = {
  type: 'object',
  required: ['lastTransitionTime', 'message', 'reason', 'status', 'type'],
  properties: {
    type: { ...text, maxLength: 316 },
    status: { ...text, enum: ['True', 'False', 'Unknown'] },
    reason: {
      ...text,
      minLength: 1,
      maxLength: 1024,
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    },
    message: { ...text, maxLength: 32_768 },
    lastTransitionTime: { ...text, format: 'date-time' },
    observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
  },
};

const status = {
  type: 'object',
  properties: {
    imageUrl: text,
    kernelUrl: text,
    extraKernelParams: text,
    format: imageFormat,
    networkData: { type: 'object', properties: { name: text, version: text } },
    architecture: text,
    conditions: {
      type: 'array',
      items: condition,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
  },
};

const preprovisioningImageDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'preprovisioningimages.metal3.io' },
  spec: {
    group: 'metal3.io',
    scope: 'Namespaced',
    names: {
      kind: 'PreprovisioningImage',
      listKind: 'PreprovisioningImageList',
      plural: 'preprovisioningimages',
      singular: 'preprovisioningimage',
      shortNames: ['ppimg'],
    },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
      },
    ],
  },
};

/**
 * Makes the kind known; resolves once there can be objects of it.
 * @param {import('./apiServer.d.ts').ApiServer['ask']} ask
 */
export async function definePreprovisioningImages(ask) {
  const kinds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await ask('POST', kinds, preprovisioningImageDefinition);
  for (let tries = 0; ; tries++) {
    try {
      await ask('GET', '/apis/metal3.io/v1alpha1/preprovisioningimages');
      return;
    } catch (error) {
      if (tries === 300) throw error;
      await wait(50);
    }
  }
}

/** Objects of the cluster for tests, as the client gives them. */

import type { KubernetesObject } from '../../../../src/kube/objects.ts';

export const metadata: KubernetesObject['metadata'] = {
  namespace: 'metal3',
  name: 'worker-0',
  resourceVersion: '7',
  generation: 2,
  labels: {},
  finalizers: ['preprovisioningimage.metal3.io'],
  deletionTimestamp: undefined,
};

export function storedObject(
  fields: { readonly spec?: unknown; readonly status?: unknown } = {},
  more: Partial<KubernetesObject['metadata']> = {},
): KubernetesObject {
  const spec = { acceptFormats: ['iso', 'initrd'], architecture: 'x86_64' };
  return { metadata: { ...metadata, ...more }, spec, ...fields };
}

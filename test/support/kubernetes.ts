/**
 * A real API server for tests. Tests that need it skip with a title that says so: `describe.skipIf(!haveKubernetes)(`…${kubernetesNote}`, …)`.
 */

import { type ApiServer, startApiServer } from '../interop/kubernetes/apiServer.js';
import { definePreprovisioningImages } from '../interop/kubernetes/preprovisioningImages.js';
import { have, oracleNote } from './programs.ts';

export type { ApiServer, LoggedRequest } from '../interop/kubernetes/apiServer.js';

export const haveKubernetes = have('kube-apiserver');

export const kubernetesNote = oracleNote('kube-apiserver');

/** A running API server that knows PreprovisioningImage. Stop it in `afterAll`. */
export async function startKubernetes(): Promise<ApiServer> {
  const server = await startApiServer();
  try {
    await definePreprovisioningImages(server.ask);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/** A role, bound to a service account of the same namespace. */
export async function grant(
  { ask }: ApiServer,
  account: { readonly namespace: string; readonly name: string },
  rules: readonly object[],
): Promise<void> {
  const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${account.namespace}`;
  const name = `${account.name}-role`;
  await ask('POST', `${path}/roles`, { metadata: { name }, rules });
  await ask('POST', `${path}/rolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  });
}

/**
 * The manifests of the controller in a real API server, strictly: in a namespace that admits only pods of the Pod Security Standard
 * "restricted".
 */

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseYaml } from '../../src/formats/yaml.ts';
import { type ApiServer, haveKubernetes, startKubernetes } from '../support/kubernetes.ts';
import { have, oracleNote } from '../support/programs.ts';
import { type Manifest, manifestFolder } from './kubernetes/manifests.ts';

const NAMESPACE = 'metal3';

const places: Readonly<Record<string, string>> = {
  ConfigMap: 'api/v1/namespaces/metal3/configmaps',
  Deployment: 'apis/apps/v1/namespaces/metal3/deployments',
  NetworkPolicy: 'apis/networking.k8s.io/v1/namespaces/metal3/networkpolicies',
  PodDisruptionBudget: 'apis/policy/v1/namespaces/metal3/poddisruptionbudgets',
  ClusterRole: 'apis/rbac.authorization.k8s.io/v1/clusterroles',
  ClusterRoleBinding: 'apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  Role: 'apis/rbac.authorization.k8s.io/v1/namespaces/metal3/roles',
  RoleBinding: 'apis/rbac.authorization.k8s.io/v1/namespaces/metal3/rolebindings',
  Secret: 'api/v1/namespaces/metal3/secrets',
  Service: 'api/v1/namespaces/metal3/services',
  ServiceAccount: 'api/v1/namespaces/metal3/serviceaccounts',
};

const note = oracleNote('kube-apiserver', 'kubectl');

interface Template {
  readonly metadata: object;
  readonly spec: { readonly containers: readonly object[]; readonly [field: string]: unknown };
}

function podOf(manifests: readonly Manifest[]): Template {
  const deployment = manifests.find(({ kind }) => kind === 'Deployment');
  const { template }: { template: Template } = JSON.parse(JSON.stringify(deployment?.['spec']));
  return { ...template, metadata: { ...template.metadata, name: 'pod' } };
}

describe.skipIf(!haveKubernetes || !have('kubectl'))(`the manifests${note}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'manifests '));
  let server: ApiServer;
  beforeAll(async () => {
    cpSync(manifestFolder, join(folder, 'kubernetes'), { recursive: true });
    mkdirSync(join(folder, 'own'));
    for (const name of ['url-key', 'tokens']) writeFileSync(join(folder, 'own', name), 'secret');
    server = await startKubernetes();
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    await server.ask('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE, labels } });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const build = (resource: string): Manifest[] => {
    const own = {
      namespace: NAMESPACE,
      resources: [`../kubernetes/${resource}`],
      secretGenerator: [{ name: 'ironic-coreos-keys', files: ['url-key', 'tokens'] }],
    };
    writeFileSync(join(folder, 'own/kustomization.yaml'), JSON.stringify(own));
    const { stderr, stdout } = spawnSync('kubectl', ['kustomize', join(folder, 'own')], { encoding: 'utf8' });
    expect(stderr).toBe('');
    const documents = stdout.split(/^---$/m).map((document) => parseYaml(document).value);
    return JSON.parse(JSON.stringify(documents));
  };

  /** Without creating it. Fields that the kind does not have are refused. */
  const tryOut = (place: string, manifest: object): Promise<unknown> =>
    server.ask('POST', `/${place}?fieldValidation=Strict&dryRun=All`, manifest);

  it.each(['base', 'all-namespaces'])('have only fields of their kinds: %s', async (resource) => {
    const manifests = build(resource);
    expect(manifests.map(({ kind }) => kind)).toContain('NetworkPolicy');
    for (const manifest of manifests) {
      const { kind, metadata } = manifest;
      expect(await tryOut(places[kind] ?? kind, manifest)).toMatchObject({ kind, metadata });
    }
  });

  it('make pods that a restricted namespace admits', async () => {
    expect(await tryOut('api/v1/namespaces/metal3/pods', podOf(build('base')))).toMatchObject({
      kind: 'Pod',
    });
  });

  it('would be refused there with more rights', async () => {
    const { metadata, spec } = podOf(build('base'));
    const [container] = spec.containers;
    const securityContext = { allowPrivilegeEscalation: true };
    const loose = { metadata, spec: { ...spec, containers: [{ ...container, securityContext }] } };
    await expect(tryOut('api/v1/namespaces/metal3/pods', loose)).rejects.toThrow(
      /violates PodSecurity.*allowPrivilegeEscalation/,
    );
  });
});

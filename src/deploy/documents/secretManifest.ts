/** Secrets of Kubernetes, as manifests with readable values (`stringData`), and what Kubernetes allows of them. */

import type { Issue, Rule } from '../../ignition/rule.ts';

export interface SecretManifest {
  readonly apiVersion: 'v1';
  readonly kind: 'Secret';
  readonly metadata: ManifestMetadata;
  readonly type: 'Opaque';
  readonly stringData: Readonly<Record<string, string>>;
}

export interface ManifestMetadata {
  readonly name: string;
  readonly namespace?: string;
}

const secretTooLarge: Rule = {
  id: 'secret-size',
  severity: 'error',
  message: 'Kubernetes takes no Secret of more than 1 MiB',
  hint: 'serve the large files of the config over https and refer to them by URL and hash',
};
const secretNotApplied: Rule = {
  id: 'secret-apply-size',
  severity: 'warning',
  message: 'kubectl apply cannot note a Secret of more than 256 KiB in its annotation, and refuses it',
  hint: 'use kubectl apply --server-side, or kubectl create',
};

const maxBytes = 1024 * 1024;
/** Of all annotations of an object; `kubectl apply` puts the whole object into one. */
const maxAnnotationBytes = 256 * 1024;

export function secretManifest(
  metadata: ManifestMetadata,
  stringData: Readonly<Record<string, string>>,
): SecretManifest {
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', stringData };
}

/** Issues without paths; their messages name the Secret and never show what is in it. */
export function checkSecret(secret: SecretManifest): readonly Issue[] {
  const bytes = Object.values(secret.stringData).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const prefix = `Secret ${secret.metadata.name}`;
  if (bytes > maxBytes) {
    return [
      { rule: secretTooLarge, path: [], message: `${prefix}: ${secretTooLarge.message}: ${bytes} bytes` },
    ];
  }
  return Buffer.byteLength(JSON.stringify(secret)) > maxAnnotationBytes
    ? [{ rule: secretNotApplied, path: [], message: `${prefix}: ${secretNotApplied.message}` }]
    : [];
}

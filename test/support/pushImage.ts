/** Pushes small images to a real registry (OCI Distribution Specification 1.1), as `podman push` does. */

import { createHash } from 'node:crypto';

const INDEX = 'application/vnd.oci.image.index.v1+json';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const CONFIG = 'application/vnd.oci.image.config.v1+json';

export interface PushedImage {
  readonly name: string;
  readonly tag: string;
  /** As Go names them; one of them is a manifest, several are an index of manifests. */
  readonly architectures: readonly string[];
}

/** @param origin `http://127.0.0.1:5000` */
export async function pushImage(origin: string, { architectures, name, tag }: PushedImage): Promise<void> {
  const send = async (method: string, url: string, body: string, type = 'application/octet-stream') => {
    const response = await fetch(new URL(url, origin), { method, body, headers: { 'content-type': type } });
    if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
    return response.headers.get('location') ?? '';
  };
  const pushBlob = async (text: string): Promise<object> => {
    const digest = digestOf(text);
    const upload = new URL(await send('POST', `/v2/${name}/blobs/uploads/`, ''), origin);
    upload.searchParams.set('digest', digest);
    await send('PUT', upload.href, text);
    return { digest, size: Buffer.byteLength(text) };
  };
  const descriptors = [];
  for (const architecture of architectures) {
    const config = await pushBlob(JSON.stringify({ architecture, os: 'linux', rootfs: { type: 'layers' } }));
    const layer = await pushBlob(`layer for ${architecture}`);
    const text = JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: { mediaType: CONFIG, ...config },
      layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar', ...layer }],
    });
    const reference = architectures.length === 1 ? tag : digestOf(text);
    await send('PUT', `/v2/${name}/manifests/${reference}`, text, MANIFEST);
    const platform = { architecture, os: 'linux' };
    descriptors.push({ mediaType: MANIFEST, digest: digestOf(text), size: text.length, platform });
  }
  if (descriptors.length === 1) return;
  const index = JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests: descriptors });
  await send('PUT', `/v2/${name}/manifests/${tag}`, index, INDEX);
}

function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

// @ts-check
/** Writes a container image of one layer as an OCI layout, and as an archive of that layout (OCI Image Format Specification 1.1). */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** The entry point of the agent's image for CoreOS. */
const entrypoint = ['ironic-python-agent', '--config-dir', '/etc/ironic-python-agent'];

/**
 * @param {string} layer a tar file
 * @param {string} layout the folder to write
 * @param {string} archive the file to write
 */
export function writeImage(layer, layout, archive) {
  rmSync(layout, { recursive: true, force: true });
  const blobs = join(layout, 'blobs/sha256');
  mkdirSync(blobs, { recursive: true });

  /** @param {object} document @returns {{ digest: string, size: number }} */
  const writeDocument = (document) => {
    const bytes = Buffer.from(JSON.stringify(document));
    const digest = createHash('sha256').update(bytes).digest('hex');
    writeFileSync(join(blobs, digest), bytes);
    return { digest: `sha256:${digest}`, size: bytes.length };
  };

  const packed = join(blobs, 'layer');
  execFileSync('sh', ['-c', 'gzip -n -3 -c "$0" > "$1"', layer, packed]);
  const packedDigest = digestOfFile(packed);
  const size = statSync(packed).size;
  renameSync(packed, join(blobs, packedDigest));

  const config = writeDocument({
    architecture: 'amd64',
    os: 'linux',
    config: {
      Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
      Entrypoint: entrypoint,
    },
    rootfs: { type: 'layers', diff_ids: [`sha256:${digestOfFile(layer)}`] },
  });
  const manifest = writeDocument({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
    layers: [
      { mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest: `sha256:${packedDigest}`, size },
    ],
  });
  const reference = {
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    ...manifest,
    platform: { architecture: 'amd64', os: 'linux' },
    annotations: { 'org.opencontainers.image.ref.name': 'latest' },
  };
  writeFileSync(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  writeFileSync(join(layout, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [reference] }));
  execFileSync('tar', ['-C', layout, '--sort=name', '-cf', archive, '.']);
}

/** @param {string} file */
function digestOfFile(file) {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(1 << 20);
  const descriptor = openSync(file, 'r');
  try {
    for (let length; (length = readSync(descriptor, chunk)) > 0;) hash.update(chunk.subarray(0, length));
  } finally {
    closeSync(descriptor);
  }
  return hash.digest('hex');
}

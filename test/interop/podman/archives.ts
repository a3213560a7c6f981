/** Archives as podman and skopeo make them, of images that are built here from nothing. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runOnHost } from './podmanHost.ts';

const imageName = 'registry.example/ironic/agent:v1';

/** Three layers, one of them with a program, so that a container of it can start. */
const containerfile = `FROM scratch
COPY busybox /bin/busybox
COPY note /etc/note
COPY other /etc/other
ENTRYPOINT ["/bin/busybox"]
`;

const script = `
cp "$(command -v busybox)" busybox
echo note > note
echo other > other
podman build --quiet --layers --tag ${imageName} --file Containerfile . > /dev/null
podman build --quiet --layers --format docker --tag registry.example/ironic/docker:v1 --file Containerfile . > /dev/null
podman save --quiet --output docker.tar ${imageName}
podman save --quiet --output docker-format.tar registry.example/ironic/docker:v1
podman save --quiet --format oci-archive --output oci.tar ${imageName}
skopeo copy --quiet --dest-compress-format zstd --dest-compress \\
  containers-storage:${imageName} "oci-archive:oci-zstd-layers.tar:${imageName}"
skopeo copy --quiet containers-storage:${imageName} oci-archive:oci-nameless.tar
for archive in docker oci; do
  gzip --keep --best $archive.tar
  zstd --quiet --keep -19 $archive.tar
done
`;

/** What there is, by name. */
export const archives = [
  'docker.tar',
  'docker-format.tar',
  'docker.tar.gz',
  'docker.tar.zst',
  'oci.tar',
  'oci.tar.gz',
  'oci.tar.zst',
  'oci-zstd-layers.tar',
  'oci-nameless.tar',
] as const;

/** @throws Error with what podman says */
export function makeArchives(folder: string): void {
  writeFileSync(join(folder, 'Containerfile'), containerfile);
  const { code, stderr } = runOnHost(folder, script);
  if (code !== 0) throw new Error(stderr);
}

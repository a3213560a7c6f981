/** Serves one ISO under a URL that cannot be guessed, because images contain secrets. */

import { randomBytes } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { parseBaseUrl } from '../../hosts/plan/servedPaths.ts';
import { statsOf } from '../../io/files/fileStates.ts';
import { isRemote } from '../../http/client/httpUrl.ts';
import { openSharedImage } from '../../imagefile/sharedImage.ts';
import { createResource } from '../../hosts/artifacts/artifactResource.ts';
import { sharedArtifact } from '../../hosts/artifacts/hostArtifacts.ts';
import { type CatalogEntry, entryOf } from '../../http/server/answer/resource.ts';
import { createQuietLog } from '../quietLog.ts';
import type { SingleIso, TrialPlan } from '../trial.ts';
import { SERVE_LISTEN_HINT, startCatalogService, throwWithHint } from './catalogService.ts';

const LONGEST_NAME = 64;

/** The file name in the URL: short and with the suffix that some BMCs require. */
export function servedIsoName(file: string): string {
  const stem = basename(file)
    .replace(/\.iso$/i, '')
    .replaceAll(/[^\w.-]/g, '_');
  return `${stem.slice(0, LONGEST_NAME - 4)}.iso`;
}

const TOKEN_BYTES = 16;

/** Serves an ISO for BMCs, unless it is on another server. */
export async function startIso(
  { cleanup, expectation: { known }, io, options: { publicUrl }, trial: { observe } }: TrialPlan,
  { file, listen }: SingleIso,
): Promise<{ readonly url: string }> {
  if (isRemote(file)) return { url: file };
  const location = resolve(io.cwd, file);
  const image = await openSharedImage(location, file);
  cleanup.defer(() => image.close());
  const { mtime: modified = new Date() } = (await statsOf(location)) ?? {};
  const token = randomBytes(TOKEN_BYTES).toString('hex');
  const fileName = servedIsoName(file);
  const path = `${token}/${fileName}`;
  // The open file, not the one that has this name now: a BMC that reads the image in ranges must not get bytes of two images.
  const artifact = { ...sharedArtifact(image, image, token), etag: async () => `"${token}"` };
  const served = { path, kind: 'iso', host: known[0]?.name, make: async () => artifact } as const;
  const { value: resource } = await createResource(served, () => modified);
  const find = (wanted: string): CatalogEntry | undefined =>
    wanted === path ? entryOf(resource) : undefined;
  const server = await startCatalogService(find, listen, createQuietLog(io), observe).catch(
    throwWithHint(SERVE_LISTEN_HINT),
  );
  cleanup.defer(async () => void (await server.stop(0)));
  const base = publicUrl === undefined ? server.origin : parseBaseUrl(publicUrl, '--public-url');
  return { url: `${base}/${path}` };
}

/** Reads stream metadata, for the commands that show it and that download by it. */

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { MetadataSource } from './artifacts/plan.ts';
import {
  fedoraStreams,
  isAuthentic,
  locateStream,
  parseStreamMetadata,
  type StreamMetadata,
} from './artifacts/streamMetadata.ts';
import { readUserFile } from '../io/files/files.ts';
import { type HttpClient, readAnswer } from '../io/http/httpClient.ts';
import { shownUrl } from '../io/http/httpUrl.ts';
import type { Io } from '../io/io.ts';
import { type RetryPolicy, withRetries } from '../io/http/retries.ts';

export interface StreamOptions {
  /** `stable` when it is left out. */
  readonly stream?: string | undefined;
  /** Base URL, folder or file; without, Fedora CoreOS. */
  readonly streamBaseUrl?: string | undefined;
}

export interface LocatedMetadata {
  readonly metadata: StreamMetadata;
  readonly source: MetadataSource;
}

/** Where and how to ask. */
export interface StreamAccess {
  readonly client: HttpClient;
  readonly policy: RetryPolicy;
  readonly io: Pick<Io, 'cwd'>;
}

const MAX_METADATA = 16 * 1024 * 1024;

/** @throws CliError in the user's terms */
export async function readStreamMetadata(
  { stream = 'stable', streamBaseUrl = fedoraStreams }: StreamOptions,
  { client, policy, io }: StreamAccess,
): Promise<LocatedMetadata> {
  const located = locateStream(streamBaseUrl, stream);
  if (located.kind === 'path') {
    const { path } = located;
    const bytes = await readUserFile(path, io, { what: 'Stream metadata', maxBytes: MAX_METADATA });
    const base = pathToFileURL(resolve(io.cwd, path));
    return {
      metadata: parseStreamMetadata(decode(bytes), path),
      source: { base, isAuthentic: true, isSigned: false },
    };
  }
  const { url } = located;
  const { bytes, urls } = await withRetries(policy, async () => {
    const answer = await client.get(url);
    return { bytes: await readAnswer(answer, shownUrl(url), MAX_METADATA), urls: answer.urls };
  });
  return {
    metadata: parseStreamMetadata(decode(bytes), shownUrl(url)),
    source: {
      base: url,
      isAuthentic: isAuthentic(urls),
      isSigned: url.href.startsWith(fedoraStreams),
    },
  };
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

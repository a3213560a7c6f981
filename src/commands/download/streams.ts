/** Stream metadata of CoreOS: reading it, finding an image in it, and `list-stream`, which prints its images. */

import { sayIfSlow } from '../../io/waiting.ts';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  FEDORA_STREAMS,
  isAuthentic,
  locateStream,
  parseStreamMetadata,
  type StreamImage,
  type StreamMetadata,
} from './artifacts/streamMetadata.ts';
import { createHttpClient, type HttpClient, readAnswer } from '../../http/client/httpClient.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { defaultRetries, type RetryPolicy, withRetries } from '../../http/client/retries.ts';
import { writeStdout } from '../../io/stdout.ts';
import { CliError } from '../../core/errors.ts';
import { printable, quoteText } from '../../core/foreignText.ts';
import { jsonBytes } from '../../io/report/choices.ts';
import { formatColumns } from '../../io/report/terminalText.ts';
import type { ListStreamOptions } from './options.ts';
import type { MetadataSource } from './artifacts/plan.ts';
import { readUserFile } from '../../io/files/files.ts';
import { shownUrl } from '../../http/client/httpUrl.ts';

/** Prints a table like coreos-installer; as JSON, `stream` and a list `images` with the files of each image. */
export async function listStream({ format, ...options }: ListStreamOptions, io: Io): Promise<ExitCode> {
  const client = createHttpClient(io);
  try {
    const policy = { ...defaultRetries, say: (text: string) => void io.stderr.write(`${printable(text)}\n`) };
    const { metadata } = await readStreamMetadata(options, { client, policy, io });
    const { images, stream } = metadata;
    const rows = images.map((image) => [image.architecture, image.platform, image.format].map(printable));
    const table = formatColumns([['Architecture', 'Platform', 'Format'], ...rows]).join('\n');
    const document = { stream, images: images.map(describeImage) };
    await writeStdout(io, [format === 'json' ? jsonBytes(document) : Buffer.from(`${table}\n`)]);
    return 0;
  } finally {
    await client.close();
  }
}

function describeImage({ architecture, platform, format, artifacts }: StreamImage): object {
  return {
    architecture,
    platform,
    format,
    release: artifacts[0]?.release,
    artifacts: artifacts.map(({ name, location, signature, sha256, uncompressedSha256 }) => ({
      name,
      location,
      signature,
      sha256,
      'uncompressed-sha256': uncompressedSha256,
    })),
  };
}

type StreamOptions = Omit<ListStreamOptions, 'format'>;

export interface StreamAccess {
  readonly client: HttpClient;
  readonly policy: RetryPolicy;
  readonly io: Io;
}

/** For a mirror: all downloads of a machine or a pipeline then use it. */
const BASE_URL_VARIABLE = 'IRONIC_COREOS_STREAM_BASE_URL';

const MAX_METADATA = 16 * 1024 * 1024;

export async function readStreamMetadata(
  options: StreamOptions,
  access: StreamAccess,
): Promise<{ readonly metadata: StreamMetadata; readonly source: MetadataSource }> {
  const read = await fetchStreamMetadata(options, access);
  const { stream } = options;
  const actual = read.metadata.stream;
  if (stream === undefined || actual === '' || actual === stream) return read;
  throw new CliError(`the metadata is that of stream ${quoteText(actual)}, not of ${quoteText(stream)}`, {
    code: 'ERR_SETTING',
    hint: `remove -s ${stream}, or pass the metadata of this stream with --stream-base-url`,
  });
}

async function fetchStreamMetadata(
  { stream = 'stable', streamBaseUrl }: StreamOptions,
  { client, policy, io }: StreamAccess,
) {
  const url =
    streamBaseUrl === undefined
      ? locateStream(io.env[BASE_URL_VARIABLE] || FEDORA_STREAMS, stream, BASE_URL_VARIABLE)
      : locateStream(streamBaseUrl, stream);
  if (typeof url === 'string') {
    const bytes = await readUserFile(url, io, { what: 'Stream metadata', maxBytes: MAX_METADATA });
    const base = pathToFileURL(resolve(io.cwd, url));
    return {
      metadata: parseStreamMetadata(decode(bytes), url),
      source: { base, isAuthentic: true, isSigned: false },
    };
  }
  const reading = withRetries(policy, async () => {
    const answer = await client.get(url);
    return { bytes: await readAnswer(answer, shownUrl(url), MAX_METADATA), urls: answer.urls };
  });
  const { bytes, urls } = await sayIfSlow(io, shownUrl(url), reading).catch((error: unknown) => {
    if (streamBaseUrl !== undefined || !(error instanceof CliError) || error.code !== 'ERR_NETWORK')
      throw error;
    const hint = 'pass the URL of a mirror with --stream-base-url, or set https_proxy';
    throw new CliError(error.sentence, { code: error.code, hint, cause: error });
  });
  return {
    metadata: parseStreamMetadata(decode(bytes), shownUrl(url)),
    source: {
      base: url,
      isAuthentic: isAuthentic(urls),
      isSigned: url.href.startsWith(FEDORA_STREAMS),
    },
  };
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

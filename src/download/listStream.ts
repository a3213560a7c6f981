/** `list-stream`: the images that a stream has. */

import { listImages, type StreamImage } from './artifacts/selectImage.ts';
import { createHttpClient } from '../io/http/httpClient.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { defaultRetries } from '../io/http/retries.ts';
import { writeStdout } from '../io/stdout.ts';
import { printable } from '../io/report/terminalText.ts';
import { readStreamMetadata, type StreamOptions } from './readStreamMetadata.ts';
import { jsonBytes, parseTextOrJson } from '../io/report/choices.ts';

export interface ListStreamOptions extends StreamOptions {
  /** `text` when it is left out. */
  readonly format?: string | undefined;
}

/**
 * A table as that of coreos-installer; as JSON, `stream` and a list `images` with the files of each.
 * @throws CliError where the metadata cannot be had, or is none
 */
export async function listStream({ format, ...options }: ListStreamOptions, io: Io): Promise<ExitCode> {
  const form = parseTextOrJson(format);
  const client = createHttpClient(io);
  try {
    const policy = { ...defaultRetries, say: (text: string) => void io.stderr.write(`${text}\n`) };
    const { metadata } = await readStreamMetadata(options, { client, policy, io });
    const images = listImages(metadata);
    const output =
      form === 'json'
        ? jsonBytes({ stream: metadata.stream, images: images.map(describeImage) })
        : table(images);
    await writeStdout(io, [output]);
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

/** Two spaces between the columns; the last one is as long as its texts are. */
function table(images: readonly StreamImage[]): Uint8Array {
  const rows = [
    ['Architecture', 'Platform', 'Format'],
    ...images.map(({ architecture, platform, format }) => [architecture, platform, format].map(printable)),
  ];
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}

/** `--bundle`: packs the prepared folder into one archive, to copy it to a web server. */

import { join, resolve } from 'node:path';
import { UsageError } from '../core/errors.ts';
import type { Io } from '../io/io.ts';
import { checkNewFile, type NewFile } from '../io/files/newFile.ts';
import type { PreparedFolder } from './folder/preparedFolder.ts';
import { writeBundle } from './folder/tarBundle.ts';
import { parseManifest } from '../hosts/artifacts/manifest.ts';
import { CHECKSUMS, MANIFEST } from '../hosts/artifacts/servedPaths.ts';
import { readUserFile } from '../io/files/files.ts';
import { type PrepareOptions, readAccess } from './options.ts';

/** @throws UsageError for an unsupported file name extension */
export function checkBundleName(name: string | undefined): void {
  if (name === undefined || /\.(?:tar|tar\.gz|tgz)$/.test(name)) return;
  throw new UsageError('--bundle requires a name that ends in .tar, .tar.gz or .tgz', {
    hint: 'use a name such as boot.tar.gz',
  });
}

/** Packs the manifest and all files that it lists if a bundle is wanted. Other files in the folder are not packed. */
export async function bundleFolder(folder: PreparedFolder, options: PrepareOptions, io: Io): Promise<void> {
  const { bundle } = options;
  if (bundle === undefined) return;
  const path = resolve(io.cwd, bundle);
  const limits = { what: 'Manifest', maxBytes: 1024 ** 3 };
  const text = await readUserFile(join(folder.path, MANIFEST), io, limits);
  const { files } = parseManifest(Buffer.from(text).toString());
  const { open, secret } = await readAccess(options);
  const hasSecrets = files.some(({ secrets = [] }) => secrets.length > 0);
  const output: NewFile = {
    path,
    shownPath: bundle,
    existing: 'replace',
    mode: hasSecrets ? secret.mode : open.mode,
  };
  await checkNewFile(output);
  const listed = files.map(({ path: name, mode }) => ({ name, mode: Number.parseInt(mode, 8) }));
  const own = [CHECKSUMS, MANIFEST].map((name) => ({ name, mode: open.mode }));
  await writeBundle(
    [...listed, ...own].map(({ name, mode }) => ({ name, mode, source: join(folder.path, name) })),
    output,
    { compression: bundle.endsWith('.tar') ? 'none' : 'gzip', time: sourceDate(io) },
  );
}

/** https://reproducible-builds.org/specs/source-date-epoch/: seconds since 1970 (default: 0). */
function sourceDate({ env }: Io): number {
  const text = env['SOURCE_DATE_EPOCH'] ?? '';
  if (text === '') return 0;
  if (/^\d{1,11}$/.test(text)) return Number(text);
  throw new UsageError('SOURCE_DATE_EPOCH is not a number of seconds', {
    hint: 'set it to seconds since 1970, for example SOURCE_DATE_EPOCH=1790000000',
  });
}

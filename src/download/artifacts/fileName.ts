/**
 * Names of downloaded files, taken from URLs. They come from elsewhere, so they must not lead out of the folder, nor make
 * a hidden file, which some program might read as its settings. The name is that of the URL which was asked for: where a
 * server redirects to must not decide what is written (CVE-2016-4971 of wget).
 */

import { CliError } from '../../core/errors.ts';

/**
 * The last part of the path, its escapes as they are.
 * @throws CliError where that is no name for a file
 */
export function fileNameOf(url: URL): string {
  const name = url.pathname.slice(url.pathname.lastIndexOf('/') + 1);
  if (name === '' || name.startsWith('.')) {
    throw new CliError(`The URL does not end in the name of a file: ${url.origin}${url.pathname}`, {
      hint: 'give the URL of an image, such as https://example.com/coreos.iso',
    });
  }
  if (name.length > MAX_NAME) {
    throw new CliError(`The URL ends in too long a name: ${name.slice(0, 80)}…`, {
      hint: 'give the URL of an image',
    });
  }
  return name;
}

/** File systems take 255 bytes, and something is added while the file is not complete. */
const MAX_NAME = 220;

/** The name of what is in a compressed file; undefined where it is none, or an archive, which stays one. */
export function unpackedNameOf(name: string): string | undefined {
  const unpackedName = /^(.+)\.(?:gz|xz|zst)$/.exec(name)?.[1];
  return unpackedName?.endsWith('.tar') === true ? undefined : unpackedName;
}

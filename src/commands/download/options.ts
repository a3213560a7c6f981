/** What `download` and `list-stream` take. */

import {
  choice,
  file,
  toggle,
  folder,
  type OptionsOf,
  parsed,
  freeText,
  withDefault,
} from '../../io/commandLine.ts';
import { parseRetries } from '../../io/optionValues.ts';

const BASE_URL = 'base URL, folder or file of stream metadata (default: Fedora CoreOS)';

export const downloadOptions = {
  '-s, --stream <name>': freeText('stream (default: stable)'),
  '-a, --architecture <name>': freeText('CPU architecture, as printed by uname -m (default: this machine)'),
  '-p, --platform <name>': freeText('platform (default: metal)'),
  '-f, --format <name>': freeText('format: iso, pxe, raw.xz, … (default: raw.xz)'),
  '-u, --image-url <url>': freeText('URL of the image, instead of one from stream metadata'),
  '--sha256 <digest>': freeText('expected SHA-256 of the file at --image-url, instead of a signature'),
  '-C, --directory <path>': withDefault('.', folder('folder for the files, created if missing')),
  '-d, --decompress': toggle('decompress .gz, .xz and .zst files, and do not save the signature'),
  '--insecure': toggle('accept unsigned images'),
  '--gpg-keyring <file>': file('trust only the keys in this file'),
  '--stream-base-url <url>': freeText(BASE_URL, 'file'),
  '--fetch-retries <n>': withDefault('3', parsed(parseRetries, 'number of retries, or infinite')),
};

export const listStreamOptions = {
  '-s, --stream <name>': freeText('stream (default: stable)'),
  '--stream-base-url <url>': freeText(BASE_URL, 'file'),
  '--format <form>': withDefault('text', choice(['text', 'json'], 'output format: text or json')),
};

export type DownloadOptions = OptionsOf<typeof downloadOptions>;
export type ListStreamOptions = OptionsOf<typeof listStreamOptions>;

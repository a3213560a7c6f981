/** Declares `download` and `list-stream`. */

import type { Command } from 'commander';
import type { DownloadOptions } from './download.ts';
import type { ListStreamOptions } from './streams.ts';
import { choice, type Context, EXIT_CODES, declareRun } from '../../io/commandLine.ts';

const BASE_URL = 'base URL, folder or file of stream metadata (default: Fedora CoreOS)';

const DOWNLOAD_NOTES = `
Prints the paths of the files, one per line; messages go to standard error.
While a file is incomplete, its name is NAME.partial, and the next run resumes
it. A file gets its final name after its size, checksum and signature are
verified. Valid files are not fetched again. Without a checksum and a signature,
existing files are not replaced.

Signatures:
  By default, only current Fedora and Red Hat keys are trusted, by fingerprint.
  The keys come from /usr/share/distribution-gpg-keys or /etc/pki/rpm-gpg.
  Otherwise they are fetched once from https://fedoraproject.org/fedora.pgp and
  kept in the cache folder of the user.
  With --gpg-keyring, all keys of that file are trusted, and no others. Use the
  output of "gpg --export", or a file such as RPM-GPG-KEY-redhat-release.
  Metadata without signatures, such as that of RHCOS, is sufficient if it
  contains sha256 checksums and comes from a file or over https. Otherwise pass
  --insecure.

Environment:
  IRONIC_COREOS_STREAM_BASE_URL                 default of --stream-base-url,
                                                for a mirror
  http_proxy, https_proxy, all_proxy, no_proxy  proxies
  NODE_EXTRA_CA_CERTS                           file with more CA certificates

Exit codes:
  0  success: all files exist and are valid
  1  failure: a file cannot be fetched or is invalid
  2  usage error

Examples:
  ISO=$(ironic-coreos download -f iso)
  ironic-coreos download -s testing -f pxe -a aarch64 -C /srv/tftp
  openshift-install coreos print-stream-json > rhcos.json
  ironic-coreos download --stream-base-url rhcos.json -f iso
  ironic-coreos download -u https://example.com/coreos.iso --sha256 DIGEST
`;

const LIST_NOTES = `
The JSON output is {stream, images}. Each image has architecture, platform,
format, release and its files with their URLs and checksums. The variable
IRONIC_COREOS_STREAM_BASE_URL is the default of --stream-base-url.
${EXIT_CODES}
Examples:
  ironic-coreos list-stream -s testing
  ironic-coreos list-stream --stream-base-url rhcos.json --format json
`;

export function declareDownload(command: Command, context: Context): void {
  command
    .description('Download a CoreOS image and verify its checksum and signature')
    .option('-s, --stream <name>', 'stream (default: stable)')
    .option('-a, --architecture <name>', 'CPU architecture, as printed by uname -m (default: this machine)')
    .option('-p, --platform <name>', 'platform (default: metal)')
    .option('-f, --format <name>', 'format: iso, pxe, raw.xz, … (default: raw.xz)')
    .option('-u, --image-url <url>', 'URL of the image, instead of one from stream metadata')
    .option('--sha256 <digest>', 'expected SHA-256 of the file at --image-url, instead of a signature')
    .option('-C, --directory <path>', 'folder for the files, created if missing (default: .)')
    .option('-d, --decompress', 'decompress .gz, .xz and .zst files, and do not save the signature')
    .option('--insecure', 'accept unsigned images')
    .option('--gpg-keyring <file>', 'trust only the keys in this file')
    .option('--stream-base-url <url>', BASE_URL)
    .option('--fetch-retries <n>', 'number of retries, or infinite (default: 3)');
  const run = async (options: DownloadOptions) =>
    (await import('./download.ts')).download(options, context.io);
  declareRun(command, DOWNLOAD_NOTES, run, context);
}

export function declareListStream(command: Command, context: Context): void {
  command
    .description('List the images of a CoreOS stream')
    .option('-s, --stream <name>', 'stream (default: stable)')
    .option('--stream-base-url <url>', BASE_URL)
    .addOption(choice('--format <form>', 'output format: text or json (default: text)', ['text', 'json']));
  const run = async (options: ListStreamOptions) =>
    (await import('./streams.ts')).listStream(options, context.io);
  declareRun(command, LIST_NOTES, run, context);
}

/** Declares `download` and `list-stream`. */

import type { Command } from 'commander';
import type { DownloadOptions } from './download.ts';
import type { ListStreamOptions } from './streams.ts';
import { choice, type Context, EXIT_CODES, declareRun } from '../io/commandLine.ts';

const BASE_URL = 'base URL, folder or file of stream metadata (default: Fedora CoreOS)';

const DOWNLOAD_NOTES = `
The paths of the files are printed. A file gets its name only when its size,
the sha256 of the metadata and its signature are right; until then it is
NAME.partial, and the next run goes on with that. What is there and right is
not fetched again; without sha256 and signature, nothing is replaced.

Signatures:
  Those of the current Fedora and Red Hat keys count, by fingerprint. The keys
  are taken from /usr/share/distribution-gpg-keys or /etc/pki/rpm-gpg, or once
  from https://fedoraproject.org/fedora.pgp, and kept in the cache folder
  of the platform. With --gpg-keyring only its keys count, and
  all of them do: what "gpg --export" writes, or a file such as
  RPM-GPG-KEY-redhat-release.
  Metadata without signatures, as that of RHCOS, suffices if it came by https
  or from a file and has sha256; otherwise --insecure is needed.

Environment:
  http_proxy, https_proxy, all_proxy, no_proxy; NODE_EXTRA_CA_CERTS for more
  authorities.

Exit codes:
  0  all files are there, and right
  1  one cannot be had, or is wrong
  2  the command line is wrong

Examples:
  ironic-coreos download -f iso
  ironic-coreos download -s testing -f pxe -a aarch64 -C /srv/tftp
  openshift-install coreos print-stream-json > rhcos.json
  ironic-coreos download --stream-base-url rhcos.json -f iso
`;

const LIST_NOTES = `
As JSON it is {stream, images}; each image has architecture, platform, format,
release and its files with their URLs and digests.
${EXIT_CODES}
Examples:
  ironic-coreos list-stream -s testing
  ironic-coreos list-stream --stream-base-url rhcos.json --format json
`;

export function declareDownload(command: Command, context: Context): void {
  command
    .description('Downloads a CoreOS image, and checks its digest and its signature.')
    .option('-s, --stream <name>', 'stream (default: stable)')
    .option('-a, --architecture <name>', 'CPU architecture, as uname -m says (default: that of this machine)')
    .option('-p, --platform <name>', 'platform (default: metal)')
    .option('-f, --format <name>', 'format: iso, pxe, raw.xz, … (default: raw.xz)')
    .option('-u, --image-url <URL>', 'the URL of the image, whatever stream it is of')
    .option('-C, --directory <path>', 'folder for the files, made if need be (default: .)')
    .option('-d, --decompress', 'unpack .gz, .xz and .zst, and save no signature')
    .option('--insecure', 'take unsigned images')
    .option('--gpg-keyring <file>', 'trust the keys in this file, and no others')
    .option('--stream-base-url <URL>', BASE_URL)
    .option('--fetch-retries <N>', 'how often to try again, or infinite (default: 3)');
  const run = async (options: DownloadOptions) =>
    (await import('./download.ts')).download(options, context.io);
  declareRun(command, DOWNLOAD_NOTES, run, context);
}

export function declareListStream(command: Command, context: Context): void {
  command
    .description('Lists the images that a stream of CoreOS has.')
    .option('-s, --stream <name>', 'stream (default: stable)')
    .option('--stream-base-url <URL>', BASE_URL)
    .addOption(choice('--format <form>', 'text (default) or json', ['text', 'json']));
  const run = async (options: ListStreamOptions) =>
    (await import('./streams.ts')).listStream(options, context.io);
  declareRun(command, LIST_NOTES, run, context);
}

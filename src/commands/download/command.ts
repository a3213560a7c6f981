/** Declares `download` and `list-stream`. */

import { command } from '../../io/commandLine.ts';
import { downloadOptions, listStreamOptions } from './options.ts';

export const downloadCommand = command({
  description: 'Download a CoreOS image and verify its checksum and signature',
  options: downloadOptions,
  details: `
Prints the paths of the files, one per line; messages go to standard error.
While a file is incomplete, its name is NAME.partial, and the next run resumes
it. A file gets its final name after its size, checksum and signature are
verified. Valid files are not fetched again. Without a checksum and a signature,
existing files are not replaced.

Signatures:
  By default, only current Fedora and Red Hat keys are trusted. The program
  contains them.
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
`,
  exitCodes: {
    0: 'success: all files exist and are valid',
    1: 'failure: a file cannot be fetched or is invalid',
  },
  examples: `
  ISO=$(ironic-coreos download -f iso)
  ironic-coreos download -s testing -f pxe -a aarch64 -C /srv/tftp
  openshift-install coreos print-stream-json > rhcos.json
  ironic-coreos download --stream-base-url rhcos.json -f iso
  ironic-coreos download -u https://example.com/coreos.iso --sha256 DIGEST
`,
  load: async () => (await import('./download.ts')).download,
});

export const listStreamCommand = command({
  description: 'List the images of a CoreOS stream',
  options: listStreamOptions,
  details: `
The JSON output is {stream, images}. Each image has architecture, platform,
format, release and its files with their URLs and checksums. The variable
IRONIC_COREOS_STREAM_BASE_URL is the default of --stream-base-url.
`,
  examples: `
  ironic-coreos list-stream -s testing
  ironic-coreos list-stream --stream-base-url rhcos.json --format json
`,
  load: async () => (await import('./streams.ts')).listStream,
});

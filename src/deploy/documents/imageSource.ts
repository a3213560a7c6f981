/** Another CoreOS than the ramdisk's own, for `install_coreos` to install: `image_source` of Ironic, `image` of Metal3. */

import { parseBootUrl } from '../../boot/urlArgument.ts';
import type { Issue, Rule } from '../../ignition/rule.ts';

export interface InstallImage {
  readonly url: string;
  /** Metal3 only. */
  readonly checksum?: string;
  readonly format?: string;
}

const imageUrl: Rule = {
  id: 'image-url',
  severity: 'error',
  message: 'coreos-installer cannot fetch the image from there',
  hint: 'give the http or https URL of a metal image of CoreOS, …-metal.x86_64.raw.xz',
};
const imageUnverified: Rule = {
  id: 'image-unverified',
  severity: 'warning',
  message:
    'install_coreos does not verify the image: it tells coreos-installer to accept it without a signature',
  hint: "serve it over https from a host that you trust, or leave it out to install the ramdisk's own CoreOS",
};
export const imageSetOnNode: Rule = {
  id: 'image-set-on-node',
  severity: 'warning',
  message: 'the image is not part of the steps: install_coreos reads it from the node',
  hint: 'set it there: baremetal node set NODE --instance-info image_source=URL; --format command writes this too',
};
const imageFormatCoreos: Rule = {
  id: 'image-format-coreos',
  severity: 'error',
  message: `the image format "coreos" of Metal3's design was never implemented`,
  hint: 'leave it out and set customDeploy.method to install_coreos, which is what this command writes',
};
const imageFormat: Rule = {
  id: 'image-format',
  severity: 'error',
  message: 'coreos-installer writes raw images only, which may be compressed',
  hint: 'use raw, and the …-metal… image of CoreOS',
};
const imageChecksum: Rule = {
  id: 'image-checksum',
  severity: 'error',
  message:
    'the operator of Metal3 refuses an image without a checksum, though install_coreos does not use it',
  hint: 'give the SHA-256 or SHA-512 of the image, or the URL of a file with it',
};

/** Paths lead into `ImageSource`. */
export function checkImageSource({ url, format }: InstallImage): readonly Issue[] {
  const isFetchable = /^[!-~]+$/.test(url) && /^https?:/.test(url) && parseBootUrl(url) !== undefined;
  return [
    isFetchable ? { rule: imageUnverified, path: ['url'] } : { rule: imageUrl, path: ['url'] },
    ...checkImageFormat(format),
  ];
}

/** The format alone, which is refused also where no image is given. */
export function checkImageFormat(format: string | undefined): readonly Issue[] {
  if (format === undefined || format === 'raw') return [];
  return [{ rule: format === 'coreos' ? imageFormatCoreos : imageFormat, path: ['format'] }];
}

/** As the webhook of the operator, which knows no other forms of a checksum: digests and URLs. */
export function checkImageChecksum({ checksum = '' }: InstallImage): readonly Issue[] {
  const isDigest = /^(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{128})$/.test(checksum);
  const isUrl = /^https?:\/\/[!-~]+$/.test(checksum) && parseBootUrl(checksum) !== undefined;
  return isDigest || isUrl ? [] : [{ rule: imageChecksum, path: ['checksum'] }];
}

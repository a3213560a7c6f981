/** Declares `inspect`. */

import { command } from '../../io/commandLine.ts';
import { inspectOptions } from './options.ts';

export const inspectCommand = command({
  description: 'Describe an image and what it boots, or compare two images or folders',
  options: inspectOptions,
  details: `
Input:
  IMAGE is a live ISO, an initramfs, an archive to append to an initramfs, an
  Ignition config, or an agent archive (the agent container image as a file).
  It is a file, an http:// or https:// URL, or "-" for standard input. The kind
  is detected from the content. From a URL, only the necessary ranges are
  fetched.

Report:
  The report contains the build and its features, the used and free bytes of the
  reserved areas, kernel arguments that are not the default, embedded and
  appended files, the memory that a host needs, the lines of each file, unit and
  user in the config, and whether the image is unmodified. Secrets are masked,
  and files that may contain one are shown by size and digest. If the config
  loads an agent archive from the medium, its checksum is verified, except for
  images at a URL.

Comparison:
  With OTHER, only the differences are printed, for configs by file, unit and
  user. If one is a live ISO and the other is a config, only the configs are
  compared. Two folders are compared by the paths of their files that end with
  .ign, .iso or .img. To see what a new config would change:
  "render … | inspect DEPLOYED -".
`,
  exitCodes: {
    0: 'success: the image is usable, or the two images are equal',
    1: 'failure: the image is damaged or cannot be read, or the two images differ',
    2: 'usage error, or the two images cannot be compared',
  },
  examples: `
  ironic-coreos inspect ipa.iso
  ironic-coreos inspect --format json ipa.iso | jq .embedArea.free
  ironic-coreos inspect coreos.iso ipa.iso
  ironic-coreos inspect https://192.0.2.1/ipa.iso ironic-agent.ign
  ironic-coreos inspect configs new-configs
`,
  load: async () => (await import('./inspect.ts')).inspect,
});

/** What may be wrong with the archive that the config of an image loads: the agent does not start then. */

import type { Rule } from '../../ignition/rule.ts';

export const archiveMissing: Rule = {
  id: 'image-archive-missing',
  severity: 'warning',
  message:
    "the config loads the agent's image from the medium, which does not have it: the agent does not start",
  hint: 'add it: `iso ignition embed --iso-file FILE:NAME`, with the NAME that the config has',
};
export const archiveOther: Rule = {
  id: 'image-archive-other',
  severity: 'warning',
  message: 'the archive on the medium is another one than the config loads: the agent does not start',
  hint: 'take it out with `iso reset`, and add the one that the config was rendered with',
};
export const archiveUnreadable: Rule = {
  id: 'image-archive-unreadable',
  severity: 'warning',
  message: "the archive of the agent's image cannot be loaded",
  hint: 'make it again: podman save --format oci-archive -o FILE IMAGE',
};

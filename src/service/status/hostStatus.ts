/** What a service knows of a host, for its row on the status page. */

import type { Diagnostic } from '../../core/finding.ts';
import type { ArtifactKind } from '../../core/artifacts.ts';
import type { HostRefusal } from '../refusals.ts';
import type { ImageProgress } from '../../http/server/answer/transfers.ts';

/** What is known of a host of the inventory, or of a PreprovisioningImage. */
export interface HostSummary {
  readonly name: string;
  readonly macs: readonly string[];
  readonly architecture: string | undefined;
  /** The stream of its images; undefined for images without a stream. */
  readonly stream: string | undefined;
  /** Since when it is invalid, while its last valid plan is served; undefined otherwise. */
  readonly staleSince: Date | undefined;
  /** Warnings and errors of its inventory entry and its config. */
  readonly messages: readonly Diagnostic[];
}

export interface HostStatus extends HostSummary {
  /** The last of its requests that were answered with 401 or 404. */
  readonly refusal?: HostRefusal | undefined;
  /** Called for all hosts when they are filtered. */
  readonly progress: () => readonly ImageProgress[];
  /** The files of the host; called only for hosts on the page, as signing URLs takes time. */
  readonly images: () => readonly ImageStatus[];
}

export interface ImageStatus {
  /** In the catalog: `worker-0.iso`. */
  readonly path: string;
  readonly artifact: ArtifactKind;
  /** Signed URL: anyone who has it can fetch the image. */
  readonly url: string;
}

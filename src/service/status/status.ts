/** The data of the status page. */

import type { ServiceFacts } from './document.ts';
import type { Diagnostic } from '../../core/finding.ts';
import type { ArtifactKind } from '../../core/artifacts.ts';
import type { HostRefusal } from '../refusals.ts';
import type { ImageProgress, TransferEvent } from '../../http/server/answer/transfers.ts';

export interface Status {
  /** The command that runs the service. */
  readonly command: string;
  /** What is loaded, as a noun: `inventory`. */
  readonly inputs: string;
  readonly service: ServiceFacts & { readonly transfers: number };
  /** Why the last reload failed; undefined if it succeeded. */
  readonly loadError: Diagnostic | undefined;
  /** As schemas/serve-status.json describes them. */
  readonly baseImages: readonly object[];
  /** In display order. */
  readonly hosts: readonly HostStatus[];
  /** Progress of the shared files. */
  readonly shared: readonly ImageProgress[];
  /** Finished transfers, the newest first. */
  readonly recent: readonly TransferEvent[];
}

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

/** The data of the status page. */

import type { Diagnostic } from '../../core/finding.ts';
import type { ArtifactKind } from '../../core/artifacts.ts';
import type { HostRefusal } from '../refusals.ts';
import type { ImageProgress, TransferEvent } from '../../http/server/answer/transfers.ts';

export interface Status {
  /** The command that runs the service. */
  readonly command: string;
  /** What is loaded, as a noun: `inventory`. */
  readonly inputs: string;
  readonly service: ServiceStatus;
  readonly baseImages: readonly BaseStatus[];
  /** In display order. */
  readonly hosts: readonly HostStatus[];
  /** Progress of the shared files. */
  readonly shared: readonly ImageProgress[];
  /** Finished transfers, the newest first. */
  readonly recent: readonly TransferEvent[];
}

interface ServiceStatus {
  readonly version: string;
  readonly now: Date;
  readonly started: Date;
  /** When the current inputs were loaded. */
  readonly loaded: Date;
  /** Why the last reload failed; undefined if it succeeded. */
  readonly loadError: Diagnostic | undefined;
  /** Client connections, including idle ones. */
  readonly connections: number;
  /** Number of running transfers. */
  readonly transfers: number;
}

/** A base image. */
interface BaseStatus {
  readonly name: string;
  readonly architecture: string;
  /** Undefined for the default. */
  readonly stream: string | undefined;
  readonly size: number;
  /** SHA-256 in hexadecimal digits. */
  readonly digest: string;
  /** The CoreOS build: `418.94.202501221327-0`. */
  readonly build: string | undefined;
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

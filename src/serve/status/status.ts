/** What the status page shows, as whoever runs the service knows it. */

import type { Diagnostic } from '../../core/diagnostic.ts';
import type { ImageProgress } from '../answer/imageFetches.ts';
import type { Artifact } from '../answer/resource.ts';
import type { TransferEvent } from '../answer/transfers.ts';

export interface Status {
  readonly service: ServiceStatus;
  readonly bases: readonly BaseStatus[];
  /** In the order in which they are to be listed. */
  readonly hosts: readonly HostStatus[];
  /** What was fetched of that which all hosts share. */
  readonly shared: readonly ImageProgress[];
  /** The newest one first. */
  readonly recent: readonly TransferEvent[];
}

export interface ServiceStatus {
  readonly version: string;
  readonly now: Date;
  readonly started: Date;
  /** When the inventory was read that is served. */
  readonly loaded: Date;
  /** Why a younger inventory is not served. */
  readonly loadError: string | undefined;
  /** Of clients, idle ones too. */
  readonly connections: number;
  /** Transfers that run now. */
  readonly transfers: number;
}

/** An image that those of the hosts are made from. */
export interface BaseStatus {
  readonly name: string;
  readonly architecture: string;
  readonly size: number;
  /** SHA-256 in hexadecimal digits. */
  readonly digest: string;
  /** Of CoreOS: `418.94.202501221327-0`. */
  readonly build: string | undefined;
}

export interface HostStatus {
  readonly name: string;
  readonly macs: readonly string[];
  readonly architecture: string | undefined;
  /** About its entry in the inventory and its config. */
  readonly findings: readonly Diagnostic[];
  /** Asked of all hosts when they are filtered. */
  readonly progress: () => readonly ImageProgress[];
  /** What can be fetched; asked only of hosts that are shown, as signing URLs takes time. */
  readonly images: () => readonly ImageStatus[];
}

export interface ImageStatus {
  /** In the catalog: `worker-0.iso`. */
  readonly path: string;
  readonly artifact: Artifact;
  /** Bytes; undefined as long as nobody has asked for the image. */
  readonly size: number | undefined;
  /** That whoever holds it can fetch the image with. */
  readonly url: string;
}

/**
 * What a ramdisk was seen to do on its way to Ironic, by whoever saw it: the image service, the part of Ironic's API that
 * `try` plays, the emulated machine, or `try` itself that asked the agent back.
 */

import type { Artifact } from '../serve/resource.ts';
import type { TransferOutcome } from '../serve/transfers.ts';

export type TrialEvent =
  | FetchEvent
  | RefusalEvent
  | ApiEvent
  | LookupEvent
  | InspectionEvent
  | HeartbeatEvent
  | CallbackEvent
  | MachineEvent;

interface SeenFrom {
  readonly at: Date;
  /** Address of the client, without its port. */
  readonly client: string;
}

/** Bytes of an image, a script or a config went to a machine. */
export interface FetchEvent extends SeenFrom {
  readonly kind: 'fetch';
  readonly artifact: Artifact;
  /** Whose it is, by its name in the inventory; undefined for what all hosts share. */
  readonly host: string | undefined;
  /** In the catalog: `worker-0.iso`. */
  readonly path: string;
  /** `began` once for each client and path; the others when a transfer is over. */
  readonly outcome: 'began' | TransferOutcome;
  /** Different bytes that this client has of it so far. */
  readonly bytes: number;
  /** Of the whole. */
  readonly size: number;
}

/** A request that got no answer of use: a TLS handshake that failed, a path or method that Ironic does not have. */
export interface RefusalEvent extends SeenFrom {
  readonly kind: 'refusal';
  readonly problem:
    | { readonly kind: 'tls'; /** `tlsv1 alert unknown ca` */ readonly reason: string }
    /** HTTP that was spoken to a port that speaks TLS. */
    | { readonly kind: 'plain-http' }
    /** TLS that was spoken to a port that speaks HTTP. */
    | { readonly kind: 'tls-to-http' }
    | { readonly kind: 'path'; readonly method: string; readonly path: string }
    | { readonly kind: 'request'; readonly status: number; readonly message: string };
}

/** `GET /` or `GET /v1`: the agent asks which versions of the API there are. */
export interface ApiEvent extends SeenFrom {
  readonly kind: 'api';
  /** Of the HTTP client. */
  readonly userAgent: string | undefined;
}

export interface LookupEvent extends SeenFrom {
  readonly kind: 'lookup';
  /** In lower case with colons, as far as they are MAC addresses. */
  readonly macs: readonly string[];
  /** UUID of the node that the answer names; undefined where the request was refused. */
  readonly node: string | undefined;
  /**
   * Whether the answer held the agent token: `masked` where the node's has been told before, so that an agent without it
   * gives up; `none` for agents of before 2020.
   */
  readonly token?: 'told' | 'masked' | 'none';
  /** Why it was refused. */
  readonly problem: string | undefined;
}

/** The inventory that the agent collected. */
export interface InspectionEvent extends SeenFrom {
  readonly kind: 'inspection';
  /** Which service it was meant for: Ironic's `/v1/continue_inspection`, or the inspector's `/v1/continue`. */
  readonly service: 'ironic' | 'inspector';
  readonly macs: readonly string[];
  /** UUID; undefined where the request was refused. */
  readonly node: string | undefined;
  /** One line for people: vendor, processors, memory, disks. */
  readonly summary: string | undefined;
  /** What collectors of the agent could not find out, in its own words, or why the request was refused. */
  readonly problem: string | undefined;
}

export interface HeartbeatEvent extends SeenFrom {
  readonly kind: 'heartbeat';
  readonly node: string;
  readonly callbackUrl: string | undefined;
  readonly agentVersion: string | undefined;
  /** Whether the request brought the token that lookup had given; `unknown` where nobody can tell. */
  readonly token: 'right' | 'wrong' | 'missing' | 'unknown';
  /** Why it was refused; undefined where it was taken. */
  readonly problem: string | undefined;
}

/** What came of asking the agent back at its callback URL. */
export interface CallbackEvent extends SeenFrom {
  readonly kind: 'callback';
  readonly node: string;
  readonly url: string;
  /** Undefined where it answered. */
  readonly problem: string | undefined;
  /** Hardware managers and the commands it has run, where it answered. */
  readonly summary: string | undefined;
}

/** Of the machine that `try --qemu` runs. */
export interface MachineEvent {
  readonly kind: 'machine';
  readonly at: Date;
  readonly client: undefined;
  /** Its MAC address. */
  readonly mac: string;
  readonly state: 'started' | 'rebooted' | 'powered off' | 'failed';
  readonly problem: string | undefined;
}

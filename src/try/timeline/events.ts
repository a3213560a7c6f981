/**
 * What a ramdisk was seen to do on its way to Ironic, by whoever saw it: the image service, the part of Ironic's API that
 * `try` plays, the emulated machine, or `try` itself that asked the agent back.
 */

import type { RefusalReason } from '../ironic/messages.ts';
import type { Artifact } from '../../serve/answer/resource.ts';
import type { TransferOutcome } from '../../serve/answer/transfers.ts';

export type TrialEvent =
  | FetchEvent
  | RefusalEvent
  | ApiEvent
  | LookupEvent
  | InspectionEvent
  | HeartbeatEvent
  | CallbackEvent
  | MachineEvent
  | PreflightEvent;

/** A copy of an event with other texts. `change` is given each text and the name of its field. */
export function mapTexts<T>(value: T, change: (text: string, name: string) => string, name?: string): T;
export function mapTexts(value: unknown, change: (text: string, name: string) => string, name = ''): unknown {
  if (typeof value === 'string') return change(value, name);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, change, name));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, mapTexts(member, change, key)]),
  );
}

/** What an event says besides when and of whom. */
export type FactsOf<E extends TrialEvent> = Omit<E, 'kind' | keyof SeenFrom>;

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
    | {
        readonly kind: 'path';
        readonly method: string;
        readonly path: string;
        /** Whether its body is what an agent has collected. */
        readonly hasInventory?: boolean;
        /** Of the HTTP client. */
        readonly userAgent?: string | undefined;
      }
    | {
        readonly kind: 'request';
        readonly status: number;
        readonly message: string;
        /** Left out where it is no request of HTTP that Ironic could look into. */
        readonly reason?: RefusalReason;
      };
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
   * Whether the answer held the agent token: `masked` where Ironic does not tell it, so that an agent without it gives up;
   * `none` for agents of before 2020, and where the request was refused.
   */
  readonly token: 'told' | 'masked' | 'none';
  /** Whether the boot medium brings the token; else a masked one was told before. */
  readonly hasOwnToken: boolean;
  /** Why it was refused, for people. */
  readonly problem: string | undefined;
  /** The same for programs. */
  readonly reason: RefusalReason | undefined;
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
  /** For people: why it was refused, or what collectors could not find out, or why it was not saved. */
  readonly problem: string | undefined;
  /** Why it was refused. */
  readonly reason: RefusalReason | undefined;
  /** Whether it has gaps: collectors of the agent say that they have failed. */
  readonly hasGaps: boolean;
}

export interface HeartbeatEvent extends SeenFrom {
  readonly kind: 'heartbeat';
  readonly node: string;
  readonly callbackUrl: string | undefined;
  readonly agentVersion: string | undefined;
  /** Whether the request brought the token that lookup had given; `unknown` where nobody can tell. */
  readonly token: 'right' | 'wrong' | 'missing' | 'unknown';
  /** Why it was refused, for people; undefined where it was taken. */
  readonly problem: string | undefined;
  /** The same for programs. */
  readonly reason: RefusalReason | undefined;
}

/** What came of asking the agent back at its callback URL. */
export interface CallbackEvent extends SeenFrom {
  readonly kind: 'callback';
  readonly node: string;
  readonly url: string;
  /** For people; undefined where it answered. */
  readonly problem: string | undefined;
  /** The same for programs. */
  readonly reason: CallbackReason | undefined;
  /** Hardware managers and the commands it has run, where it answered. */
  readonly summary: string | undefined;
}

/** Why an agent did not answer when it was asked back. */
export type CallbackReason =
  /** It was not asked: its URL names another address than its heartbeat came from. */
  | 'other-address'
  /** There is no connection. */
  | 'unreachable'
  /** A connection, but no TLS. */
  | 'tls'
  /** The certificate of the heartbeat, which is not valid at this time by the clock of this machine. */
  | 'certificate-time'
  /** The certificate of the heartbeat, which is for another address than the URL has. */
  | 'certificate-name'
  /** Another certificate than the heartbeat named. */
  | 'certificate-other'
  /** The heartbeat named no certificate, and the authorities of this system do not vouch for it. */
  | 'certificate-untrusted'
  /** Something answers, and not as an agent does that knows its token. */
  | 'answer';

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

/** The image of `try --qemu` has no config with which its agent calls here, so the machine is not started. */
export interface PreflightEvent {
  readonly kind: 'preflight';
  readonly at: Date;
  readonly client: undefined;
  /** MAC address of the machine. */
  readonly mac: string;
  readonly problem:
    /** `message` is a clause: no config is in it, or none that can be read. */
    | { readonly kind: 'no-config'; readonly message: string }
    | {
        readonly kind: 'other-ironic';
        /** That the config names; none where it runs no agent, or names no Ironic. */
        readonly urls: readonly string[];
        /** Where Ironic is for the machine. */
        readonly here: string;
        /** What makes the two the same: one action. */
        readonly fix: string;
      };
}

/**
 * Events of a machine during a trial. Their sources are the image server, the mock Ironic API, the emulated machine, and the
 * callback checks.
 */

import type { RefusalReason } from '../ironic/messages.ts';
import type { ArtifactKind } from '../../core/artifacts.ts';
import type { TransferOutcome } from '../../http/server/answer/transfers.ts';
import type { HandshakeProblem } from '../../http/server/server.ts';
import type { Stage } from './stage.ts';

export type TrialEvent =
  | FetchEvent
  | RefusalEvent
  | ApiEvent
  | LookupEvent
  | InspectionEvent
  | HeartbeatEvent
  | CallbackEvent
  | StepsEvent
  | MachineEvent
  | ConsoleEvent
  | BmcEvent;

export type EventOf<Kind extends TrialEvent['kind']> = Events[Kind];

type Events = { readonly [Kind in TrialEvent['kind']]: Extract<TrialEvent, { readonly kind: Kind }> };

/** One function for each kind of event. */
export type ByKind<Result> = { readonly [Kind in keyof Events]: (event: Events[Kind]) => Result };

/** Calls the function for the kind of the event. */
export function byKind<Kind extends keyof Events, Result>(
  functions: ByKind<Result>,
  event: Events[Kind] & { readonly kind: Kind },
): Result {
  return functions[event.kind](event);
}

/** Copies an event and changes its texts. `change` gets each text and the name of its field. */
export function mapTexts<T>(value: T, change: (text: string, name: string) => string, name?: string): T;
export function mapTexts(value: unknown, change: (text: string, name: string) => string, name = ''): unknown {
  if (typeof value === 'string') return change(value, name);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, change, name));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, mapTexts(member, change, key)]),
  );
}

interface SeenFrom {
  readonly at: Date;
  /** Address of the client, without its port. */
  readonly client: string;
}

/** A request of an agent to Ironic. */
interface AgentRequest extends SeenFrom {
  /**
   * Text: why it was refused, or for an accepted inventory, which collectors failed and why it was not saved. Otherwise
   * undefined.
   */
  readonly problem: string | undefined;
  /** The id of the cause; undefined if it was accepted, or if this is no fault of the machine. */
  readonly reason: RefusalReason | undefined;
}

/** A request to an agent at its callback URL. */
interface RequestToAgent extends SeenFrom {
  readonly node: string;
  readonly url: string;
  /** Text; undefined if the agent answered, and has all required steps. */
  readonly problem: string | undefined;
  readonly reason: CallbackReason | undefined;
}

/** An event that no client causes. */
interface WithoutClient {
  readonly at: Date;
  readonly client: undefined;
}

/** A machine fetches an image, a script or a config. */
export interface FetchEvent extends SeenFrom {
  readonly kind: 'fetch';
  readonly artifact: ArtifactKind;
  /** The host of the file, by its name in the inventory; undefined for shared files. */
  readonly host: string | undefined;
  /** Path in the catalog: `worker-0.iso`. */
  readonly path: string;
  /** `began` when a client begins to fetch a file, and while it fetches; the outcome of the transfer when it ends. */
  readonly outcome: 'began' | TransferOutcome;
  /** Number of different bytes that this client has fetched so far. */
  readonly bytes: number;
  readonly size: number;
}

/** A failed TLS handshake, or a request that Ironic does not support or refuses, or for a file that is not served. */
export interface RefusalEvent extends SeenFrom {
  readonly kind: 'refusal';
  /** The host of the file, by its name in the inventory; undefined for other requests. */
  readonly host?: string | undefined;
  readonly problem:
    | HandshakeProblem
    | {
        readonly kind: 'path';
        readonly method: string;
        readonly path: string;
        /** Whether its body is the inventory of an agent. */
        readonly hasInventory?: boolean;
        readonly userAgent?: string | undefined;
      }
    | {
        readonly kind: 'file';
        /** A clause: `requested worker-0.iso without a key in the URL (status 401)`. */
        readonly message: string;
        /** How to fix exactly this; an imperative. */
        readonly hint: string;
      }
    /** The server could not parse the HTTP request. */
    | { readonly kind: 'request'; readonly status: number; readonly message: string };
}

/** `GET /`: the agent requests the API versions. */
export interface ApiEvent extends SeenFrom {
  readonly kind: 'api';
  readonly userAgent: string | undefined;
}

export interface LookupEvent extends AgentRequest {
  readonly kind: 'lookup';
  /** Valid MAC addresses are in lower case with colons. */
  readonly macs: readonly string[];
  /** UUID of the node in the response; undefined if the request was refused. */
  readonly node: string | undefined;
  /**
   * Agent token in the response: `sent`; `masked` if Ironic does not return it, so that an agent without it stops; `none` if the
   * request was refused.
   */
  readonly token: 'sent' | 'masked' | 'none';
}

export interface InspectionEvent extends AgentRequest {
  readonly kind: 'inspection';
  readonly macs: readonly string[];
  /** UUID; undefined if the request was refused. */
  readonly node: string | undefined;
  /** One line: vendor, processors, memory, disks. */
  readonly summary: string | undefined;
  /** What the host expects otherwise, as clauses. */
  readonly differences: readonly string[];
  /** Whether collectors of the agent failed. */
  readonly isIncomplete: boolean;
}

export interface HeartbeatEvent extends AgentRequest {
  readonly kind: 'heartbeat';
  readonly node: string;
  readonly callbackUrl: string | undefined;
  readonly agentVersion: string | undefined;
  /** Whether the request contains the token of the lookup; `unknown` for unknown nodes. */
  readonly token: 'valid' | 'invalid' | 'missing' | 'unknown';
}

/** The result of a request to the agent at its callback URL. */
export interface CallbackEvent extends RequestToAgent {
  readonly kind: 'callback';
  /** Version of the agent and the commands it has run, if it answered. */
  readonly summary: string | undefined;
}

/** The result of asking the agent for its hardware managers and steps, after it has answered at its callback URL. */
export interface StepsEvent extends RequestToAgent {
  readonly kind: 'steps';
  /** Empty if the agent did not report them. */
  readonly managers: readonly ReportedManager[];
  /** Required steps that the agent does not have. */
  readonly missing: readonly string[];
}

/** A plugin of the agent, which implements steps. */
export interface ReportedManager {
  /** Its class: `GenericHardwareManager`. */
  readonly name: string;
  readonly version: string | undefined;
  /** If several hardware managers have the same step, only the one that the agent would use lists it. */
  readonly steps: readonly AgentStep[];
}

export interface AgentStep {
  readonly type: 'clean' | 'deploy';
  /** `erase_devices` */
  readonly step: string;
  /** Interface of Ironic's driver: `deploy`, `raid`, … */
  readonly interface: string | undefined;
  /** Steps with the priority 0 run only on request. */
  readonly priority: number;
}

/** Why an agent did not answer at its callback URL, or did not report the required steps: the id of a cause. */
export type CallbackReason =
  | `callback-${'address' | 'unreachable' | 'tls' | 'clock' | 'name' | 'other-certificate' | 'untrusted' | 'answer'}`
  | `steps-${'busy' | 'unsupported' | 'failed' | 'answer'}`
  | 'step-missing';

/** A state change of the machine of `try --qemu`. */
export interface MachineEvent extends WithoutClient {
  readonly kind: 'machine';
  readonly mac: string;
  readonly state: 'started' | 'rebooted' | 'powered off' | 'failed';
  readonly problem: string | undefined;
}

/** A line on the console of a machine. */
export interface ConsoleEvent extends WithoutClient {
  readonly kind: 'console';
  /** Name of the host. */
  readonly host: string;
  /** Id of the line in `console-lines.yaml`; undefined for a line that is not recognized. */
  readonly sign: string | undefined;
  /** The stage that the line shows. */
  readonly stage: Stage | undefined;
  /** The line, or the part of it that matters. */
  readonly line: string;
  /** For a line that is not recognized: the last lines that may say why the machine stopped, the latest one last. */
  readonly lastLines?: readonly string[];
}

/** A step of `boot` at the BMC of a machine. */
export interface BmcEvent extends WithoutClient {
  readonly kind: 'bmc';
  /** Name of the host. */
  readonly host: string;
  /** `failed`: the machine cannot be booted. `restored`: a part of its former state. */
  readonly step: 'media' | 'boot device' | 'power on' | 'power off' | 'restored' | 'failed';
  /** A clause: `inserted the ISO into slot 1`. */
  readonly text: string;
  /** For `failed`: the id of the cause. */
  readonly reason?: 'bmc-not-fetched' | 'bmc-refused' | undefined;
  /** For `failed`: how to fix exactly this; an imperative. */
  readonly hint?: string | undefined;
}

/** Why Ironic refuses a request of a ramdisk: what a cause that is called proven rests on, so each says one thing. */

export type RefusalReason =
  /** The version of the API that the request names does not have what it asks for, or does not exist. */
  | 'api-version'
  /** The request names no version of the API, and the oldest one, which counts then, does not have what it asks for. */
  | 'no-api-version'
  /** A query or a body that is not as the API defines it. */
  | 'arguments'
  | 'body-too-large'
  /** The body did not arrive as a whole. */
  | 'body-cut'
  | 'not-json'
  /** There is a list of MAC addresses or interfaces, and no usable MAC address in it. */
  | 'no-macs'
  /** Its MAC addresses are those of several nodes. */
  | 'several-nodes'
  /** It names a node that does not exist. */
  | 'unknown-node'
  | 'token-missing'
  | 'token-wrong'
  | 'no-callback-url'
  /** The node has sent another callback URL since it was booted. */
  | 'callback-changed'
  /** The callback URL is plain HTTP. */
  | 'callback-without-tls'
  /** Neither the version of the agent nor its status is in the heartbeat. */
  | 'no-agent-version'
  /** Too much is known or on its way: nothing is wrong with the request. */
  | 'busy';

/** Which version of the API a request is answered in. */
export interface ApiVersion {
  readonly minor: number;
  /** Whether the request names it; else it is the oldest one. */
  readonly isNamed: boolean;
}

/** Why a request is refused whose version does not have what it asks for. */
export function versionReason({ isNamed }: ApiVersion): 'api-version' | 'no-api-version' {
  return isNamed ? 'api-version' : 'no-api-version';
}

/** The clause for it: `it names version 1.21 of the API, which has no lookup`. */
export function versionProblem({ isNamed, minor }: ApiVersion, missing: string): string {
  return isNamed
    ? `it names version 1.${minor} of the API, which has no ${missing}`
    : `it names no version of the API (X-OpenStack-Ironic-API-Version), and version 1.${minor} has no ${missing}`;
}

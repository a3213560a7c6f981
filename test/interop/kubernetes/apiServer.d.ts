/** See apiServer.js. */

export interface ApiServer {
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  /** PEM of the authority that vouches for its certificate. */
  readonly authority: string;
  /** Of a user who may do everything (`system:masters`). */
  readonly adminToken: string;
  /** Of the same user: paths of PEM files. */
  readonly adminFiles: { readonly certificate: string; readonly key: string };
  /** Asks as the admin; throws for what is no success. PATCH is a merge patch. */
  readonly ask: (method: string, path: string, body?: unknown) => Promise<unknown>;
  /** A token of a service account, which is made where it is not there, and may nothing until a role is bound to it. */
  readonly createToken: (
    account: { readonly namespace: string; readonly name: string },
    seconds?: number,
  ) => Promise<string>;
  /** @returns its path, in a folder that goes with the server */
  readonly writeKubeconfig: (name: string, token: string) => string;
  /** All that were answered so far, from its audit log. */
  readonly requests: () => LoggedRequest[];
  /** Ends the API server, and leaves its data. Default: SIGKILL. */
  readonly down: (signal?: NodeJS.Signals) => Promise<void>;
  /** Starts it again on the same port; resolves when it is ready. */
  readonly up: () => Promise<void>;
  /** Leaves nothing behind. */
  readonly stop: () => Promise<void>;
}

export interface LoggedRequest {
  /** `system:serviceaccount:NAMESPACE:NAME` */
  readonly user: string;
  /** As roles name it: `get`, `list`, `watch`, `create`, `patch`, `delete`. */
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly status: number;
  /** A watch has two: `ResponseStarted`, `ResponseComplete`. */
  readonly stage: string;
  readonly userAgent: string;
}

/** Needs the programs that `fetch.js` builds. */
export function startApiServer(): Promise<ApiServer>;

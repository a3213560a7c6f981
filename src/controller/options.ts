/** The options of `controller`, under the names of the command line. */

import type { ImageOptions } from '../hosts/plan/imageInputs.ts';
import type { ServeOptions } from '../serve/options.ts';

/** Those of `serve` that say how it listens, and to whom it answers. */
type ServiceOptions = Pick<
  ServeOptions,
  | 'listen'
  | 'publicUrl'
  | 'keyFile'
  | 'tokenFile'
  | 'tlsCert'
  | 'tlsKey'
  | 'clientCa'
  | 'cache'
  | 'maxConnections'
  | 'grace'
  | 'idleTimeout'
  | 'log'
>;

export interface ControllerOptions extends ServiceOptions, ImageOptions {
  /** A file, `configmap/NAME` or `secret/NAME`; without it the environment says everything. */
  readonly settings?: string;
  readonly profile?: string;
  /** Each `FILE` or `ARCHITECTURE=FILE`. */
  readonly agentArchive?: readonly string[];
  readonly grow?: boolean;

  /** Undefined and empty for all. */
  readonly namespace?: string;
  readonly kubeconfig?: string;
  /** `NAME`, or `NAMESPACE/NAME`. */
  readonly lease?: string;
  /** False where this is the only replica, and never another. */
  readonly leaderElection?: boolean;
  /** For load balancers to look elsewhere: `5s`. */
  readonly drainTime?: string;
}

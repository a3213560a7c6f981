/** The options of `serve`, under the names of the command line. */

import type { ImageOptions } from '../hosts/plan/imageInputs.ts';

export interface ServeOptions extends ImageOptions {
  readonly inventory?: string;
  /** A folder of nmstate files, one a host: what the image-customization-controller's static server takes. */
  readonly nmstateDir?: string;
  readonly profile?: string;
  /** `ADDRESS:PORT`. */
  readonly listen?: string;
  /** Under which others reach the server. */
  readonly publicUrl?: string;
  readonly artifacts?: string;
  /** Each `FILE` or `ARCHITECTURE=FILE`. */
  readonly agentArchive?: readonly string[];
  readonly discovery?: boolean;
  readonly grow?: boolean;
  readonly failFast?: boolean;
  /** One host, until it has fetched an image. */
  readonly once?: string;

  readonly keyFile?: string;
  readonly tokenFile?: string;
  /** How long printed URLs are valid: `12h`. */
  readonly expires?: string;
  /** Without any credential. */
  readonly open?: boolean;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly clientCa?: string;

  /** Mebibytes for images in memory. */
  readonly cache?: string;
  readonly maxConnections?: string;
  /** Seconds. */
  readonly grace?: string;
  /** Seconds without progress. */
  readonly idleTimeout?: string;
  readonly log?: string;
  readonly format?: string;
}

/** The options of `serve`, under the names of the command line. */

import type { ImageOptions } from '../../hosts/plan/imageInputs.ts';

/** The options that `controller` has, too. */
export interface ServiceOptions extends ImageOptions {
  readonly profile?: string;
  /** `ADDRESS:PORT`. */
  readonly listen?: string;
  /** The base URL under which other machines reach the server. */
  readonly publicUrl?: string;
  /** Each `FILE` or `ARCHITECTURE=FILE`. */
  readonly agentArchive?: readonly string[];
  readonly grow?: boolean;

  readonly keyFile?: string;
  readonly tokenFile?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly clientCa?: string;
  /** Mebibytes of memory for cached images. */
  readonly cache?: string;
  readonly maxConnections?: string;
  /** For one client address. */
  readonly maxPerClient?: string;
  /** Seconds. */
  readonly grace?: string;
  /** Seconds without progress. */
  readonly idleTimeout?: string;
  readonly log?: string;
}

export interface ServeOptions extends ServiceOptions {
  readonly inventory?: string;
  /** A folder with one nmstate file per host, as for the static server of image-customization-controller. */
  readonly nmstateDir?: string;
  readonly artifacts?: string;
  /** For `dnsmasq.conf`: `FIRST,LAST` or `ADDRESS,proxy`. */
  readonly dhcpRange?: string;
  readonly discovery?: boolean;
  readonly failFast?: boolean;
  /** Serves only this host, until it has fetched an image. */
  readonly once?: string;
  /** How long printed URLs are valid: `12h`. */
  readonly expires?: string;
  /** Serves all files without authentication. */
  readonly open?: boolean;
  readonly format?: string;
}

/** What the command line of `render` says, before any of it is checked. */

/** The flags as commander gives them. */
export interface RenderOptions {
  readonly apiUrl?: string;
  readonly inspectionCallbackUrl?: string;
  readonly insecure?: boolean;
  readonly caFile?: string;
  readonly agentImage?: string;
  readonly pullSecret?: string;
  readonly insecureRegistry?: boolean;
  readonly option?: readonly string[];
  readonly conf?: string;
  readonly sshKey?: readonly string[];
  readonly noSshKey?: boolean;
  readonly hostname?: string;
  readonly ntpServer?: readonly string[];
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  readonly noProxy?: string;
  readonly output?: string;
  readonly pretty?: boolean;
  readonly host?: string;
  readonly registry?: string;
  readonly tls?: 'off' | 'on' | 'insecure';
}

/** Says something that does not keep the config from being rendered. */
export type Warn = (message: string, hint?: string) => void;

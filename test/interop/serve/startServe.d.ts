/** See startServe.js. */

export interface ServeProcess {
  readonly pid: number;
  /** What is printed on standard output. */
  readonly boot: Readonly<Record<string, string>>;
  readonly hosts: readonly {
    readonly name: string;
    readonly urls: Readonly<Record<string, string>>;
  }[];
  /** The URL of an artifact of a host; throws where there is none. */
  readonly url: (host: string, artifact: string) => string;
  /** Of standard error so far. */
  readonly events: () => readonly ServeEvent[];
  /** Resolves with the first one that fits, that has come or will come. */
  readonly whenEvent: (fits: (event: ServeEvent) => boolean) => Promise<ServeEvent>;
  readonly signal: (name: NodeJS.Signals) => void;
  /** The exit code; null after it was killed. */
  readonly ended: Promise<number | null>;
  /** What it has used so far; Linux alone tells. */
  readonly usage: () => ServeUsage;
}

export interface ServeUsage {
  /** Seconds of the processor. */
  readonly cpu: number;
  /** Mebibytes at the most. */
  readonly peak: number;
}

/** A line of the log. */
export type ServeEvent = Readonly<Record<string, unknown>> & { readonly event: string };

export interface ServeSurroundings {
  readonly cwd: string;
  /** Besides PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
  /** For node. */
  readonly nodeOptions?: readonly string[];
  /** The limit of open files. */
  readonly descriptors?: number;
  /** The program, and its arguments, that starts node with what follows. */
  readonly runner?: readonly string[];
}

/** Resolves when the URLs are printed; throws with what was said where it ends before. */
export function startServe(args: readonly string[], surroundings: ServeSurroundings): Promise<ServeProcess>;

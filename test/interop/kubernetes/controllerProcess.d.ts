/** See controllerProcess.js. */

export interface ControllerProcess {
  /** All that it has said so far. */
  readonly said: () => string;
  readonly signal: (name: NodeJS.Signals) => void;
  /** Its exit code. */
  readonly ended: Promise<number | null>;
  /** MiB at most so far, and seconds of the processor. */
  readonly usage: () => { readonly peak: number; readonly cpu: number };
}

/** Resolves when somebody leads. Needs `npm run build`. */
export function startControllerProcess(args: readonly string[], cwd: string): Promise<ControllerProcess>;

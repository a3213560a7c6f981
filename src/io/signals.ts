/** What the system asks a service to do. */

export interface Signals {
  /** Resolves with the next SIGTERM or SIGINT. */
  nextStop(): Promise<void>;
  /** From then on signals do again what they do by themselves. */
  ignore(): void;
}

/** @param reload for SIGHUP; on Windows, which sends that when the window is closed, it ends the service as well */
export function listenToSignals(reload: () => void): Signals {
  const waiting: (() => void)[] = [];
  const stop = (): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  const listeners: readonly (readonly [signal: NodeJS.Signals, listener: () => void])[] = [
    ['SIGTERM', stop],
    ['SIGINT', stop],
    ['SIGHUP', process.platform === 'win32' ? stop : reload],
  ];
  for (const [signal, listener] of listeners) process.on(signal, listener);
  return {
    nextStop: () => new Promise((resolve) => void waiting.push(resolve)),
    ignore: () => {
      for (const [signal, listener] of listeners) process.off(signal, listener);
    },
  };
}

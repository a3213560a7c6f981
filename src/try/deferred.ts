/** A promise that is resolved from outside, as `Promise.withResolvers` of Node 22 makes it. */

export interface Deferred {
  readonly promise: Promise<void>;
  resolve(): void;
}

export function createDeferred(): Deferred {
  const controller = new AbortController();
  const promise = new Promise<void>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return { promise, resolve: () => controller.abort() };
}

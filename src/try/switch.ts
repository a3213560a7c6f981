/** Something that comes true once, for who waits for it. */

export interface Switch {
  readonly isOn: Promise<void>;
  turnOn(): void;
}

export function createSwitch(): Switch {
  const waiting = new AbortController();
  const isOn = new Promise<void>((resolve) => {
    waiting.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return { isOn, turnOn: () => waiting.abort() };
}

/** What has been started and must be ended, whatever happens: the last one first. */

export interface Ends {
  add(end: () => Promise<void>): void;
  /** Ends all, also where one fails. Throws the first error of them. */
  endAll(): Promise<void>;
}

export function createEnds(): Ends {
  const ends: (() => Promise<void>)[] = [];
  return {
    add: (end) => void ends.push(end),
    endAll: async () => {
      const problems: unknown[] = [];
      for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
        await end().catch((error: unknown) => problems.push(error));
      }
      if (problems.length > 0) throw problems[0];
    },
  };
}

/**
 * The versions of objects that were overwritten here, until the cluster has told what came of it: an object that is still
 * known as it was before is not to be looked after again.
 */

export interface OwnWrites {
  /** The object of this version was overwritten. */
  overwrote(owner: string, version: string): void;
  /** Whether it was; asked of what the cluster told last. */
  isOutdated(owner: string, version: string): boolean;
  forget(owner: string): void;
}

export function createOwnWrites(): OwnWrites {
  const overwritten = new Map<string, Set<string>>();
  return {
    overwrote: (owner, version) => {
      overwritten.set(owner, (overwritten.get(owner) ?? new Set()).add(version));
    },
    isOutdated: (owner, version) => {
      if (overwritten.get(owner)?.has(version) === true) return true;
      overwritten.delete(owner);
      return false;
    },
    forget: (owner) => void overwritten.delete(owner),
  };
}

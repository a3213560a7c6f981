/**
 * Names in the primary tree of directories: of ISO level 1 (8.3, upper case), made as genisoimage makes them, because that is
 * what boot loaders and coreos-installer look for: `igninfo.json` becomes `IGNINFO.JSO`.
 */

export type NodeKind = 'file' | 'directory';

const MAX_STEM = 8;
const MAX_EXTENSION = 3;

/** The name without version that a file or directory gets where nothing else in its directory claims it. */
export function toPrimaryName(name: string, kind: NodeKind): string {
  const { stem, extension } = primaryParts(name, kind);
  return extension === '' ? stem : `${stem}.${extension}`;
}

interface NameParts {
  readonly stem: string;
  readonly extension: string;
}

/** Identifiers for the records of one directory's children: unique, of ISO level 1, files with their version. */
export function primaryIdentifiers(children: ReadonlyMap<string, NodeKind>): Map<string, string> {
  const assign = uniqueAssigner();
  const identifiers = new Map<string, string>();
  for (const [name, kind] of children) {
    const { stem, extension } = assign(primaryParts(name, kind));
    identifiers.set(name, kind === 'directory' ? stem : `${stem}.${extension};1`);
  }
  return identifiers;
}

/** 9.3: identifiers are ordered as if stem and extension were padded with spaces. */
export function comparePrimary(a: string, b: string): number {
  const [first, second] = [paddedKey(a), paddedKey(b)];
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

function paddedKey(identifier: string): string {
  const [stem = '', extension = ''] = identifier.replace(';1', '').split('.');
  return stem.padEnd(MAX_STEM) + extension.padEnd(MAX_EXTENSION);
}

function primaryParts(name: string, kind: NodeKind): NameParts {
  const plain = name.replace(/^\.+/, (dots) => '_'.repeat(dots.length));
  const dot = kind === 'directory' ? -1 : plain.lastIndexOf('.');
  return {
    stem: primaryCharacters(dot < 0 ? plain : plain.slice(0, dot)).slice(0, MAX_STEM),
    extension: dot < 0 ? '' : primaryCharacters(plain.slice(dot + 1)).slice(0, MAX_EXTENSION),
  };
}

/** Only ASCII is folded: `ß` and its like would change length. */
function primaryCharacters(text: string): string {
  return text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase()).replaceAll(/[^A-Z0-9_]/gu, '_');
}

/** A name that is taken gets a number in place of the end of its stem, counted per stem so that this stays linear. */
function uniqueAssigner(): (wanted: NameParts) => NameParts {
  const taken = new Set<string>();
  const counters = new Map<string, number>();
  return (wanted) => {
    let candidate = wanted;
    while (taken.has(`${candidate.stem}.${candidate.extension}`)) {
      const key = `${wanted.stem.slice(0, MAX_STEM - 3)}.${wanted.extension}`;
      const count = counters.get(key) ?? 0;
      counters.set(key, count + 1);
      const digits = String(count).padStart(3, '0');
      candidate = { ...wanted, stem: wanted.stem.slice(0, MAX_STEM - digits.length) + digits };
    }
    taken.add(`${candidate.stem}.${candidate.extension}`);
    return candidate;
  };
}

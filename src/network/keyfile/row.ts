/** Checks of the keys of a keyfile, each of which is one row of a table. */

import { addProblem, type Profile, type ProfileKey } from './profile.ts';

export interface KeyfileRow {
  readonly key: ProfileKey;
  readonly effect: 'ignores' | 'rejects';
  /** The value is undefined if the keyfile has none that NetworkManager can read. */
  readonly isFine: (value: string | undefined, profile: Profile) => boolean;
  /** A clause. */
  readonly problem: RowText;
  readonly hint: RowText;
}

type RowText = string | ((value: string, profile: Profile) => string);

/** With an invalid value, NetworkManager uses the default of the key. */
export function ignores(
  key: ProfileKey,
  isValid: (value: string, profile: Profile) => boolean,
  problem: RowText,
  hint: RowText,
): KeyfileRow {
  const isFine: KeyfileRow['isFine'] = (value, profile) => value === undefined || isValid(value, profile);
  return { key, effect: 'ignores', isFine, problem, hint };
}

/** With an invalid value, NetworkManager ignores the whole keyfile. */
export function rejects(...row: Parameters<typeof ignores>): KeyfileRow {
  return { ...ignores(...row), effect: 'rejects' };
}

/** Without the key, NetworkManager ignores the whole keyfile. */
export function requires(
  key: ProfileKey,
  isRequired: (profile: Profile) => boolean,
  problem: RowText,
  hint: RowText,
): KeyfileRow {
  const isFine: KeyfileRow['isFine'] = (value, profile) => value !== undefined || !isRequired(profile);
  return { key, effect: 'rejects', isFine, problem, hint };
}

/** Reports what the rows find. Rows with the effect `ignores` precede those that depend on their keys. */
export function checkRows(rows: readonly KeyfileRow[], profile: Profile): void {
  for (const { effect, hint, isFine, key, problem } of rows) {
    const value = profile.values.get(key);
    if (isFine(value, profile)) continue;
    const textOf = (text: RowText): string => (typeof text === 'string' ? text : text(value ?? '', profile));
    addProblem(profile, key, effect, { problem: textOf(problem), hint: textOf(hint) });
    if (effect === 'ignores') profile.values.delete(key);
  }
}

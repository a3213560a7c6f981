/** A check of one key of a keyfile: one row of a table. */

import { addProblem, type Profile, type ProfileKey } from './profile.ts';

export type KeyfileRow = {
  readonly key: ProfileKey;
  /** NetworkManager uses the default of the key; otherwise, it rejects the whole keyfile. */
  readonly effect?: 'ignores';
  /** A clause. */
  readonly problem: string | ((value: string, profile: Profile) => string);
  readonly hint: string | ((value: string, profile: Profile) => string);
} & (
  | {
      /** Only asked if the keyfile has the key with a value that NetworkManager can read. */
      readonly isValid: (value: string, profile: Profile) => boolean;
    }
  | {
      /** Whether the keyfile must have the key. */
      readonly isRequired: (profile: Profile) => boolean;
    }
);

/** Reports what the rows find. Rows with the effect `ignores` precede those that depend on their keys. */
export function checkRows(rows: readonly KeyfileRow[], profile: Profile): void {
  for (const row of rows) {
    const { effect = 'rejects', hint, key, problem } = row;
    const value = profile.values.get(key);
    const text = value ?? '';
    const isValid =
      'isValid' in row
        ? value === undefined || row.isValid(text, profile)
        : value !== undefined || !row.isRequired(profile);
    if (isValid) continue;
    addProblem(profile, key, effect, {
      problem: typeof problem === 'string' ? problem : problem(text, profile),
      hint: typeof hint === 'string' ? hint : hint(text, profile),
    });
    if (effect === 'ignores') profile.values.delete(key);
  }
}

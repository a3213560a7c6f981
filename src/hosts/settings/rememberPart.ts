/** Parts of the settings that most hosts of an inventory share, so that they are read once. */

import type { InputValue } from '../../agent/settingInputs.ts';
import type { SettingName } from '../../agent/settingTable.ts';
import type { Reading } from './reading.ts';

type ReadPart<T, A> = (reading: Reading, argument: A) => Promise<T>;
type Values = readonly InputValue[] | undefined;

interface Remembered<T, A> {
  readonly argument: A;
  /** The inputs that were looked at, and what they were. */
  readonly seen: ReadonlyMap<SettingName, Values>;
  readonly warnings: readonly Parameters<Reading['warn']>[];
  readonly part: T;
}

/** So many kinds of hosts are told apart; of further ones each is read anew. */
const mostKinds = 16;

/**
 * The same reader, but where nothing that it looked at has changed it answers as before, warnings included. For one
 * run: profile and options must stay the same.
 */
export function rememberPart<T, A>(read: ReadPart<T, A>): ReadPart<T, A> {
  const kinds: Remembered<T, A>[] = [];
  return async (reading, argument) => {
    const known = kinds.find((kind) => kind.argument === argument && isSame(kind.seen, reading));
    for (const warning of known?.warnings ?? []) reading.warn(...warning);
    if (known !== undefined) return known.part;
    const seen = new Map<SettingName, Values>();
    const warnings: Parameters<Reading['warn']>[] = [];
    const part = await read(watch(reading, seen, warnings), argument);
    if (kinds.length < mostKinds) kinds.push({ argument, seen, warnings, part });
    return part;
  };
}

function watch(
  reading: Reading,
  seen: Map<SettingName, Values>,
  warnings: Parameters<Reading['warn']>[],
): Reading {
  return {
    ...reading,
    inputs: {
      get: (name) => {
        const values = reading.inputs.get(name);
        seen.set(name, values);
        return values;
      },
    },
    warn: (...warning) => {
      warnings.push(warning);
      reading.warn(...warning);
    },
  };
}

function isSame(seen: ReadonlyMap<SettingName, Values>, { inputs }: Reading): boolean {
  for (const [name, values] of seen) {
    if (!isSameValues(values, inputs.get(name))) return false;
  }
  return true;
}

function isSameValues(one: Values, other: Values): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined || one.length !== other.length) return false;
  return one.every(({ place, text }, index) => place === other[index]?.place && text === other[index].text);
}

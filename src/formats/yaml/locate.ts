/** From paths to positions in a YAML text. */

import type { Path, Position } from '../../core/finding.ts';
import { noKey, numbersOfValue, type Places, type Value } from './places.ts';
import { makeLocator } from './position.ts';

/** Finds the deepest value on the path that exists; undefined only for an empty text. */
export function makeLocate(text: string, places: Places): (path: Path) => Position | undefined {
  const { numbers, root } = places;
  if (root === undefined) return () => undefined;
  const positionOf = makeLocator(text);
  const findMember = makeFindMember(places);
  return (path) => {
    let place: Place = root;
    for (const step of path) {
      const child = typeof step === 'number' ? findItem(places, place, step) : findMember(place, step);
      if (child === undefined) break;
      const [start = 0, , firstChild = 0, childCount = 0] = numbers.subarray(child, child + numbersOfValue);
      place = { start, firstChild, childCount };
    }
    return positionOf(place.start);
  };
}

type Place = Pick<Value, 'start' | 'firstChild' | 'childCount'>;

/** The index of its numbers. */
function findItem({ numbers }: Places, { firstChild, childCount }: Place, index: number): number | undefined {
  const child = firstChild + index * numbersOfValue;
  return index >= 0 && index < childCount && numbers[child + 1] === noKey ? child : undefined;
}

/** Mappings with more keys are looked through once, and then known. */
const fewKeys = 32;

function makeFindMember({ keys, numbers }: Places): (place: Place, name: string) => number | undefined {
  const known = new Map<number, ReadonlyMap<number, number>>();
  const indexKeys = ({ firstChild, childCount }: Place): ReadonlyMap<number, number> => {
    const places = Array.from({ length: childCount }, (_, index) => firstChild + index * numbersOfValue);
    const index = new Map(places.map((child) => [numbers[child + 1] ?? noKey, child]));
    known.set(firstChild, index);
    return index;
  };
  return (place, name) => {
    const { firstChild, childCount } = place;
    const key = keys.get(name);
    if (key === undefined) return undefined;
    if (childCount > fewKeys) return (known.get(firstChild) ?? indexKeys(place)).get(key);
    const end = firstChild + childCount * numbersOfValue;
    for (let child = firstChild; child < end; child += numbersOfValue) {
      if (numbers[child + 1] === key) return child;
    }
    return undefined;
  };
}

/**
 * The time that readers of foreign text take grows with its length and not with the square of it, whatever the text. Ten times
 * the text may take up to 40 times as long, as caches and the compiler have their part in short times.
 *
 * The suite runs a sample with 2.5 and 25 kB: for each reader, every twentieth shape, and all that were slow once. With
 * `IRONIC_COREOS_LINEAR=all`, it runs all shapes with 100 kB and 1 MB, which takes an hour.
 */

import { describe, expect, it } from 'vitest';
import { CliError } from '../src/core/errors.ts';
import { type Reader, readers } from './support/textReaders.ts';
import { type Shape, shapes } from './support/textShapes.ts';

const isAll = process.env['IRONIC_COREOS_LINEAR'] === 'all';
const sizes = isAll ? { small: 100_000, large: 1_000_000 } : { small: 2500, large: 25_000 };
const mostGrowth = 40;
/** Milliseconds that the larger text may always take. */
const floor = isAll ? 1500 : 150;

/** The number of times that reading a text must take too long before it is a problem. */
const LOOKS = 4;

/** Shapes that took quadratic time in some reader, by the text that they repeat. */
const slowOnce = [
  '&key=',
  '?key=a&',
  'token=',
  'a://b:c@',
  'a=b\n',
  ' ',
  '/',
  '${a',
  '\\\n',
  '--a ',
  '[section1]\nkey = 1\n',
];

function shapesFor(reader: Reader, index: number): readonly Shape[] {
  if (reader.shapes !== undefined) return reader.shapes;
  return shapes.filter(
    ({ name }, number) =>
      isAll ||
      number % 20 === index % 20 ||
      slowOnce.some((unit) => name.startsWith(`${JSON.stringify(unit)} `)),
  );
}

/** Milliseconds of the processor, which other programs on the machine do not change much. */
async function measure({ place = String, read }: Reader, { make }: Shape, length: number): Promise<number> {
  const text = place(make(length));
  const start = process.cpuUsage();
  try {
    await read(text);
  } catch (error) {
    if (!(error instanceof CliError)) throw error; // also of a stack that is too small
  }
  return process.cpuUsage(start).user / 1000;
}

async function findProblem(reader: Reader, shape: Shape): Promise<string | undefined> {
  const small = await measure(reader, shape, sizes.small);
  const large = await measure(reader, shape, sizes.large);
  if (large <= Math.max(floor, small * mostGrowth)) return undefined;
  return `${shape.name}: ${small} ms for ${sizes.small} characters, ${large} ms for ${sizes.large}`;
}

describe('readers of foreign text take linear time', () => {
  it.each(readers.map((reader, index) => ({ name: reader.name, reader, index })))(
    '$name',
    async ({ reader, index }) => {
      const problems: string[] = [];
      for (const shape of shapesFor(reader, index)) {
        // Further looks, as the garbage of other tests may be collected during the first.
        let problem = await findProblem(reader, shape);
        for (let look = 1; look < LOOKS && problem !== undefined; look++)
          problem = await findProblem(reader, shape);
        if (problem !== undefined) problems.push(problem);
      }
      expect(problems).toEqual([]);
    },
    isAll ? 3_600_000 : undefined,
  );
});

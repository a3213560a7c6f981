/** What is said of a URL from which the machine is to fetch something, where its address means no other machine. */

import { findUrlAddressProblem } from '../../agent/machineAddress.ts';
import type { Io } from '../../io/io.ts';
import { report, withoutRepeats } from '../../io/report/report.ts';

/** URLs by where they were given; the same is said once. */
export function tellUrlAddresses(urls: Iterable<readonly [place: string, url: string]>, io: Io): void {
  const remarks = [...urls].flatMap(([place, url]) => {
    const problem = findUrlAddressProblem(url);
    if (problem === undefined) return [];
    const { message, hint } = problem;
    return [{ severity: 'warning', message: `${place}: ${message}`, hint } as const];
  });
  report(io, ...withoutRepeats(remarks));
}

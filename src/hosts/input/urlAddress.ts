/** What is said of a URL from which the machine is to fetch something, where its address means no other machine. */

import { findUrlAddressProblem } from '../../agent/machineAddress.ts';
import type { Io } from '../../io/io.ts';
import { formatRemark } from '../../io/report/remark.ts';

/** URLs by where they were given; the same is said once. */
export function tellUrlAddresses(urls: Iterable<readonly [place: string, url: string]>, io: Io): void {
  const remarks = [...urls].flatMap(([place, url]) => {
    const problem = findUrlAddressProblem(url);
    if (problem === undefined) return [];
    return [
      formatRemark({ severity: 'warning', message: `${place}: ${problem.message}`, hint: problem.hint }),
    ];
  });
  io.stderr.write([...new Set(remarks)].join(''));
}

/** Whether the kernel can run a file as a program. */

import type { Problem } from '../core/finding.ts';

/**
 * Why the kernel does not run a script; undefined for programs, which have zero bytes near their start.
 * @param name of the file, for the command of the hint
 */
export function findScriptProblem(data: Uint8Array, name: string): Problem | undefined {
  if (data.subarray(0, 512).includes(0)) return undefined;
  const [firstLine = ''] = Buffer.from(data.subarray(0, 4096)).toString('latin1').split('\n', 1);
  if (!firstLine.startsWith('#!')) {
    const message = 'the script has no interpreter line (#!), so the unit that runs it fails';
    return { message, hint: 'start the script with #!/bin/bash' };
  }
  if (!firstLine.endsWith('\r')) return undefined;
  const message = 'the lines of the script end in CR LF, so the kernel does not find its interpreter';
  return { message, hint: `convert the line ends: sed -i 's/\\r$//' ${name}` };
}

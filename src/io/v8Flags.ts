/** Flags of V8. They are of the whole process, so only the program sets them, not what programs call as a library. */

import { setFlagsFromString } from 'node:v8';

let isProgram = false;

/** The program calls this once. */
export function allowV8Flags(): void {
  isProgram = true;
}

/** Without effect in a library. @param flag such as `--no-wasm-tier-up` */
export function setV8Flag(flag: string): void {
  if (isProgram) setFlagsFromString(flag);
}

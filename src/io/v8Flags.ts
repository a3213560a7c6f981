/** Flags of V8. They are of the whole process, so only the program sets them, not what programs call as a library. */

let set: ((flag: string) => void) | undefined;

/** The program passes the function of `node:v8`. Without it, no flag is set. */
export function setV8FlagsBy(setter: ((flag: string) => void) | undefined): void {
  set = setter;
}

/** Without effect in a library. @param flag such as `--no-wasm-tier-up` */
export function setV8Flag(flag: string): void {
  set?.(flag);
}

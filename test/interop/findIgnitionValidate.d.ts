/** Path or name of the program; undefined without ignition-validate 2.27 or newer. */
export function findIgnitionValidate(): string | undefined;

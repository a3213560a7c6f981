/** Which numbers come out of YAML as they are written. */

/** Versions, identifiers and file modes look like numbers and lose digits when they are taken for numbers. */
export function isFaithful(written: string): boolean {
  if (decimal.test(written) || octalOrHex.test(written)) return Number.isSafeInteger(Number(written));
  if (float.test(written)) return String(Number(written)) === written.replace(/^\+/, '');
  return !disputed.test(written);
}

const decimal = /^[-+]?(?:0|[1-9][0-9]*)$/;
const octalOrHex = /^0(?:o[0-7]+|x[0-9a-fA-F]+)$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** Numbers for some YAML readers and text for others. */
const disputed = /^(?:[-+]0[ox][0-9a-fA-F]+|[-+]?0b[01]+)$/;

/** Additional podman arguments of the user. */

import type { InputValue } from '../../agent/settingInputs.ts';
import { FormatError } from '../../core/errors.ts';
import { inPlace, type Reading, valuesOf } from './reading.ts';

/** Words for `podman pull`. */
export function readPullArgs(reading: Reading): string[] {
  const values = valuesOf(reading, 'agent.podman.pullArgs');
  // The default of configure-coreos-ipa.
  if (values.length === 0 && reading.profile === 'configure-coreos-ipa') return ['--tls-verify=false'];
  return values.flatMap((value) => pullWords(value, reading));
}

function pullWords(value: InputValue, { parse }: Reading): string[] {
  return value.origin === 'environment' ? inPlace(value, parse.pullArgs) : [inPlace(value, parsePodmanArg)];
}

/** Podman would use a word that is not a flag as the image. */
export function parsePodmanArg(text: string): string {
  if (/^-[^\0]+$/s.test(text)) return text;
  throw new FormatError('is not a flag', { hint: 'write flag and value with "=": --memory=2g' });
}

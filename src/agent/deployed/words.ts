/** Words of command lines and assignments, as systemd hands them on. */

import type { ExecWord } from '../../formats/systemdQuoting.ts';
import { type Entry, say, sayHidden } from './entry.ts';
import { isSecretName } from '../../core/masking.ts';

/** The word behind `start`. One that systemd changes is another than the same text that it leaves alone. */
export function sayWord(setting: string, { text, expands }: ExecWord, start = ''): Entry {
  const whole = start + text;
  return say(setting, whole, expands ? `${whole} (expands)` : whole);
}

/** `NAME=value`, the value hidden where the name speaks of a secret. */
export function sayVariable(setting: string, word: ExecWord, start = ''): Entry {
  const name = variableName(word.text);
  const value = word.text.slice(name.length + 1);
  const isSecret = value !== '' && isSecretName(name);
  return isSecret ? sayHidden(setting, `${start}${name}=`, value) : sayWord(setting, word, start);
}

/** What stands before the equals sign, or all where there is none. */
export function variableName(assignment: string): string {
  const equals = assignment.indexOf('=');
  return equals < 0 ? assignment : assignment.slice(0, equals);
}

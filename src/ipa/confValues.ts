/**
 * Checks values of a configuration file by the types of their options, as oslo.config does when the agent starts. Left out:
 * values with a `$`, in which oslo.config replaces names of options, and the pairs of `params` in [mdns].
 */

import type { Rule } from '../core/rule.ts';
import { parsePythonFloat, parsePythonInteger, stripPython } from '../formats/pythonText.ts';
import { confRules } from './confRules.ts';
import type { IpaOption } from './ipaOptions.ts';

/** Why the agent does not start with the value; undefined if it does. The message never contains the value. */
export function findValueProblem(text: string, option: IpaOption): Rule | undefined {
  const { choices, help = '', ignoreCase, max, min, name, pattern, type } = option;
  if (text.includes('$')) return undefined;
  if (pattern !== undefined && !new RegExp(pattern).test(text)) {
    const message = `the value of ${name} has an invalid format`;
    return { ...confRules.value, message, hint: `use this format: ${help}` };
  }
  if (choices !== undefined) {
    const isEqual = (choice: string): boolean =>
      choice === text || (ignoreCase === true && choice.toLowerCase() === text.toLowerCase());
    if (choices.some(isEqual)) return undefined;
    const listed = choices.map((choice) => (choice === '' ? 'an empty value' : choice)).join(', ');
    const message = `the value of ${name} is not one of the allowed values`;
    return { ...confRules.value, message, hint: `use one of: ${listed}` };
  }
  if (type === 'boolean' && parseOsloBoolean(text) === undefined) {
    const hint = 'use true or false (or yes, on, 1, no, off, 0)';
    return { ...confRules.value, message: `${name} requires a boolean`, hint };
  }
  if (type === 'float' && stripPython(text) !== '' && parsePythonFloat(text) === undefined) {
    return {
      ...confRules.value,
      message: `${name} requires a number`,
      hint: 'use a number such as 30 or 1.5',
    };
  }
  if (type === 'integer') return findIntegerProblem(text, name, min, max);
  return type === 'port' ? findIntegerProblem(text, name, 0, 65535) : undefined;
}

/** Undefined for a text that oslo.config does not accept as a boolean. */
export function parseOsloBoolean(text: string): boolean | undefined {
  if (/^(?:true|1|on|yes)$/i.test(text)) return true;
  return /^(?:false|0|off|no)$/i.test(text) ? false : undefined;
}

function findIntegerProblem(text: string, name: string, min = -Infinity, max = Infinity): Rule | undefined {
  if (stripPython(text) === '') return undefined;
  const number = parsePythonInteger(text);
  if (number !== undefined && number >= min && number <= max) return undefined;
  const least = min === -Infinity ? '' : ` of at least ${min}`;
  const range = max === Infinity ? least : ` from ${min} to ${max}`;
  const hint = `use an integer${range} in decimal digits, without a unit`;
  return number === undefined
    ? { ...confRules.value, message: `${name} requires an integer`, hint }
    : { ...confRules.value, message: `the number for ${name} is out of range`, hint };
}

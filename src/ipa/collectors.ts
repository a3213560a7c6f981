/**
 * Names in the option `inspection_collectors`. The agent loads all of them before it runs the first one. If it does not find
 * one, it runs none: it sends Ironic only the error, without an inventory, and continues with the lookup (inspector.py of
 * ironic-python-agent).
 */

import type { Problem } from '../core/finding.ts';
import { nearestName } from '../core/nearestNames.ts';
import { ipaCollectors, type IpaVersion } from './ipaOptions.ts';

/** The first name that the agent does not find; undefined if it contains all of them. An empty value is valid. */
export function findCollectorProblem(value: string, version?: IpaVersion): Required<Problem> | undefined {
  const known = ipaCollectors(version);
  const unknown = value
    .split(',')
    .map((item) => item.trim())
    .find((name) => name !== '' && !known.includes(name));
  if (unknown === undefined) return undefined;
  const list = `the agent contains ${known.join(', ')}`;
  if (!/^[\w.-]{1,60}$/.test(unknown)) {
    const message = 'a collector has an invalid name, so the agent runs none and the inspection fails';
    return { message, hint: `separate the names with commas: default,logs; ${list}` };
  }
  const nearest = nearestName(unknown.replaceAll('_', '-'), known);
  return {
    message: `unknown collector ${unknown}: the agent runs none, and the inspection fails`,
    hint:
      nearest === undefined
        ? `remove it, unless the image of the agent adds it; ${list}`
        : `use ${nearest}; ${list}`,
  };
}

/** An Ignition config as the text of a document: one order of members, so that equal configs are equal bytes. */

import type { Config } from '../ignition/config.ts';

/** Members of a file, directory or link that Ignition's own documents have before the others. */
const nodeMembers = new Set(['group', 'overwrite', 'path', 'user']);

/**
 * The JSON document of a config with a final newline, indented by `indent` spaces; 0 puts all on one line. Members stand
 * as Ignition's own documents have them: by name, but what all nodes have in common before the rest.
 */
export function formatIgnition(config: Config, indent = 0): string {
  return `${JSON.stringify(config, (_name, value: unknown) => orderMembers(value), indent)}\n`;
}

function orderMembers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const isNode = 'path' in value && !('device' in value); // a filesystem has a path too
  const rank = (name: string): string => `${isNode && nodeMembers.has(name) ? 0 : 1}${name}`;
  const members = Object.entries(value).map(([name, member]) => [rank(name), name, member] as const);
  members.sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([, name, member]) => [name, member]));
}

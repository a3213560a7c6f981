/** The names of the agent's configuration files: other programs have files named *.conf, too. */

import { basename, dirname } from 'node:path/posix';

export function isAgentConfName(file: string): boolean {
  const name = `${basename(dirname(file))}/${basename(file)}`;
  return /^(?:ironic-python-agent(?:\.d)?\/|[^/]*\/ironic-python-agent).*\.conf$/.test(name);
}

/** Secrets that travel unencrypted, told once for all hosts of which the same is true, as `prepare` does. */

import { formatWordList } from '../formats/wordList.ts';
import type { Remark } from '../io/report/remark.ts';
import { unknownMachines } from './answer/access.ts';
import { addToGroup, formatGroup, type HostGroups } from '../hosts/run/hostGroups.ts';
import type { CatalogHost } from './catalog.ts';

/** By what the secrets are, as nouns. */
export function groupSecrets(hosts: Iterable<Pick<CatalogHost, 'name' | 'secrets'>>): HostGroups {
  const groups: HostGroups = new Map();
  for (const { name, secrets } of hosts) {
    const owner = name === unknownMachines ? 'machines that are not listed' : name;
    addToGroup(groups, formatWordList([...new Set(secrets)]), owner);
  }
  return groups;
}

/** @param publicUrl where machines fetch their files */
export function plainSecretRemarks(secrets: HostGroups, publicUrl: string): Remark[] {
  if (!/^http:/i.test(publicUrl)) return [];
  return [...secrets].map(([what, hosts]) => ({
    severity: 'warning',
    message: `plain HTTP sends ${what} unencrypted, for ${formatGroup(hosts)}`,
    hint: 'pass --tls-cert and --tls-key, or serve the provisioning network only',
  }));
}

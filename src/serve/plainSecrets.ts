/** Secrets that travel unencrypted, told once for all hosts of which the same is true, as `prepare` does. */

import { formatWordList } from '../formats/messageText.ts';
import type { Diagnostic, HostNames } from '../core/diagnostic.ts';
import { unknownMachines } from './answer/access.ts';
import { addHost } from '../hosts/run/hostRun.ts';
import { formatHosts } from '../io/report/diagnosticText.ts';
import type { CatalogHost } from './catalog.ts';

/** By what the secrets are, as nouns. */
export function groupSecrets(hosts: Iterable<Pick<CatalogHost, 'name' | 'secrets'>>): Map<string, HostNames> {
  const groups = new Map<string, HostNames>();
  for (const { name, secrets } of hosts) {
    const owner = name === unknownMachines ? 'machines that are not listed' : name;
    const what = formatWordList([...new Set(secrets)]);
    if (what !== '') groups.set(what, addHost(groups.get(what), owner));
  }
  return groups;
}

/** @param publicUrl where machines fetch their files */
export function plainSecretRemarks(secrets: ReadonlyMap<string, HostNames>, publicUrl: string): Diagnostic[] {
  if (!/^http:/i.test(publicUrl)) return [];
  return [...secrets].map(([what, hosts]) => ({
    severity: 'warning',
    message: `plain HTTP sends ${what} unencrypted, for ${formatHosts(hosts)}`,
    hint: 'pass --tls-cert and --tls-key, or serve the provisioning network only',
  }));
}

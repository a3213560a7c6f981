/** Which of the settings make the rendered config a secret itself. */

import { renderAgentConf } from './agentConfig.ts';
import { listSensitiveOptions } from './conf.ts';
import { hasNetworkSecret } from './networkSecret.ts';
import type { AgentSettings } from './settings.ts';

/** What a reader of the config could misuse, as nouns for a sentence; never the values. Empty where there is nothing. */
export function listSecrets(settings: AgentSettings): string[] {
  const { apiUrls, keyfiles, passwordHash, proxy, pullSecret } = settings;
  const facts: readonly (readonly [holds: boolean, what: string])[] = [
    [pullSecret !== undefined, 'a pull secret'],
    [hasPassword(proxy.http) || hasPassword(proxy.https), 'the password of a proxy'],
    [apiUrls.some(hasPassword), 'the password of Ironic'],
    [passwordHash !== undefined, 'the hash of a password'],
    [keyfiles.some(({ text }) => hasNetworkSecret(text)), 'a password of the network'],
  ];
  return [
    ...facts.flatMap(([holds, what]) => (holds ? [what] : [])),
    ...listSensitiveOptions(renderAgentConf(settings)).map((name) => `the option ${name}`),
  ];
}

function hasPassword(url = ''): boolean {
  return URL.canParse(url) && new URL(url).password !== '';
}

/** Which of the settings make the rendered config a secret itself. */

import { renderAgentConf } from './agentConfig.ts';
import { listSensitiveOptions } from './conf.ts';
import type { AgentSettings } from './settings.ts';

/** What a reader of the config could misuse, as nouns for a sentence; never the values. Empty where there is nothing. */
export function listSecrets(settings: AgentSettings): string[] {
  const { pullSecret, proxy } = settings;
  const hasProxyPassword = [proxy.http, proxy.https].some(
    (url) => url !== undefined && new URL(url).password !== '',
  );
  return [
    ...(pullSecret === undefined ? [] : ['a pull secret']),
    ...(hasProxyPassword ? ['the password of a proxy'] : []),
    ...listSensitiveOptions(renderAgentConf(settings)).map((name) => `the option ${name}`),
  ];
}

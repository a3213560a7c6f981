/** The agent's conf in the config that settings make. */

import { renderAgentConfig } from '../../src/agent/agentConfig.ts';
import { readSubject, textOf } from '../../src/agent/lint/subject.ts';
import type { AgentSettings } from '../../src/agent/settings.ts';

export function renderedConf(settings: AgentSettings): string {
  const [conf] = readSubject(renderAgentConfig(settings)).confs;
  if (conf === undefined) throw new Error('the config contains no conf');
  return textOf(conf);
}

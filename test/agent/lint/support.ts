/** Configs for the tests of the lint: the one that this program renders, and what a change of it is reported as. */

import { renderAgentConfig } from '../../../src/agent/agentConfig.ts';
import { lintConfig, type LintOptions } from '../../../src/agent/lint/lintConfig.ts';
import { type AgentSettings, defaultSettings } from '../../../src/agent/settings.ts';
import type { Config, File } from '../../../src/ignition/config.ts';
import { formatPath } from '../../../src/core/finding.ts';

export const now = new Date('2030-01-01T00:00:00Z');

/** The image of the agent that the rendered config pulls. */
const image = 'quay.io/example/ironic-agent';

export function render(settings: Partial<AgentSettings> = {}): Config {
  return renderAgentConfig({
    ...defaultSettings,
    apiUrls: ['https://192.0.2.1:6385'],
    agentImage: image,
    ...settings,
  });
}

/** `rule path`, one for each finding. */
export function summary(config: Config, options: Partial<LintOptions> = {}): string[] {
  return lintConfig(config, { now, ...options }).map(({ rule, path }) => `${rule} ${formatPath(path)}`);
}

export function messages(config: Config): string[] {
  return lintConfig(config, { now }).map(({ message }) => message);
}

export function dataUrl(text: string): string {
  return `data:;base64,${Buffer.from(text).toString('base64')}`;
}

/** The rendered config with its conf and these files alone; one of the same path takes its place. */
export function withFiles(...files: readonly File[]): Config {
  const config = render();
  const others = (config.storage?.files ?? []).filter(
    ({ path }) => path === conf && files.every((file) => file.path !== path),
  );
  return { ...config, storage: { files: [...others, ...files] } };
}

export const conf = '/etc/ironic-python-agent.conf';

export function withConf(text: string): Config {
  return withFiles({ path: conf, mode: 0o600, contents: { source: dataUrl(text) } });
}

/** The rendered config with some text of its unit replaced. */
export function withUnit(...changes: readonly (readonly [from: string, to: string])[]): Config {
  const config = render();
  const [unit = {}] = config.systemd?.units ?? [];
  const contents = changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the unit has no ${JSON.stringify(from)}`);
    return text.replaceAll(from, to);
  }, unit.contents ?? '');
  return { ...config, systemd: { units: [{ ...unit, contents }] } };
}

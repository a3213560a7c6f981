/**
 * ironic-python-agent.conf, the only file that the agent in its container reads in addition to the defaults of its image.
 * It contains only options from the settings; all other options keep the defaults of the image.
 */

import {
  escapeInterpolation,
  mergeOsloConfig,
  type OsloDocument,
  type OsloEntry,
  type OsloParse,
  parseOsloConfig,
  withSources,
} from '../formats/osloConfig.ts';
import { findIpaOption } from '../ipa/ipaOptions.ts';
import type { AgentSettings } from './settings.ts';

const SECTION = 'DEFAULT';

/** The conf of the default profile: settings, then the user's conf, then option lines; later values take precedence. */
export function defaultConf(settings: AgentSettings): OsloDocument {
  const { apiUrls, callbackUrls, confOptions, verifyIronicTls } = settings;
  const options: (readonly [name: string, value: string])[] = [];
  // Without a URL, the agent only serves its API and never contacts Ironic.
  if (apiUrls.length > 0) {
    options.push(['api_url', apiUrls.join(',')]);
    if (callbackUrls.length > 0) options.push(['inspection_callback_url', callbackUrls.join(',')]);
    // Without collectors the agent does not inspect; not every image sets them.
    options.push(['inspection_collectors', 'default,logs']);
  }
  // Always, because without the line ipa-insecure=1, which ironic-image and Bifrost add to the kernel arguments, decides.
  options.push(['insecure', verifyIronicTls ? 'False' : 'True']);
  const entries: OsloEntry[] = [{ kind: 'section', name: SECTION }];
  for (const [name, value] of [...options, ...Object.entries(confOptions)]) {
    entries.push({ kind: 'option', section: SECTION, name, value: escapeInterpolation(value) });
  }
  return layeredConf({ entries }, settings);
}

/** A conf that a profile generates, with the user's conf and the option lines merged over it. */
export function layeredConf(generated: OsloDocument, settings: AgentSettings): OsloDocument {
  const layers = [
    generated,
    parseOsloConfig(settings.userConf ?? ''),
    parseOsloConfig(formatOptionLines(settings.optionLines)),
  ];
  return layers.reduce(mergeOsloConfig);
}

/** Option lines as a conf; each line is one line below its position in the list. */
export function formatOptionLines(lines: readonly string[]): string {
  return [`[${SECTION}]`, ...lines, ''].join('\n');
}

/** What the conf in a config was made of, for findings about its lines. Most configs are never asked. */
export class ConfParts {
  readonly read: () => readonly OsloParse[];

  constructor(read: () => readonly OsloParse[]) {
    this.read = read;
  }
}

/** @param generated the text of the conf without what the user wrote */
export function confParts(
  generated: string,
  { confSources, optionLines, userConf = '' }: AgentSettings,
): readonly OsloParse[] {
  const { options = {}, optionLines: lineSources = [], userConf: file = '' } = confSources ?? {};
  return [
    withSources(parseOsloConfig(generated), (_line, name = '') => {
      const source = options[name];
      return source && { kind: 'setting', ...source };
    }),
    withSources(parseOsloConfig(userConf), () => ({ kind: 'file', name: '', at: { file } })),
    withSources(parseOsloConfig(formatOptionLines(optionLines)), (line, name = `(number ${line - 1})`) => {
      // The value may be a secret.
      const { at, name: flag } = lineSources[line - 2] ?? { name: '--option' };
      return { kind: 'line', at, name: `${flag} ${name}` };
    }),
  ];
}

/** Names of the options in a conf that contain secrets, without repetition. */
export function listSensitiveOptions({ entries }: OsloDocument): string[] {
  const names = new Set<string>();
  for (const entry of entries) {
    const match = entry.kind === 'option' ? findIpaOption(entry.section, entry.name) : undefined;
    if (match?.option.sensitive === true) names.add(match.option.name);
  }
  return [...names];
}

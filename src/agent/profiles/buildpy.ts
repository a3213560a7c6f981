/**
 * The Ignition config of the script build.py of ironic-agent-image: the same document wherever the output of the script
 * is correct. Unlike the default profile, it keeps spec 3.0.0, a unit without restart, the short name of the image in the
 * run command, and a conf file without a mode.
 */

import { formatOsloConfig, parseOsloConfig } from '../../formats/osloConfig.ts';
import type { Config, Unit } from '../../ignition/config.ts';
import { formatOptionLines, layeredConf } from '../conf.ts';
import { base64DataUrl } from '../../ignition/dataFile.ts';
import { CONF_PATH, renderExtraFiles } from '../files.ts';
import { renderIgnitionProxy } from '../proxy.ts';
import type { AgentSettings } from '../settings.ts';
import {
  formatPullFlags,
  formatRunFlags,
  formatUnitEnvironment,
  formatUserFlags,
  renderAgentUnit,
  renderExtraUnits,
} from '../unit.ts';
import { renderPasswd } from '../login.ts';

const SHORT_NAME = 'ironic-agent';

export function renderBuildpyConfig(settings: AgentSettings): Config {
  const proxy = renderIgnitionProxy(settings);
  return {
    ignition: proxy === undefined ? { version: '3.0.0' } : { version: '3.1.0', proxy },
    ...renderPasswd(settings.sshKeys, settings.passwordHash),
    storage: {
      files: [
        { path: CONF_PATH, contents: { source: base64DataUrl(formatBuildpyConf(settings)) } },
        ...renderExtraFiles(settings),
      ],
    },
    systemd: {
      units: [renderUnit(settings), ...renderExtraUnits(settings)],
    },
  };
}

/** The conf in the format of the script; merged only with a user's conf, which the script does not support. */
export function formatBuildpyConf(settings: AgentSettings): string {
  if (settings.userConf === undefined) return formatScriptConf(settings);
  const generated = formatScriptConf({ ...settings, optionLines: [] });
  return formatOsloConfig(layeredConf(parseOsloConfig(generated), settings));
}

/** Line by line: option lines are not sorted, joined or unquoted. */
function formatScriptConf(settings: AgentSettings): string {
  const { apiUrls, callbackUrls, optionLines, verifyIronicTls } = settings;
  const options = verifyIronicTls ? optionLines : placeInDefault(optionLines, 'insecure = True');
  const lines = [
    '[DEFAULT]',
    `api_url = ${apiUrls.join(',')}`,
    `inspection_callback_url = ${callbackUrls.join(',')}`,
    ...Object.entries(settings.confOptions).map(([name, value]) => `${name} = ${value}`),
    options.join('\n'), // an empty line if there are no options, as in the script
  ];
  return `${lines.join('\n')}\n`;
}

/** The script writes the line last, which is in another section if option lines start one; then it is moved before them. */
function placeInDefault(lines: readonly string[], line: string): string[] {
  const { entries } = parseOsloConfig(formatOptionLines(lines));
  const isDefaultLast = entries.findLast((entry) => entry.kind === 'section')?.name === 'DEFAULT';
  const place = isDefaultLast ? lines.length : lines.findIndex((other) => other.startsWith('['));
  return lines.toSpliced(place, 0, line);
}

function renderUnit(settings: AgentSettings): Unit {
  const { agentImage } = settings;
  return renderAgentUnit('buildpy', {
    environment: formatUnitEnvironment(settings),
    image: agentImage,
    pullFlags: formatPullFlags(settings).join(' '),
    runFlags: formatRunFlags(settings),
    userFlags: formatUserFlags(settings),
    // podman finds a pulled `…/ironic-agent:latest` by its last component, and no other image.
    runImage: agentImage.endsWith(`/${SHORT_NAME}`) ? SHORT_NAME : agentImage,
  });
}

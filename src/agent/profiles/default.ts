/**
 * This program's own Ignition config. Spec 3.2.0: the oldest that has all that is needed (3.1.0 brought the proxy
 * section) and the one that live images since early 2021 and the generators of OpenShift share, so that the result can
 * be merged with theirs and older live images still take it.
 */

import { readAsset } from '../../assets.ts';
import { fillTemplate } from '../../formats/template.ts';
import type { Config, File } from '../../ignition/config.ts';
import { renderArchiveFiles, renderArchiveUnits } from '../agentArchive.ts';
import { formatDefaultConf, listSensitiveOptions } from '../conf.ts';
import { base64DataUrl, publicMode, renderDataFile, secretMode } from '../../ignition/dataFile.ts';
import { confPath, renderClientId, renderExtraFiles } from '../files.ts';
import { renderIgnitionProxy } from '../proxy.ts';
import type { AgentSettings } from '../settings.ts';
import {
  formatPullFlags,
  formatRunFlags,
  formatUnitEnvironment,
  formatUserFlags,
  renderExtraUnits,
  unitName,
} from '../unit.ts';
import { renderPasswd } from '../login.ts';

export function renderDefaultConfig(settings: AgentSettings): Config {
  const proxy = renderIgnitionProxy(settings);
  const passwd = renderPasswd(settings);
  return {
    ignition: { version: '3.2.0', ...(proxy === undefined ? {} : { proxy }) },
    ...(passwd === undefined ? {} : { passwd }),
    storage: {
      files: [
        renderConfFile(settings),
        ...renderClientId(settings),
        ...renderExtraFiles(settings),
        ...renderArchiveFiles(settings),
        ...renderBanners(settings),
      ],
    },
    systemd: {
      units: [
        { contents: formatDefaultUnit(settings), enabled: true, name: unitName },
        ...renderArchiveUnits(settings),
        ...renderExtraUnits(settings),
      ],
    },
  };
}

function renderConfFile(settings: AgentSettings): File {
  const conf = formatDefaultConf(settings);
  const mode = listSensitiveOptions(conf).length > 0 ? secretMode : publicMode;
  return { path: confPath, overwrite: true, contents: { source: base64DataUrl(conf) }, mode };
}

function formatDefaultUnit(settings: AgentSettings): string {
  const { agentImage, archive, pullPolicy } = settings;
  const isPulledBefore = pullPolicy === 'always';
  // What an archive brings needs no registry.
  const pullFlags = archive === undefined ? formatPullFlags(settings) : [];
  const pull = ['/bin/podman', 'pull', ...pullFlags, agentImage].join(' ');
  return fillTemplate(readAsset('templates/agent/ironic-agent.service'), {
    environment: formatUnitEnvironment(settings),
    // Apart from the start of the container, so that a broken download and a broken agent look different.
    pull: isPulledBefore ? `ExecStartPre=${pull}\n` : '',
    pullPolicy: isPulledBefore ? 'never' : pullPolicy,
    image: agentImage,
    runFlags: formatFlags([...(isPulledBefore ? [] : pullFlags), ...formatRunFlags(settings)]),
    userFlags: formatUserFlags(settings),
  });
}

/** Each flag with the blank behind it, so that none leaves no gap. */
function formatFlags(flags: readonly string[]): string {
  return flags.map((flag) => `${flag} `).join('');
}

/**
 * What an operator sees at the console of the ramdisk: that this is no installed system, what it belongs to, and where
 * its logs are. Nothing that is secret, as `issue` is shown to everybody who is in front of the screen. At the paths of
 * ICC's banners, so that a config with one replaces the other. A file of the user's comes first.
 */
export function renderBanners(settings: AgentSettings): File[] {
  const banners = [
    { path: '/etc/issue.d/ipa.issue', text: readAsset('templates/agent/ironic-agent.issue') },
    { path: '/etc/motd.d/ipa.motd', text: formatMotd(settings) },
  ];
  return banners
    .filter(({ path }) => !settings.files.some((file) => file.path === path))
    .map(({ path, text }) => renderDataFile({ path, mode: publicMode, content: Buffer.from(text) }));
}

function formatMotd({ agentImage, apiUrls, hostname }: AgentSettings): string {
  const facts = [
    ['Ironic', apiUrls.length === 0 ? 'none, the agent is on its own' : apiUrls.map(withoutUser).join(', ')],
    ['Agent', agentImage],
    ...(hostname === undefined ? [] : [['Host name', `${hostname}, where the network gives none`]]),
  ];
  const lines = facts.map(([name = '', value = '']) => `  ${name.padEnd(10)} ${value}\n`);
  return fillTemplate(readAsset('templates/agent/ironic-agent.motd'), { facts: lines.join('') });
}

function withoutUser(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/?#]*@/i, '$1');
}

/**
 * The Ignition config of the default profile. Spec 3.2.0 is the oldest version with all required features (3.1.0 added the
 * proxy section), and the version that live images since early 2021 and the generators of OpenShift support, so the result
 * can be merged with theirs and works with older live images.
 */

import { readAsset } from '../../core/assets.ts';
import { formatOsloConfig } from '../../formats/osloConfig.ts';
import { fillTemplate } from '../../formats/template.ts';
import type { Config, File, Unit } from '../../ignition/config.ts';
import { renderArchiveFiles, renderArchiveTrust, renderArchiveUnit } from '../agentArchive.ts';
import { defaultConf, listSensitiveOptions } from '../conf.ts';
import { base64DataUrl, PUBLIC_MODE, renderDataFile, SECRET_MODE } from '../../ignition/dataFile.ts';
import { CONF_PATH, renderClientId, renderExtraFiles } from '../files.ts';
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

export function renderDefaultConfig(settings: AgentSettings): Config {
  const { agentImage, archive, caCertificates } = settings;
  const proxy = renderIgnitionProxy(settings);
  const conf = defaultConf(settings);
  const mode = listSensitiveOptions(conf).length > 0 ? SECRET_MODE : PUBLIC_MODE;
  return {
    ignition: {
      version: '3.2.0',
      ...(archive === undefined ? {} : renderArchiveTrust(archive, caCertificates)),
      ...(proxy === undefined ? {} : { proxy }),
    },
    ...renderPasswd(settings.sshKeys, settings.passwordHash),
    storage: {
      files: [
        {
          path: CONF_PATH,
          overwrite: true,
          contents: { source: base64DataUrl(formatOsloConfig(conf)) },
          mode,
        },
        ...renderClientId(settings),
        ...renderExtraFiles(settings),
        ...(archive === undefined ? [] : renderArchiveFiles(archive)),
        ...renderBanners(settings),
      ],
    },
    systemd: {
      units: [
        renderUnit(settings),
        ...(archive === undefined ? [] : [renderArchiveUnit(archive, agentImage)]),
        ...renderExtraUnits(settings),
      ],
    },
  };
}

/**
 * Its output also goes to the console, so that a failed pull is visible without a login. The agent itself does not write
 * there: its container is detached. podman prints no progress bar without a terminal, but about five lines per pull.
 */
function renderUnit(settings: AgentSettings): Unit {
  const { agentImage, archive, pullPolicy } = settings;
  const isPulledBefore = pullPolicy === 'always';
  // An image from an archive needs no registry.
  const pullFlags = archive === undefined ? formatPullFlags(settings) : [];
  const pull = ['/bin/podman', 'pull', ...pullFlags, agentImage].join(' ');
  return renderAgentUnit('ironic-agent', {
    environment: formatUnitEnvironment(settings),
    // Separate from the start of the container, so that a failed download and a failed agent can be distinguished.
    pull: isPulledBefore ? `ExecStartPre=${pull}\n` : '',
    pullPolicy: isPulledBefore ? 'never' : pullPolicy,
    image: agentImage,
    runFlags: formatRunFlags(settings, isPulledBefore ? [] : pullFlags),
    userFlags: formatUserFlags(settings),
  });
}

/**
 * Banners on the console of the ramdisk: this is not an installed system, the Ironic it belongs to, and the location of
 * its logs. No secrets, because anyone at the screen can read `issue`. The paths are those of ICC's banners, so that
 * either config replaces the banners of the other. A file from the user takes precedence.
 */
export function renderBanners(settings: AgentSettings): File[] {
  const banners = [
    ['/etc/issue.d/ipa.issue', readAsset('templates/agent/ironic-agent.issue')],
    ['/etc/motd.d/ipa.motd', formatMotd(settings)],
  ] as const;
  return banners
    .filter(([path]) => !settings.files.some((file) => file.path === path))
    .map(([path, text]) => renderDataFile({ path, mode: PUBLIC_MODE, content: Buffer.from(text) }));
}

function formatMotd({ agentImage, apiUrls, hostname }: AgentSettings): string {
  // Without user name and password.
  const urls = apiUrls.map((url) => url.replace(/^([a-z]+:\/\/)[^/?#]*@/i, '$1'));
  const facts = [
    `  Ironic     ${urls.length === 0 ? 'none (standalone agent)' : urls.join(', ')}\n`,
    `  Agent      ${agentImage}\n`,
    hostname === undefined ? '' : `  Host name  ${hostname} (if the network provides none)\n`,
  ];
  return fillTemplate(readAsset('templates/agent/ironic-agent.motd'), { facts: facts.join('') });
}

/**
 * What an operator sees at the console of the ramdisk: that this is no installed system, what it belongs to, and where
 * its logs are. Nothing that is secret, as `issue` is shown to everybody who is in front of the screen.
 */

import { readAsset } from '../assets.ts';
import { fillTemplate } from '../formats/template.ts';
import type { File } from '../ignition/config.ts';
import { publicMode, renderDataFile } from '../ignition/dataFile.ts';
import type { AgentSettings } from './settings.ts';

/** At the paths of ICC's banners, so that a config with one replaces the other. A file of the user's comes first. */
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

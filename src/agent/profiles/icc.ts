/**
 * The Ignition config of OpenShift's image-customization-controller (ICC), to the byte, for those who run that service
 * today. Kept on purpose although our own profile does better: Ironic's certificate is never verified, `/etc/authfile.json`
 * has no mode, the start limit stands in the wrong section, the dispatcher script has no shebang. Values that would come
 * out broken are refused by `iccInputs.ts` before they get here.
 */

import { readAsset } from '../../assets.ts';
import { fillTemplate } from '../../formats/template.ts';
import type { Config, File } from '../../ignition/config.ts';
import { base64DataUrl, publicMode, secretMode } from '../../ignition/dataFile.ts';
import { authFilePath, confPath } from '../files.ts';
import { keyfileFolder } from '../hostNetwork.ts';
import type { AgentSettings } from '../settings.ts';
import { unitName } from '../unit.ts';

export const iccSpecVersion = '3.2.0';

export function renderIccConfig(settings: AgentSettings): Config {
  const { sshKeys } = settings;
  return {
    ignition: { version: iccSpecVersion },
    ...(sshKeys.length === 0 ? {} : { passwd: { users: [{ name: 'core', sshAuthorizedKeys: sshKeys }] } }),
    storage: { files: renderFiles(settings) },
    systemd: { units: [{ contents: formatUnit(settings), enabled: true, name: unitName }] },
  };
}

/** The conf of ICC and of the part of it that assisted-service uses. */
export function formatIccConf({ apiUrls, callbackUrls, vlanInterfaces = '' }: AgentSettings): string {
  return [
    '',
    '[DEFAULT]',
    `api_url = ${apiUrls.join(',')}`,
    `inspection_callback_url = ${callbackUrls.join(',')}`,
    'insecure = True',
    `enable_vlan_interfaces = ${vlanInterfaces}`,
    '',
  ].join('\n');
}

/** A file as ICC writes it, which says of each whether it replaces another. */
export function renderIccFile(path: string, text: string, mode = publicMode): File {
  return { path, overwrite: false, contents: { source: textUrl(text) }, mode };
}

function renderFiles(settings: AgentSettings): File[] {
  const { caCertificates, hostname, keyfiles, ntpServers, pullSecret, registriesConf } = settings;
  const servers = ntpServers.map((server) => `\nserver ${server} iburst`).join('');
  return [
    renderIccFile(confPath, formatIccConf(settings)),
    ...keyfiles.map(({ name, text }) =>
      replacing(renderIccFile(`${keyfileFolder}/${name}`, text, secretMode)),
    ),
    ...(pullSecret === undefined
      ? []
      : [{ path: authFilePath, contents: { source: base64DataUrl(pullSecret) } }]),
    ...(caCertificates === undefined
      ? []
      : [renderIccFile('/etc/pki/ca-trust/source/anchors/ca.crt', caCertificates)]),
    renderIccFile('/etc/NetworkManager/conf.d/clientid.conf', clientId),
    ...(ntpServers.length === 0
      ? []
      : [{ path: '/etc/chrony.conf', append: [{ source: textUrl(`${servers}\n`) }], mode: publicMode }]),
    ...(hostname === undefined
      ? []
      : [renderIccFile('/etc/NetworkManager/dispatcher.d/01-hostname', formatDispatcher(hostname), 0o744)]),
    ...(registriesConf === undefined
      ? []
      : [replacing(renderIccFile('/etc/containers/registries.conf', registriesConf))]),
    renderIccFile('/etc/issue.d/ipa.issue', readAsset('templates/agent/icc.issue')),
    renderIccFile('/etc/motd.d/ipa.motd', formatMotd(settings)),
  ];
}

/** The DHCPv6 address stays the same between the ramdisk and the installed system. */
const clientId = '[connection]\nipv6.dhcp-duid=ll\nipv6.dhcp-iaid=mac';

function replacing(file: File): File {
  return { ...file, overwrite: true };
}

function textUrl(text: string): string {
  return `data:text/plain,${encodeURIComponent(text)}`;
}

function formatDispatcher(hostname: string): string {
  return fillTemplate(readAsset('templates/agent/icc-hostname'), { hostname });
}

function formatMotd(settings: AgentSettings): string {
  const { agentImage, apiUrls, callbackUrls, hostname, keyfiles } = settings;
  const { givenUrls = { api: apiUrls.join(','), inspector: callbackUrls.join(',') } } = settings;
  const lines = [
    `   Ironic API:       ${givenUrls.api}`,
    `   IPA Image:        ${agentImage}`,
    ...(givenUrls.inspector === '' ? [] : [`   Inspector API:    ${givenUrls.inspector}`]),
    ...(hostname === undefined ? [] : [`   Hostname:         ${hostname}`]),
    ...(keyfiles.length === 0 ? [] : ['   Network Config:   Custom NMState configuration applied']),
  ];
  const configuration = lines.map((line) => `${line}\n`).join('');
  return fillTemplate(readAsset('templates/agent/icc.motd'), { configuration });
}

/** Nothing is quoted or escaped, as there. */
function formatUnit(settings: AgentSettings): string {
  const { agentImage, copyNetwork = false, hostname = '', installIpOptions = '', pullSecret } = settings;
  return fillTemplate(readAsset('templates/agent/icc.service'), {
    ...proxyHoles(settings),
    ipOptions: installIpOptions,
    copyNetwork: String(copyNetwork),
    hostname,
    authfile: pullSecret === undefined ? '' : ` --authfile=${authFilePath}`,
    image: agentImage,
  });
}

/** The proxies for the unit's template. */
export function proxyHoles({ proxy }: AgentSettings): Record<'httpProxy' | 'httpsProxy' | 'noProxy', string> {
  const { http = '', https = '', noProxy } = proxy;
  return { httpProxy: http, httpsProxy: https, noProxy: noProxy.join(',') };
}

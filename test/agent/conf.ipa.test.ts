/** What the real agent makes of rendered confs: it starts, knows every name, and has the values that were asked for. */

import { describe, expect, it } from 'vitest';
import { renderAgentConf } from '../../src/agent/agentConfig.ts';
import { type AgentSettings, defaultSettings, profileNames } from '../../src/agent/settings.ts';
import { hasIpa, ipaNote, ipaVerdicts } from '../support/ipaOracle.ts';

const base: AgentSettings = {
  ...defaultSettings,
  apiUrls: ['https://192.0.2.1:6385', 'https://[2001:db8::1]:6385'],
  callbackUrls: ['https://192.0.2.1:5050/v1/continue'],
};

const cases: readonly (readonly [
  title: string,
  settings: AgentSettings,
  values: Readonly<Record<string, string>>,
])[] = [
  ...profileNames.map((profile) => {
    const values = {
      'DEFAULT.api_url': 'https://192.0.2.1:6385,https://[2001:db8::1]:6385',
      'DEFAULT.inspection_callback_url': 'https://192.0.2.1:5050/v1/continue',
    };
    return [`profile ${profile}`, { ...base, profile }, values] as const;
  }),
  ['mDNS', { ...base, apiUrls: ['mdns'], callbackUrls: [] }, { 'DEFAULT.api_url': 'mdns' }],
  ['standalone', { ...base, apiUrls: [], callbackUrls: [] }, {}],
  ['debug', { ...base, debug: true }, {}],
  ['all VLANs', { ...base, vlanInterfaces: 'all' }, { 'DEFAULT.enable_vlan_interfaces': 'all' }],
  ['no VLANs', { ...base, vlanInterfaces: '' }, { 'DEFAULT.enable_vlan_interfaces': '' }],
  [
    'VLANs of interfaces',
    { ...base, vlanInterfaces: 'eno1,eno2.100' },
    { 'DEFAULT.enable_vlan_interfaces': 'eno1,eno2.100' },
  ],
  ['certificates', { ...base, caCertificates: 'x' }, { 'DEFAULT.cafile': '/etc/ironic-python-agent/ca.crt' }],
  ['time servers', { ...base, ntpServers: ['one', 'two'] }, { 'DEFAULT.ntp_server': 'one' }],
  ['insecure', { ...base, verifyIronicTls: false }, {}],
  [
    'a conf and lines of the user',
    { ...base, userConf: '[mdns]\ninterfaces = a\n', optionLines: ['log_file = "$$HOME"', '[DEFAULT]'] },
    { 'DEFAULT.log_file': '$HOME' },
  ],
];

describe('rendered confs', () => {
  it.skipIf(!hasIpa)(`are what the agent is asked to do${ipaNote}`, () => {
    const verdicts = ipaVerdicts(cases.map(([, settings]) => renderAgentConf(settings)));
    const found = cases.map(([title], index) => ({ title, ...verdicts[index] }));
    expect(found).toEqual(
      cases.map(([title, , values]) =>
        expect.objectContaining({
          title,
          starts: true,
          unknown: [],
          values: expect.objectContaining(values),
        }),
      ),
    );
  });
});

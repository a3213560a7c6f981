/** What the real agent makes of rendered confs: it starts, knows every name, and has the values that were asked for. */

import { describe, expect, it } from 'vitest';
import { checkConf } from '../../src/agent/confCheck.ts';
import { type AgentSettings, defaultSettings, profileNames } from '../../src/agent/settings.ts';
import { hasIpa, ipaNote, ipaValuesWith, ipaVerdicts } from '../support/ipaOracle.ts';
import { renderedConf } from '../support/renderedConf.ts';

const base: AgentSettings = {
  ...defaultSettings,
  agentImage: 'registry.example.com/ironic-agent',
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
  ['debug', { ...base, confOptions: { debug: 'True', use_stderr: 'True' } }, {}],
  [
    'all VLANs',
    { ...base, confOptions: { enable_vlan_interfaces: 'all' } },
    { 'DEFAULT.enable_vlan_interfaces': 'all' },
  ],
  [
    'no VLANs',
    { ...base, confOptions: { enable_vlan_interfaces: '' } },
    { 'DEFAULT.enable_vlan_interfaces': '' },
  ],
  [
    'VLANs of interfaces',
    { ...base, confOptions: { enable_vlan_interfaces: 'eno1,eno2.100' } },
    { 'DEFAULT.enable_vlan_interfaces': 'eno1,eno2.100' },
  ],
  ['insecure', { ...base, verifyIronicTls: false }, {}],
  [
    'a conf and lines of the user',
    { ...base, userConf: '[mdns]\ninterfaces = a\n', optionLines: ['log_file = "$$HOME"', '[DEFAULT]'] },
    { 'DEFAULT.log_file': '$HOME' },
  ],
];

describe('rendered confs', () => {
  it.skipIf(!hasIpa)(`are what the agent is asked to do${ipaNote}`, () => {
    const verdicts = ipaVerdicts(cases.map(([, settings]) => renderedConf(settings)));
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

describe.skipIf(!hasIpa)(`rendered confs beside kernel arguments${ipaNote}`, () => {
  const confs: readonly (readonly [title: string, conf: string])[] = [
    ['default', renderedConf(base)],
    ['default with a CA', renderedConf({ ...base, caCertificates: 'x' })],
    ['default, standalone', renderedConf({ ...base, apiUrls: [], callbackUrls: [] })],
    ['default --insecure', renderedConf({ ...base, verifyIronicTls: false })],
    ['buildpy', renderedConf({ ...base, profile: 'buildpy' })],
    ['buildpy --option', renderedConf({ ...base, profile: 'buildpy', optionLines: ['insecure = False'] })],
    ['icc', renderedConf({ ...base, profile: 'icc' })],
    ['configure-coreos-ipa', renderedConf({ ...base, profile: 'configure-coreos-ipa' })],
  ];
  const insecureWith = (kernelArguments: string): Record<string, unknown> => {
    const values = ipaValuesWith(
      kernelArguments,
      'insecure',
      confs.map(([, conf]) => conf),
    );
    return Object.fromEntries(confs.map(([title], index) => [title, values[index]]));
  };
  const stated = {
    default: false,
    'default with a CA': false,
    'default, standalone': false,
    'default --insecure': true,
    'buildpy --option': false,
    icc: true,
  };

  it.each([
    ['ipa-insecure=1', true],
    ['ipa-insecure=1 ipa-insecure=0', false],
    ['ipa-insecure=on', true],
    ['ipa-insecure', false],
    ['', false],
  ])('only confs without a line follow %j: %s', (kernelArguments, value) => {
    expect(insecureWith(kernelArguments)).toEqual({
      ...stated,
      buildpy: value,
      'configure-coreos-ipa': value,
    });
  });

  it('the finding names the confs that follow', () => {
    const found = confs.filter(([, conf]) =>
      checkConf(conf).some(({ rule }) => rule === 'conf-insecure-unset'),
    );
    expect(found.map(([title]) => title)).toEqual(['buildpy', 'configure-coreos-ipa']);
  });
});

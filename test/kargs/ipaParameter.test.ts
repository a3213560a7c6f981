import { describe, expect, it } from 'vitest';
import { parseArgument } from '../../src/kargs/argument.ts';
import { checkIpaArgument, ipaArgument } from '../../src/kargs/ipaParameter.ts';

describe('ipaArgument', () => {
  it.each([
    ['insecure=1', 'ipa-insecure=1'],
    ['ipa-insecure=1', 'ipa-insecure=1'],
    ['api_url=https://192.0.2.1:6385', 'ipa-api-url=https://192.0.2.1:6385'],
    ['api-url=https://h?a=b', 'ipa-api-url=https://h?a=b'],
    ['ip_lookup_sleep=5', 'ipa-ip-lookup-timeout=5'],
    ['no_such_name=x', 'ipa-no-such-name=x'],
    ['insecure', 'ipa-insecure'],
    ['enable_vlan_interfaces=', 'ipa-enable-vlan-interfaces='],
    ['=1', '=1'],
  ])('%s', (assignment, argument) => {
    expect(ipaArgument(assignment)).toBe(argument);
  });
});

describe('checkIpaArgument', () => {
  it.each(
    `ipa-insecure=1 ipa-lookup-timeout=1_0 ipa-insecure=True ipa-debug=1 ipa-debug=verbose ipa-lldp-timeout= ipa-listen-port=9999 ipa-lldp-timeout=30.5 ipa-lookup-timeout=600
    ipa-tls-min-version=1.3 ipa-enable-vlan-interfaces= ipa-api-url=https://h:6385
    ipa-listen-port=0 ipa-http-request-timeout=1 ipa-inject-files-priority=99
    ipa-api-url=https://h:6385/v10 ipa-inspection-callback-url=https://h/v1
    ipa-inspection-collectors=default,logs ipa-inspection-benchmarks=cpu,mem`.split(/\s+/),
  )('accepts %s', (text) => {
    expect(checkIpaArgument(parseArgument(text))).toEqual([]);
  });

  it.each([
    ['ipa-insecure', 'conf-unusable', /NAME=VALUE/],
    ['ipa-insecrue=1', 'conf-unknown', /ipa-insecure/],
    ['ipa-log-file=/x', 'conf-unknown', /log_file.*no kernel parameter/],
    ['ipa-standalone=1', 'conf-unknown', /6\.6\.0/],
    ['ipa-zzzzzzzzzzzz=1', 'conf-unknown', /./],
    ['ipa-insecure=maybe', 'conf-value', /^use true or false/],
    ['ipa-insecure=', 'conf-value', /./],
    ['ipa-insecure=y', 'conf-value', /^use true or false/],
    [
      'ipa-inspection-collectors=default,usb_devices',
      'conf-collector',
      /^use usb-devices; the agent contains/,
    ],
    ['ipa-inspection-collectors=default,mine', 'conf-collector', /dmi-decode/],
    ['ipa-listen-port=65536', 'conf-value', /./],
    ['ipa-listen-port=-1', 'conf-value', /an integer from 0 to 65535/],
    ['ipa-lookup-timeout=ten', 'conf-value', /./],
    ['ipa-inject-files-priority=100', 'conf-value', /./],
    ['ipa-http-request-timeout=0', 'conf-value', /./],
    ['ipa-lookup-timeout=', 'conf-value', /./],
    ['ipa-lldp-timeout=x', 'conf-value', /./],
    ['ipa-tls-min-version=1.1', 'conf-value', /./],
    ['ipa-api-url=ftp://h', 'conf-value', /./],
    ['ipa-api-url=https://h:6385/v1', 'conf-unusable', /^remove \/v1/],
    ['ipa-api-url=https://a/v1/,https://b', 'conf-unusable', /^remove \/v1/],
    ['ipa-agent-token=secret', 'ipa-parameter-secret', /./],
  ])('%s breaks %s', (text, rule, hint) => {
    const issues = checkIpaArgument(parseArgument(text));
    expect(issues.map((issue) => issue.rule)).toEqual([rule]);
    expect(issues[0]?.hint).toMatch(hint);
  });
});

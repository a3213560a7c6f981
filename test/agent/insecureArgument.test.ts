import { describe, expect, it } from 'vitest';
import { checkInsecureArgument } from '../../src/agent/insecureArgument.ts';
import { parseArguments } from '../../src/kargs/argument.ts';
import type { Config } from '../../src/ignition/config.ts';
import { render, withConf, withFiles } from './lint/support.ts';

const secure = withConf('[DEFAULT]\napi_url = https://192.0.2.1\n');
const turnsOff = ['ipa-insecure'];

describe('checkInsecureArgument', () => {
  it.each<[string, string, Config, readonly string[]]>([
    ['https', 'ipa-insecure=1', secure, turnsOff],
    ['any word for true', 'ipa-insecure=Yes', secure, turnsOff],
    ['the last argument counts', 'ipa-insecure=0 ipa-insecure=1', secure, turnsOff],
    ['a later 0', 'ipa-insecure=1 ipa-insecure=0', secure, []],
    ['no value', 'ipa-insecure', secure, []],
    ['another argument', 'ipa-insecure-x=1', secure, []],
    ['a CA', 'ipa-insecure=1', withConf('[DEFAULT]\napi_url = http://a\ncafile = /x\n'), turnsOff],
    ['an empty CA', 'ipa-insecure=1', withConf('[DEFAULT]\napi_url = http://a\ncafile =\n'), []],
    ['http', 'ipa-insecure=1', withConf('[DEFAULT]\napi_url = http://192.0.2.1\n'), []],
    [
      'an https callback',
      'ipa-insecure=1',
      withConf('[DEFAULT]\ninspection_callback_url = https://192.0.2.1/v1/continue\n'),
      turnsOff,
    ],
    [
      'the URL in an argument',
      'ipa-insecure=1 ipa-api-url=https://192.0.2.1',
      withConf('[DEFAULT]\ndebug = 1\n'),
      turnsOff,
    ],
    ['profile default', 'ipa-insecure=1', render(), []],
    ['profile default --insecure', 'ipa-insecure=1', render({ verifyIronicTls: false }), []],
    ['profile buildpy', 'ipa-insecure=1', render({ profile: 'buildpy' }), turnsOff],
    ['profile icc, which never verifies', 'ipa-insecure=1', render({ profile: 'icc' }), []],
    ['profile configure-coreos-ipa', 'ipa-insecure=1', render({ profile: 'configure-coreos-ipa' }), turnsOff],
    ['no conf', 'ipa-insecure=1', { ignition: { version: '3.4.0' } }, []],
    [
      'a conf that Ignition fetches',
      'ipa-insecure=1',
      withFiles({ path: '/etc/ironic-python-agent.conf', contents: { source: 'https://192.0.2.1/conf' } }),
      [],
    ],
  ])('%s', (_title, text, config, expected) => {
    expect(checkInsecureArgument(parseArguments(text), config).map(({ rule }) => rule)).toEqual(expected);
  });
});

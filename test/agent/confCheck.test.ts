import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkConf, checkConfFile } from '../../src/agent/confCheck.ts';
import { addressRules } from '../../src/agent/machineAddress.ts';
import { parseIpaVersion } from '../../src/ipa/ipaOptions.ts';
import { confRules } from '../../src/ipa/confRules.ts';
import { quoteOsloValue } from '../../src/formats/osloConfig.ts';
import { compareConfs, ignoredNames, starts } from '../support/ipaAgreement.ts';
import { ipaConf } from '../support/ipaConfs.ts';
import { hasIpa, ipaNote, ipaVerdicts } from '../support/ipaOracle.ts';
import { sharedData, sharedDataNote } from '../support/sharedData.ts';

/** `rule line:column`, one for each finding. */
function summary(text: string): string[] {
  return checkConf(text).map(({ rule, position }) => `${rule} ${position?.line}:${position?.column}`);
}

describe('checkConf', () => {
  it.each([
    ['an empty file', '', []],
    ['what build.py writes', '[DEFAULT]\napi_url = http://192.0.2.1:6385\n\n', []],
    ['an indented option', '[DEFAULT]\n  debug = true\n', ['conf-syntax 2:1']],
    [
      'all broken lines, not the first only',
      'debug = 1\n[]\ntext\n',
      ['conf-syntax 1:1', 'conf-syntax 2:1', 'conf-syntax 3:1'],
    ],
    ['a comment behind a header', '[DEFAULT] # c\ndebug = x\n', ['conf-syntax 1:1', 'conf-value 2:9']],
    ['an unknown option', '[DEFAULT]\nnot_an_option = 1\n', ['conf-unknown 2:1']],
    ['an option of older releases', '[DEFAULT]\nstandalone = true\n', ['conf-unknown 2:1']],
    ['an unknown section, once', '[nope]\na = 1\nb = 2\n', ['conf-unknown 1:1']],
    ['an empty unknown section', '[nope]\n', []],
    ['a section in other letters', '[MDNS]\nlookup_attempts = 0\n', ['conf-value 2:19']],
    ['a switch that is none', '[DEFAULT]\ndebug = maybe\n', ['conf-value 2:9']],
    ['a choice', '[DEFAULT]\nadvertise_protocol = HTTPS\n', ['conf-value 2:22']],
    ['a choice in any case', '[DEFAULT]\nlog_rotation_type = SIZE\n', []],
    ['a port', '[DEFAULT]\nlisten_port = 65536\n', ['conf-value 2:15']],
    ['a number in hex', '[DEFAULT]\nlookup_timeout = 0x10\n', ['conf-value 2:18']],
    ['a number with a fraction', '[DEFAULT]\nlldp_timeout = 1.5\n', []],
    ['a number without digits', '[DEFAULT]\nlldp_timeout = 1.5s\n', ['conf-value 2:16']],
    ['no number with a fraction', '[DEFAULT]\nlldp_timeout =\n', ['conf-unusable 2:15']],
    ['an empty number', '[DEFAULT]\nlookup_timeout =\n', ['conf-unusable 2:17']],
    ['pairs', '[mdns]\nparams = a:"b,c",d:e\n', []],
    ['a reference, which is not followed', '[DEFAULT]\nlookup_timeout = $nope\n', []],
    ['an old name', '[DEFAULT]\nlogfile = /x\n', []],
    ['an old name in another section', '[ssl]\ncert_file = /x\n', []],
    [
      'a repeated option, where the last counts',
      '[DEFAULT]\ndebug = x\ndebug = yes\n',
      ['conf-overridden 2:1'],
    ],
    ['an old name beside the new one', '[DEFAULT]\nlog_file = /a\nlogfile = /x\n', ['conf-overridden 3:1']],
    ['a time server on the machine itself', '[DEFAULT]\nntp_server = localhost\n', ['agent-address 2:14']],
    ['a time server without an address', '[DEFAULT]\nntp_server = 0.0.0.0\n', ['conf-unusable 2:14']],
    ['a comment behind a value', '[DEFAULT]\nntp_server = a # c\n', ['conf-unusable 2:14']],
    ['a private address', '[DEFAULT]\napi_url = https://10.0.0.1\ninsecure = no\n', ['conf-ca-missing 2:11']],
    [
      'an internal name in a second URL',
      '[DEFAULT]\napi_url = https://192.0.2.1,https://ironic.lan\ninsecure = no\n',
      ['conf-ca-missing 2:11'],
    ],
    [
      'a private address for inspection data',
      '[DEFAULT]\ninspection_callback_url = https://[fd00::1]/v1/continue\ninsecure = no\n',
      ['conf-ca-missing 2:27'],
    ],
    [
      'a private address with a CA',
      '[DEFAULT]\napi_url = https://10.0.0.1\ncafile = /x\ninsecure = no\n',
      [],
    ],
    ['a private address without verification', '[DEFAULT]\napi_url = https://10.0.0.1\ninsecure = 1\n', []],
    ['a private address without TLS', '[DEFAULT]\napi_url = http://10.0.0.1\n', []],
    ['a public name', '[DEFAULT]\napi_url = https://ironic.example.com\ninsecure = no\n', []],
    ['a second URL that is none', '[DEFAULT]\napi_url = http://a,b\n', ['conf-unusable 2:11']],
    [
      'a path with two slashes',
      '[DEFAULT]\ninspection_callback_url = https://192.0.2.1:5050//v1/continue\ninsecure = no\n',
      ['conf-unusable 2:27'],
    ],
    [
      'a path that is there twice',
      '[DEFAULT]\ninspection_callback_url = https://192.0.2.1/v1/continue_inspection/v1/continue\ninsecure = no\n',
      ['conf-unusable 2:27'],
    ],
    ['a path of ironic-inspector', '[DEFAULT]\ninspection_callback_url = http://a/v1/continue\n', []],
    [
      'a collector that is misspelled',
      '[DEFAULT]\ninspection_collectors = defualt,logs\n',
      ['conf-collector 2:25'],
    ],
    [
      'collectors without commas',
      '[DEFAULT]\ninspection_collectors = default;logs\n',
      ['conf-collector 2:25'],
    ],
    ['collectors', '[DEFAULT]\ninspection_collectors = default, usb-devices,\n', []],
    ['no collectors', '[DEFAULT]\ninspection_collectors =\n', []],
    [
      'a collector that the agent does not contain',
      '[DEFAULT]\ninspection_collectors = default, my-own,\n',
      ['conf-collector 2:25'],
    ],
    [
      'nothing about verification beside a CA',
      '[DEFAULT]\napi_url = http://192.0.2.1\ncafile = /x\n',
      ['conf-insecure-unset 3:1'],
    ],
    [
      'nothing about verification of a second URL',
      '[DEFAULT]\napi_url = http://a,HTTPS://192.0.2.1\n',
      ['conf-insecure-unset 2:1'],
    ],
    [
      'nothing about verification of the callback',
      '[DEFAULT]\ninspection_callback_url = https://192.0.2.1/v1/continue\n',
      ['conf-insecure-unset 2:1'],
    ],
    ['nothing to verify', '[DEFAULT]\napi_url = http://192.0.2.1\ncafile =\n', []],
    ['an option of another section that is gone', '[ssl]\nca_file = /x\n', ['conf-unknown 2:1']],
    ['a callback that is no URL', '[DEFAULT]\ninspection_callback_url = not a url\n', ['conf-unusable 2:27']],
    [
      'columns in bytes',
      '[DEFAULT]\nlookup_timeoüt = 1\nlog_dir: "é"\ndebug: é\n',
      ['conf-unknown 2:1', 'conf-value 4:8'],
    ],
  ])('%s', (_title, text, expected) => {
    expect(summary(text)).toEqual(expected);
  });

  it.each([
    ['[DEFALT]\ndebug = 1\n', 'use "[DEFAULT]"'],
    ['[ default ]\ndebug = 1\n', 'use "[DEFAULT]"'],
    ['[DEFAULT]\nlookup-timeout = 1\n', 'use "lookup_timeout"'],
    ['[DEFAULT]\nipa-api-url = http://x\n', 'use "api_url"'],
    ['[DEFAULT]\nuse_mdns = true\n', 'use "use_mdns" in [mdns]'],
    ['[DEFAULT]\ninsecur = true\n', 'use "insecure"'],
    ['[DEFAULT]\ntls_min_version = 1.1\n', 'use one of: 1.2, 1.3'],
    [
      '[DEFAULT]\ninject_files_priority = 100\n',
      'use an integer from 0 to 99 in decimal digits, without a unit',
    ],
  ])('hints for %j', (text, hint) => {
    expect(checkConf(text).map((finding) => finding.hint)).toContain(hint);
  });

  it.each([
    '[DEFAULT]\nsesame\n',
    '[DEFAULT]\npassword_of_mine = sesame\n',
    '[DEFAULT]\nimage_server_password = a # sesame\n',
    '[DEFAULT]\napi_url = http://x,ftp://user:sesame@x\n',
    '[DEFAULT]\napi_url = http://x,user:sesame@x\n',
  ])('does not repeat the secret in %j', (text) => {
    const findings = checkConf(text);
    expect(findings).not.toEqual([]);
    expect(JSON.stringify(findings)).not.toContain('sesame');
  });

  it('declares every rule that it reports, each once', () => {
    const ids = [confRules, addressRules].flatMap((rules) => Object.values(rules)).map(({ rule }) => rule);
    expect(new Set(ids).size).toBe(ids.length);
    const declared = fc.property(ipaConf, (text) => checkConf(text).every(({ rule }) => ids.includes(rule)));
    fc.assert(declared, { examples: [['[DEFAULT]\napi_url = https://[::1]:6385\n']] });
  });

  it('takes any text, in linear time', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        // No option has this name, so its line is reported, and so may the others be.
        const lines = checkConf(`[DEFAULT]\nmdns = ${text}`).map(({ position }) => position?.line ?? 0);
        expect(lines).toContain(2);
        expect(lines).toEqual(lines.toSorted((a, b) => a - b));
        expect(lines.at(-1)).toBeLessThanOrEqual(2 + text.length);
      }),
    );
  });
});

describe.skipIf(sharedData === undefined)(
  `checkConf and recorded verdicts of the agent${sharedDataNote}`,
  () => {
    const folder = join(sharedData ?? '', 'agent-golden/ipaconf');
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.conf')) : [];
    const cases = names.filter((name) => isChecked(readFileSync(join(folder, name), 'utf8')));

    it.each(cases)('%s', (name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      const { rc, unknown } = JSON.parse(readFileSync(join(folder, name.replace(/conf$/, 'json')), 'utf8'));
      expect(starts(text)).toBe(rc !== 1);
      const ignored = unknown.map(
        (option: { section: string; name: string }) => `${option.section}.${option.name}`,
      );
      expect(ignoredNames(text)).toEqual(ignored.toSorted());
    });
  },
);

/** Values with references to options, and the pairs of [mdns] params, are not checked. */
function isChecked(text: string): boolean {
  return !/\$|^params[ \t]*[=:]/m.test(text.replaceAll('\r', '\n'));
}

describe.skipIf(!hasIpa)(`checkConf and the agent itself${ipaNote}`, () => {
  const runs = Number(process.env['IPA_CASES'] ?? 400);

  it('agree whether the agent starts and which names it ignores', () => {
    const texts = fc.sample(ipaConf.filter(isChecked), runs);
    const compared = compareConfs(texts);
    expect(compared).toHaveLength(texts.length);
    const different = compared.filter(({ agrees }) => !agrees);
    expect(different.map((conf) => ({ ...conf, findings: checkConf(conf.text) }))).toEqual([]);
    expect(compared.filter(({ verdict }) => verdict.starts).length).toBeGreaterThan(runs / 10);
  });

  it('any value that is quoted arrives as it is', () => {
    const line = fc.string({
      unit: fc.constantFrom('$', '\\', '"', "'", ' ', '\t', 'a', '{', '}', '#', '=', '\u00a0', 'é'),
    });
    const values = fc.sample(fc.array(line, { minLength: 1, maxLength: 3 }), runs).flatMap((lines) => {
      const further = lines
        .slice(1)
        .map((text) => text.replaceAll(/^\s+|\s+$/g, ''))
        .filter((text) => text !== '');
      return [[lines[0], ...further].join('\n')];
    });
    const verdicts = ipaVerdicts(values.map((text) => `[DEFAULT]\nntp_server = ${quoteOsloValue(text)}\n`));
    expect(verdicts.map((verdict) => verdict.values['DEFAULT.ntp_server'])).toEqual(values);
  });
});

describe('checkConf for a release', () => {
  it.each([
    ['11.1', '[DEFAULT]\nimage_download_max_duration = x\n', ['conf-unknown']],
    ['11.2', '[DEFAULT]\nimage_download_max_duration = x\n', ['conf-value']],
    ['10', '[container]\nrunner = docker\nrun_options = x\n', ['conf-unknown', 'conf-unknown']],
    ['10', '[DEFAULT]\nagent_token_required = x\n', []],
    ['11', '[DEFAULT]\nagent_token_required = x\n', ['conf-unknown']],
    ['10', '[ssl]\ncert_file = /x\n', []],
    ['11.1', '[ssl]\ncert_file = /x\n', []],
    ['10', '[DEFAULT]\ntls_cert_file = /x\n', ['conf-unknown']],
    ['9.4', '[DEFAULT]\ncollect_lldp = on\n', []],
    ['9.5', '[DEFAULT]\ncollect_lldp = on\n', []],
  ])('%s: %j', (version, text, expected) => {
    const findings = checkConf(text, parseIpaVersion(version));
    expect(findings.map(({ rule }) => rule)).toEqual(expected);
  });
});

describe('checkConfFile', () => {
  it.each([
    ['what starts', '[DEFAULT]\ndebug = on\n', true, []],
    ['what is ignored', '[DEFAULT]\ndebugg = on\n', true, ['conf-unknown 2:1']],
    ['what does not start', '[DEFAULT]\ndebug = x\n', false, ['conf-value 2:9']],
    ['a byte order mark', '\ufeff[DEFAULT]\n', false, ['conf-syntax 1:1']],
    ['nothing', '', true, []],
  ])('%s', (_title, text, valid, expected) => {
    const report = checkConfFile(Buffer.from(text));
    const found = report.findings.map(
      ({ rule, position }) => `${rule} ${position?.line}:${position?.column}`,
    );
    expect({ valid: report.valid, found }).toEqual({ valid, found: expected });
  });

  it.each([
    ['5b44454641554c545d0a610a62ff', 3, 2],
    ['ff', 1, 1],
    ['0ae282', 2, 1],
    ['c3a4eda080', 1, 3],
    ['61ef', 1, 2],
    ['efbf', 1, 1],
    ['61ef41', 1, 2],
  ])('finds what is not UTF-8 in %s', (hex, line, column) => {
    const { valid, findings } = checkConfFile(Buffer.from(hex, 'hex'));
    expect(valid).toBe(false);
    expect(findings).toMatchObject([{ rule: 'conf-syntax', position: { line, column } }]);
  });

  it('takes any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const { valid, findings } = checkConfFile(bytes);
        expect(valid).toBe(findings.every(({ severity }) => severity !== 'error'));
      }),
    );
  });
});

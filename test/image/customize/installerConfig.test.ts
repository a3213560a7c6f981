import * as fc from 'fast-check';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/core/errors.ts';
import { checkInstallerConfig, type InstallerDevice } from '../../../src/image/customize/installerConfig.ts';
import { formatYaml } from '../../../src/formats/yamlText.ts';

const check = (text: string): InstallerDevice | undefined =>
  checkInstallerConfig(Buffer.from(text), 'x.yaml');

/** Undefined where all is well. */
const problemOf = (text: string): unknown => {
  try {
    check(text);
    return undefined;
  } catch (error) {
    const isExpected =
      error instanceof CliError && error.message.startsWith('parsing installer config x.yaml: ');
    return isExpected ? undefined : error;
  }
};

describe('checkInstallerConfig', () => {
  it.each([
    ['nothing', ''],
    ['an empty mapping', '{}'],
    ['a comment', '# nothing\n'],
    ['JSON', '{"stream": "stable", "offline": true}'],
    ['numbers and booleans for texts', 'stream: 1\nplatform: true\nappend-karg: [1, true]\n'],
    ['keys without values', 'stream:\nappend-karg:\nimage-url: null\narchitecture: ~\n'],
    ['retries', 'fetch-retries: 3'],
    ['retries as text', 'fetch-retries: "3"'],
    ['endless retries', 'fetch-retries: infinite'],
    ['consoles', 'console: [tty0, "ttyS1,115200n8"]'],
    ['a digest', `ignition-hash: sha256-${'aB'.repeat(32)}`],
    ['lists', 'save-partlabel: [a, b]\nsave-partindex: [1-5, "-7"]\ndelete-karg: [quiet]\n'],
    [
      'all other keys',
      'image-url: https://example.com/x\nimage-file: a\nignition-file: b\nignition-url: http://c/\ncopy-network: true\n' +
        'network-dir: d\ninsecure: false\ninsecure-ignition: true\nstream-base-url: http://e\npreserve-on-error: true\n' +
        'secure-ipl: true\n',
    ],
  ])('takes %s', (_title, text) => {
    expect(check(text)).toBeUndefined();
  });

  it('tells whether there is a disk', () => {
    expect(check('offline: true\ndest-device: /dev/sda')).toEqual({
      device: '/dev/sda',
      at: { file: 'x.yaml', line: 2, column: 14 },
    });
  });

  it.each([
    ['append-kargs: [a]', 'unknown field `append-kargs` at line 1 column 15'],
    ['firstboot-args: a', 'unknown field `firstboot-args` at line 1 column 17'],
    ['config-file: [a]', 'unknown field `config-file` at line 1 column 14'],
    ['<<: {stream: a}', 'unknown field `<<` at line 1 column 5'],
    ['text', 'the file is not a mapping at line 1 column 1'],
    ['[]', 'the file is not a mapping at line 1 column 1'],
    ['stream: [a]', 'stream: expected a string at line 1 column 9'],
    ['append-karg: a', 'append-karg: expected a list at line 1 column 14'],
    ['append-karg:\n- a\n- {b: c}', 'append-karg: expected a string at line 3 column 3'],
    ['copy-network: yes', 'copy-network: expected true or false at line 1 column 15'],
    ['offline: null', 'offline: expected true or false at line 1 column 10'],
    ['image-url: foo', 'image-url: expected a URL with scheme and host at line 1 column 12'],
    ['ignition-hash: sha256-abcd', 'ignition-hash: expected sha256- or sha512-'],
    [`ignition-hash: sha512-${'ab'.repeat(32)}`, 'ignition-hash: expected sha256- or sha512-'],
    ['console: [foo]', 'console: invalid or unsupported console argument at line 1 column 11'],
    ['console: [1]', 'console: expected a console at line 1 column 11'],
    ['fetch-retries: -1', 'fetch-retries: expected a number or "infinite"'],
    ['fetch-retries: 4294967296', 'fetch-retries: expected a number or "infinite"'],
    ['stream: a\nstream: b', 'Invalid YAML: '],
    ['a: [', 'Invalid YAML: '],
    ['stream: a\n---\nstream: b', 'The YAML file contains more than one document'],
  ])('refuses %j', (text, message) => {
    expect(() => check(text)).toThrow(CliError);
    expect(() => check(text)).toThrow(`parsing installer config x.yaml: ${message}`);
  });

  it('refuses bytes that are not UTF-8', () => {
    const bytes = Buffer.from('stream: \xff', 'latin1');
    expect(() => checkInstallerConfig(bytes, 'x.yaml')).toThrow(
      'parsing installer config x.yaml: the file is not UTF-8',
    );
  });

  it('gives nothing but CliErrors', () => {
    const line = fc.tuple(
      fc.constantFrom('stream', 'console', 'image-url', 'fetch-retries', 'offline', 'x'),
      fc.oneof(
        fc.string(),
        fc.jsonValue().map((value) => JSON.stringify(value)),
      ),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        expect(problemOf(lines.map(([key, value]) => `${key}: ${value}\n`).join(''))).toBeUndefined();
      }),
    );
  });
});

describe('the config that is written', () => {
  it('keeps the order of the settings', () => {
    const settings = {
      'ignition-file': '/etc/coreos/dest.ign',
      console: ['ttyS0,9600n8'],
      'append-karg': ['quiet', 'true', '12', 'a: b', "it's # x", '', 'a\nb'],
      'copy-network': true as const,
      'dest-device': '/dev/sda',
    };
    const text = formatYaml([settings]);
    expect(load(text)).toEqual(settings);
    expect(text.match(/^[a-z-]+(?=:)/gm)).toEqual(Object.keys(settings));
  });

  it('gives every text back', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (kargs) => {
        const settings = { 'append-karg': kargs };
        expect(load(formatYaml([settings]))).toEqual(settings);
        expect(check(formatYaml([settings]))).toBeUndefined();
      }),
    );
  });
});

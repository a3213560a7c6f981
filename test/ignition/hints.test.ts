import { describe, expect, it } from 'vitest';
import { documentRules, validateConfig } from '../../src/ignition/validate.ts';

const yaml =
  'add "variant: fcos" and "version: 1.6.0" if this is a Butane config; name an Ignition config that is written in YAML *.yaml';
const utf16 = 'save the document as UTF-8; it seems to be UTF-16';
const none = documentRules['json-syntax'].hint;

describe('syntaxHint', () => {
  it.each([
    ['a byte order mark', '\xef\xbb\xbf{}', 'save the document as UTF-8 without a byte order mark'],
    ['UTF-16, little end first', '\xff\xfe{\0', utf16],
    ['UTF-16, big end first', '\xfe\xff\0{', utf16],
    ['gzip', '\x1f\x8b\x08', 'decompress the document first: it is compressed with gzip'],
    ['xz', '\xfd7zXZ\0', 'decompress the document first: it is compressed with xz'],
    ['zstd', '\x28\xb5\x2f\xfd', 'decompress the document first: it is compressed with zstd'],
    ['half of the mark of gzip', '\x1f\x8c\x08', none],
    ['the other half of it', '\x0e\x8b\x08', none],
    ['a control character at the beginning', '\x1f{}', none],
    [
      'a key of Butane',
      'variant: fcos',
      'translate the Butane config first, with `ironic-coreos ignition from-butane`',
    ],
    ['a key of YAML in capitals, behind blanks', ' \t\r\n_Variant: fcos', yaml],
    ['a comment of YAML', '# x', yaml],
    ['the start of a document of YAML', '---\nvariant: fcos', yaml],
    ['a key of YAML that begins like null', 'name: x', yaml],
    ['a sentence', 'variant is: fcos', none],
    ['a key of YAML that comes late', `${'a'.repeat(40)}: x`, none],
    ['two bytes that are no text', '\x0e:', none],
    [
      'the end of a text',
      '{"a":',
      'close all quotes and brackets: the document ends too early, or the file is incomplete',
    ],
    ['a comma before a brace', '{"a":1,\n}', 'remove the comma before the "}"'],
    ['a comma before a bracket', '[1,\n]', 'remove the comma before the "]"'],
    ['a word for a key', '{a:1}', none],
    ['a word for a value', '[x]', none],
    ['a brace for a value', '[}', none],
    ['a bracket for a key', '{]', none],
    [
      'a line feed',
      '{"a":"x\ny"}',
      'close the string on the line where it starts, and write a line feed as \\n',
    ],
    [
      'a carriage return',
      '{"a":"x\ry"}',
      'close the string on the line where it starts, and write a line feed as \\n',
    ],
    ['a tab', '{"a":"x\ty"}', 'write a tab inside a string as \\t'],
    ['another control character', '{"a":"x\x01y"}', 'write control characters as \\u and four digits'],
    ['a bad escape', '{"a":"C:\\x"}', 'write a backslash as \\\\'],
    [
      'a string behind an item',
      '[1 "b"]',
      'add the missing comma before this, or write a quote inside a string as \\"',
    ],
    [
      'a string behind a member',
      '{"a":1 "b":2}',
      'add the missing comma before this, or write a quote inside a string as \\"',
    ],
    ['a string behind a key', '{"a" "b"}', none],
    ['a number behind an item', '[1 2]', none],
    ['a single quote', "{'a':1}", 'use double quotes'],
    ['a comment for a value', '[/**/]', 'remove the comment: JSON does not support comments'],
    ['another comment for a value', '[#\n]', 'remove the comment: JSON does not support comments'],
    ['a comment for a key', '{// x\n}', 'remove the comment: JSON does not support comments'],
    ['a word that is not quite one', '{"a":tru}', none],
    ['the wrong bracket', '{"a":1]', none],
    [
      'a second document',
      '{"a":1}\n{"b":2}',
      'write one document per file; "ironic-coreos ignition merge" merges several configs',
    ],
    ['text behind the document', '{"a":1} x y', 'remove the text after the end of the document'],
    [
      'an error page',
      '<!DOCTYPE html>\n<html>',
      'download the config again: this is HTML or XML, for example the error page of a web server',
    ],
    [
      'base64',
      Buffer.from('{"ignition":{}}').toString('base64'),
      'decode the document first: it is encoded as base64',
    ],
    ['a script', '#!ipxe\nboot', none],
    ['a data URL', 'data:;base64,e30=', none],
  ])('of %s', (_title, text, hint) => {
    expect(validateConfig(Buffer.from(text, 'latin1')).findings).toMatchObject([
      { rule: 'json-syntax', hint },
    ]);
  });
});

/** The hint on a document whose first mistake is a value of a wrong type. */
const hintOn = (text: string) => validateConfig(Buffer.from(text)).findings[0]?.hint;
const config = (members: string, version = '3.4.0') => `{"ignition":{"version":"${version}"},${members}}`;
const inFile = (members: string) => config(`"storage":{"files":[{${members}}]}`);
const inUser = (id: string) => inFile(`"user":{"id":${id}}`);
const digits = (count: number) => '1'.repeat(count);

describe('typeHint', () => {
  it.each([
    ['"x"', 'an object, not a string'],
    ['true', 'an object, not true or false'],
    ['[]', 'an object, not a list'],
  ])('of %s as a document', (text, hint) => {
    expect(hintOn(text)).toBe(`set the document to ${hint}`);
  });

  it.each([
    ['3.4', '3.4.0'],
    ['3', '3.0.0'],
    ['340', '3.4.0'],
    ['{}', '3.4.0'],
  ])('of the version %s', (version, known) => {
    const text = `{"ignition":{"version":${version}}}`;
    expect(hintOn(text)).toBe(`set ignition.version to "${known}", with quotes`);
  });

  it.each([
    ['"0644"', '420, without quotes: octal 644 in decimal'],
    ['"0o755"', '493, without quotes: octal 755 in decimal'],
    ['"77777"', '32767, without quotes: octal 77777 in decimal'],
    ['"777777"', 'a decimal number: octal 0644 is 420'],
    ['"800"', 'a decimal number: octal 0644 is 420'],
    ['"x644"', 'a decimal number: octal 0644 is 420'],
    ['"644x"', 'a decimal number: octal 0644 is 420'],
    ['-1.5', 'an integer of at most 64 bits, with digits only'],
    ['true', 'an integer, not true or false'],
    ['{}', 'an integer, not an object'],
    ['[]', 'an integer, not a list'],
  ])('of the mode %s', (mode, hint) => {
    expect(hintOn(inFile(`"mode":${mode}`))).toBe(`set storage.files.0.mode to ${hint}`);
  });

  it.each([
    ['"-5"', '-5, without quotes'],
    ['"111111111111111111"', '111111111111111111, without quotes'],
    [`"${digits(15)}"`, `${digits(15)}, without quotes`],
    [`"${digits(19)}"`, 'an integer, not a string'],
    ['"1.5"', 'an integer, not a string'],
    ['"x5"', 'an integer, not a string'],
    ['"5x"', 'an integer, not a string'],
    ['1e3', 'an integer of at most 64 bits, with digits only'],
  ])('of the number %s', (id, hint) => {
    expect(hintOn(inUser(id))).toBe(`set storage.files.0.user.id to ${hint}`);
  });

  it.each([
    ['1', 'true or false, not a number'],
    ['"yes"', 'true or false, not a string'],
    ['"true"', 'true, without quotes'],
    ['"false"', 'false, without quotes'],
  ])('of %s for true or false', (value, hint) => {
    expect(hintOn(inFile(`"overwrite":${value}`))).toBe(`set storage.files.0.overwrite to ${hint}`);
  });

  it.each([
    ['true', 'a string: put quotes around true'],
    ['false', 'a string: put quotes around false'],
    ['-1', 'a string: put quotes around -1'],
    ['[]', 'a string, not a list'],
    ['{}', 'a string, not an object'],
    [digits(40), `a string: put quotes around ${digits(40)}`],
    [digits(41), 'a string, not a number'],
  ])('of %s for a string', (value, hint) => {
    expect(hintOn(inFile(`"path":${value}`))).toBe(`set storage.files.0.path to ${hint}`);
  });

  it.each([
    ['"storage":"x"', 'storage', 'an object, not a string'],
    ['"storage":"true"', 'storage', 'an object, not a string'],
    ['"storage":{"files":[{"contents":5}]}', 'storage.files.0.contents', 'an object, not a number'],
    ['"storage":false', 'storage', 'an object, not true or false'],
    ['"storage":{"files":"x"}', 'storage.files', 'a list: put [ ] around the value'],
    ['"storage":{"files":{}}', 'storage.files', 'a list: put [ ] around the value'],
    ['"storage":{"files":[[]]}', 'storage.files.0', 'an object, not a list'],
    ['"storage":{"files":["/a"]}', 'storage.files.0', 'an object, not a string'],
    [
      '"storage":{"files":[{"contents":{"httpHeaders":{}}}]}',
      'storage.files.0.contents.httpHeaders',
      'a list, not an object',
    ],
  ])('of %s', (members, path, hint) => {
    expect(hintOn(config(members))).toBe(`set ${path} to ${hint}`);
  });

  it.each([
    ['storage.files.0.contents', '3.4.0', '"storage":{"files":[{"contents":"x"}]}'],
    ['storage.files.0.contents', '3.0.0', '"storage":{"files":[{"contents":"x"}]}'],
    ['ignition.config.replace', '3.0.0', '"ignition":{"config":{"replace":"x"}}'],
    [
      'ignition.security.tls.certificateAuthorities.0',
      '3.0.0',
      '"ignition":{"security":{"tls":{"certificateAuthorities":["x"]}}}',
    ],
  ])('of a text for the resource at %s in %s', (path, version, members) => {
    expect(hintOn(config(members, version))).toBe(
      `set ${path} to an object: {"source": "data:,…"} or another URL`,
    );
  });

  it.each([
    ['ignition.proxy.noProxy', '"ignition":{"proxy":{"noProxy":[{}]}}'],
    ['kernelArguments.shouldExist', '"kernelArguments":{"shouldExist":[{}]}'],
    ['passwd.users.0.groups', '"passwd":{"users":[{"groups":[{}]}]}'],
    ['passwd.users.0.sshAuthorizedKeys', '"passwd":{"users":[{"sshAuthorizedKeys":[{}]}]}'],
    ['storage.filesystems.0.mountOptions', '"storage":{"filesystems":[{"mountOptions":[{}]}]}'],
    ['storage.filesystems.0.options', '"storage":{"filesystems":[{"options":[{}]}]}'],
    ['storage.luks.0.openOptions', '"storage":{"luks":[{"openOptions":[{}]}]}'],
    ['storage.luks.0.options', '"storage":{"luks":[{"options":[{}]}]}'],
    ['storage.raid.0.devices', '"storage":{"raid":[{"devices":[{}]}]}'],
    ['storage.raid.0.options', '"storage":{"raid":[{"options":[{}]}]}'],
  ])('of an object among the strings of %s', (path, members) => {
    expect(hintOn(config(members))).toBe(`set ${path}.0 to a string, not an object`);
  });
});

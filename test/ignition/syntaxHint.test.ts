import { describe, expect, it } from 'vitest';
import { jsonSyntax, validateConfig } from '../../src/ignition/validate.ts';

const yaml = 'this looks like YAML: Ignition reads only JSON; translate a Butane config with butane first';
const utf16 = 'the document seems to be UTF-16: save it as UTF-8';
const none = jsonSyntax.hint;

describe('syntaxHint', () => {
  it.each([
    [
      'a byte order mark',
      '\xef\xbb\xbf{}',
      'the document starts with a byte order mark: save it as UTF-8 without one',
    ],
    ['UTF-16, little end first', '\xff\xfe{\0', utf16],
    ['UTF-16, big end first', '\xfe\xff\0{', utf16],
    ['gzip', '\x1f\x8b\x08', 'the document is compressed with gzip: decompress it first'],
    ['half of the mark of gzip', '\x1f\x8c\x08', none],
    ['the other half of it', '\x0e\x8b\x08', none],
    ['a control character at the beginning', '\x1f{}', none],
    ['a key of YAML', 'variant: fcos', yaml],
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
      'the document ends too early: a quote or a bracket is not closed, or the file is cut off',
    ],
    ['a comma before a brace', '{"a":1,\n}', 'remove the comma before the "}"'],
    ['a comma before a bracket', '[1,\n]', 'remove the comma before the "]"'],
    ['a word for a key', '{a:1}', none],
    ['a word for a value', '[x]', none],
    ['a brace for a value', '[}', none],
    ['a bracket for a key', '{]', none],
    ['a line feed', '{"a":"x\ny"}', 'a string ends on the line where it starts: write a line feed as \\n'],
    [
      'a carriage return',
      '{"a":"x\ry"}',
      'a string ends on the line where it starts: write a line feed as \\n',
    ],
    ['a tab', '{"a":"x\ty"}', 'write a tab inside a string as \\t'],
    ['another control character', '{"a":"x\x01y"}', 'write control characters as \\u and four digits'],
    ['a bad escape', '{"a":"C:\\x"}', 'write a backslash as \\\\'],
    [
      'a string behind an item',
      '[1 "b"]',
      'a comma is missing before this, or a quote inside a string is not written as \\"',
    ],
    [
      'a string behind a member',
      '{"a":1 "b":2}',
      'a comma is missing before this, or a quote inside a string is not written as \\"',
    ],
    ['a string behind a key', '{"a" "b"}', none],
    ['a number behind an item', '[1 2]', none],
    ['a single quote', "{'a':1}", 'JSON knows only double quotes'],
    ['a comment for a value', '[/**/]', 'JSON knows no comments: remove it'],
    ['another comment for a value', '[#\n]', 'JSON knows no comments: remove it'],
    ['a comment for a key', '{// x\n}', 'JSON knows no comments: remove it'],
    ['a word that is not quite one', '{"a":tru}', none],
    ['the wrong bracket', '{"a":1]', none],
  ])('of %s', (_title, text, hint) => {
    expect(validateConfig(Buffer.from(text, 'latin1')).findings).toMatchObject([
      { rule: 'json-syntax', hint },
    ]);
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePullSecret } from '../../src/agent/pullSecret.ts';
import { FormatError } from '../../src/core/errors.ts';

const secret = '{"auths":{"quay.io":{"auth":"dXNlcjpwYXNz"}}}';
const base64 = Buffer.from(secret).toString('base64');

describe('parsePullSecret', () => {
  it.each([
    ['JSON', secret],
    ['JSON with blanks around it', `\n ${secret}\n`],
    ['base64', base64],
    ['base64 with a line break at its end', `${base64}\n`],
    ['base64 in lines', base64.replaceAll(/.{20}/g, '$&\n')],
    ['base64 without padding', base64.replaceAll('=', '')],
  ])('takes %s', (_title, text) => {
    expect(parsePullSecret(text)).toBe(secret);
  });

  it.each([
    ['nothing', ' \n', 'is empty'],
    ['another text', 'hunter2!', 'is neither JSON nor base64'],
    ['broken JSON', '{"auths": hunter2', 'is not valid JSON'],
    ['base64 of something else', Buffer.from('hunter2').toString('base64'), 'is not valid JSON'],
    ['a list', Buffer.from('["hunter2"]').toString('base64'), 'is not a JSON object'],
    ['no auths', '{"hunter2": 1}', 'does not contain "auths"'],
    ['auths as a list', '{"auths": ["hunter2"]}', 'does not contain "auths"'],
    ['a registry without an object', '{"auths": {"quay.io": "hunter2"}}', 'the registry "quay.io"'],
  ])('refuses %s without repeating it', (_title, text, message) => {
    const refusal = refusalOf(text);
    expect(refusal?.message).toContain(message);
    expect(JSON.stringify([refusal?.message, refusal?.hint, refusal?.cause])).not.toContain('hunter2');
  });

  it.each([
    [
      'a trailing comma',
      '{"auths": {\n  "quay.io": {"auth": "hunter2"},\n}}',
      ' at line 3, column 1',
      'remove the comma before the "}"',
    ],
    [
      'a trailing comma in a list',
      '\n {"auths": {}, "a": [1,]}',
      ' at line 2, column 24',
      'remove the comma before the "]"',
    ],
    ['a missing comma', '{\n"auths": {}\n"hunter2": 1}', ' at line 3, column 1', 'add the missing comma'],
    ['a word without quotes', '{"auths": hunter2}', ' at line 1, column 11', 'use JSON such as'],
    ['text after it', '{"auths": {}}\nhunter2', ' at line 2, column 1', 'remove the text'],
    ['a missing brace', '{"auths": {}\n', ' at line 1, column 12', 'close all quotes and brackets'],
    ['a missing quote', '{"auths": {"hunter2', ' at line 1, column 19', 'close all quotes and brackets'],
    ['base64 of it', Buffer.from('{"auths": {},}').toString('base64'), '', 'use JSON such as'],
  ])('names the place of %s', (_title, text, place, hint) => {
    const refusal = refusalOf(text);
    expect(refusal?.message).toBe(`is not valid JSON${place}`);
    expect(refusal?.hint).toContain(hint);
  });

  it('accepts or refuses any text', () => {
    const texts = fc.oneof(fc.string(), fc.json(), fc.base64String());
    expect(() => fc.assert(fc.property(texts, (text) => void refusalOf(text)))).not.toThrow();
  });
});

function refusalOf(text: string): FormatError | undefined {
  try {
    parsePullSecret(text);
    return undefined;
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
}

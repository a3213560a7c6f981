import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differsByHost, fillPlaceholders } from '../../../../src/core/placeholders.ts';
import { FormatError } from '../../../../src/core/errors.ts';

const host = { name: 'worker-0', bootMac: '52:54:00:12:34:56', architecture: 'x86_64' };

/** Empty where the text is refused. */
function fill(text: string): string {
  try {
    return fillPlaceholders(text, host);
  } catch (error) {
    if (error instanceof FormatError) return '';
    throw error;
  }
}

describe('fillPlaceholders', () => {
  it.each([
    ['plain text', 'http://h/ipa.iso', 'http://h/ipa.iso'],
    ['name', 'http://h/{name}.iso', 'http://h/worker-0.iso'],
    ['several', '{name}/{architecture}/{name}', 'worker-0/x86_64/worker-0'],
    ['MAC address', '01-{mac:hexhyp}|{mac}', '01-52-54-00-12-34-56|52:54:00:12:34:56'],
    ['nothing else', '', ''],
  ])('fills %s', (_title, text, filled) => {
    expect(fillPlaceholders(text, host)).toBe(filled);
  });

  it.each([
    ['unknown', 'http://h/{nmae}.iso', 'unknown placeholder'],
    ['empty', '{}', 'unknown placeholder'],
    ['a name of every object', '{constructor}', 'unknown placeholder'],
    ['open', 'http://h/{name', 'unmatched brace'],
    ['closed only', 'name}', 'unmatched brace'],
    ['nested', '{{name}}', 'unmatched brace'],
  ])('refuses a placeholder that is %s', (_title, text, message) => {
    expect(() => fillPlaceholders(text, host)).toThrow(message);
  });

  it.each([
    ['{mac}', 'set mac for this host'],
    ['{mac:hexhyp}', 'set mac for this host'],
    ['{architecture}', 'set architecture for this host'],
  ])('refuses %s where the host does not say it', (text, hint) => {
    expect(() => fillPlaceholders(text, { name: 'a' })).toThrow(
      expect.objectContaining({ hint: expect.stringContaining(hint) }),
    );
  });

  it('leaves no brace, or throws a FormatError', () => {
    const piece = fc.constantFrom('{', '}', 'name', 'mac', ':hexhyp', 'x', '/');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(fill(pieces.join(''))).not.toMatch(/[{}]/);
      }),
    );
  });
});

describe('differsByHost', () => {
  it.each([
    ['{name}.json', true],
    ['{mac:hexhyp}.json', true],
    ['{architecture}.json', false],
    ['drive.json', false],
  ])('%s: %s', (text, differs) => {
    expect(differsByHost(text)).toBe(differs);
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/core/errors.ts';
import {
  checkImageReference,
  type ImageReference,
  parseImageReference,
} from '../../src/formats/imageReference.ts';

const hex = '0123456789abcdef'.repeat(4);

/** The text that parses to this reference. */
function textOf({ registry, repository, tag, digest }: ImageReference): string {
  const name = registry === undefined ? repository : `${registry}/${repository}`;
  return `${name}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
}

describe('parseImageReference', () => {
  it.each([
    ['quay.io/metal3-io/ironic-agent', { registry: 'quay.io', repository: 'metal3-io/ironic-agent' }],
    ['quay.io/a/b:v1.0_x-y', { registry: 'quay.io', repository: 'a/b', tag: 'v1.0_x-y' }],
    [`quay.io/a@sha256:${hex}`, { registry: 'quay.io', repository: 'a', digest: `sha256:${hex}` }],
    [
      `quay.io/a:t@sha512:${hex}${hex}`,
      { registry: 'quay.io', repository: 'a', tag: 't', digest: `sha512:${hex}${hex}` },
    ],
    ['localhost/a', { registry: 'localhost', repository: 'a' }],
    ['host:5000/a:t', { registry: 'host:5000', repository: 'a', tag: 't' }],
    ['192.0.2.1:5000/a', { registry: '192.0.2.1:5000', repository: 'a' }],
    ['Registry.Example.com/a', { registry: 'Registry.Example.com', repository: 'a' }],
    ['ironic-agent', { repository: 'ironic-agent' }],
    ['metal3/ironic-agent:latest', { repository: 'metal3/ironic-agent', tag: 'latest' }],
    ['a.b', { repository: 'a.b' }],
    ['a__b/c---d', { repository: 'a__b/c---d' }],
  ])('%s', (text, reference) => {
    expect(parseImageReference(text)).toEqual({ ok: true, reference });
    expect(textOf(reference)).toBe(text);
    expect(checkImageReference(text)).toBe(text);
  });

  it.each([
    ['', 'it is empty', ''],
    [
      '[2001:db8::1]:5000/a',
      'podman supports no IPv6 address as registry; use a host name',
      '[2001:db8::1]:5000',
    ],
    ['quay.io/a b', 'it contains a space, quote or backslash', ' '],
    ['quay.io/a"', 'it contains a space, quote or backslash', '"'],
    ['quay.io/a\n', 'it contains a space, quote or backslash', '\n'],
    ['docker://quay.io/a', 'it starts with a transport; use the reference without it', 'docker://'],
    ['https://quay.io/a', 'it starts with a transport; use the reference without it', 'https://'],
    ['oci-archive:/x', 'it starts with a transport; use the reference without it', 'oci-archive:'],
    [hex, 'it is an image ID, which registries do not support', hex],
    ['quay.io/Metal3/a', 'the repository must be in lower case', 'Metal3'],
    ['Metal3/a', 'the repository must be in lower case', 'Metal3'],
    ['quay.io/', 'it contains no repository', ''],
    [':tag', 'it contains no repository', ''],
    [`@sha256:${hex}`, 'it contains no repository', ''],
    ['quay.io//a', 'a part of the repository is empty', '/a'],
    ['/a', 'a part of the repository is empty', '/a'],
    ['quay.io/a/', 'a part of the repository is empty', 'a/'],
    ['quay.io/-a', 'a part of the repository contains an invalid character', '-a'],
    ['quay.io/a___b', 'a part of the repository contains an invalid character', 'a___b'],
    ['quay.io/a..b', 'a part of the repository contains an invalid character', 'a..b'],
    ['quay.io/a:', 'the tag is empty', ':'],
    ['quay.io/a:-t', 'the tag contains an invalid character', '-t'],
    ['quay.io/a:t:u', 'the tag contains an invalid character', 't:u'],
    [`quay.io/a:${'t'.repeat(129)}`, 'the tag is longer than 128 characters', 't'.repeat(129)],
    ['quay.io/a@', 'the digest is not one of sha256, sha384 and sha512', ''],
    [`quay.io/a@md5:${hex}`, 'the digest is not one of sha256, sha384 and sha512', `md5:${hex}`],
    ['quay.io/a@sha256:abc', 'the digest must have 64 lower-case hex digits', 'sha256:abc'],
    [
      `quay.io/a@sha256:${hex.toUpperCase()}`,
      'the digest must have 64 lower-case hex digits',
      `sha256:${hex.toUpperCase()}`,
    ],
    [`quay.io/a@sha256:${hex}@x`, 'the digest must have 64 lower-case hex digits', `sha256:${hex}@x`],
    ['-x.io/a', 'the registry is not a valid host or host:port', '-x.io'],
    ['x.io:y/a', 'the registry is not a valid host or host:port', 'x.io:y'],
    ['[::1/a', 'the registry is not a valid host or host:port', '[::1'],
    [`x.io/${'a'.repeat(251)}`, 'the name is longer than 255 characters', `x.io/${'a'.repeat(250)}`],
  ])('refuses %j', (text, reason, part) => {
    expect(parseImageReference(text)).toEqual({ ok: false, reason, part });
    expect(() => checkImageReference(text)).toThrow(FormatError);
  });

  it('accepts only what it can write again', () => {
    const text = fc.string({
      unit: fc.constantFrom(
        'a',
        'B',
        '0',
        '.',
        ':',
        '/',
        '-',
        '_',
        '@',
        '[',
        ']',
        'localhost',
        `sha256:${hex}`,
      ),
    });
    fc.assert(
      fc.property(text, (written) => {
        const result = parseImageReference(written);
        expect(result.ok ? textOf(result.reference) : written).toBe(written);
      }),
      { numRuns: 2000 },
    );
  });

  it('stays fast on hostile names', () => {
    expect(parseImageReference(`${'a-'.repeat(50_000)}.b/c`).ok).toBe(false);
    expect(parseImageReference(`x.io/${'a-'.repeat(50_000)}`).ok).toBe(false);
  });
});

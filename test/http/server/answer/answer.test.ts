import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Answer, answerFor } from '../../../../src/http/server/answer/answer.ts';
import type { ArtifactKind } from '../../../../src/core/artifacts.ts';
import type { DescribedResource } from '../../../../src/http/server/answer/resource.ts';

const iso: DescribedResource = {
  artifact: 'iso',
  host: 'worker-0',
  fileName: 'worker-0.iso',
  contentType: 'application/x-iso9660-image',
  size: 1000,
  etag: '"now"',
  lastModified: new Date('2026-11-21T10:00:00Z'),
};
const get = (headers: Record<string, string> = {}, resource = iso): Answer => answerFor(headers, resource);

describe('answerFor', () => {
  it('sends the whole, with all that a client may need to come back', () => {
    expect(get()).toEqual({
      status: 200,
      headers: {
        'Accept-Ranges': 'bytes',
        'Cache-Control': 'private, no-store',
        'Content-Disposition': 'attachment; filename="worker-0.iso"',
        'Content-Length': '1000',
        'Content-Type': 'application/x-iso9660-image',
        ETag: '"now"',
        'Last-Modified': 'Sat, 21 Nov 2026 10:00:00 GMT',
        'X-Content-Type-Options': 'nosniff',
      },
      range: { offset: 0, length: 1000 },
    });
  });

  it('sends one range as it is', () => {
    const answer = get({ range: 'bytes=-100' });
    expect(answer.status).toBe(206);
    expect(answer.headers).toMatchObject({
      'Content-Length': '100',
      'Content-Range': 'bytes 900-999/1000',
      'Content-Type': 'application/x-iso9660-image',
      ETag: '"now"',
    });
    expect(answer.range).toEqual({ offset: 900, length: 100 });
  });

  it('sends the whole for several ranges', () => {
    expect(get({ range: 'bytes=0-9,500-509' })).toEqual(get());
  });

  it('has a name in ASCII', () => {
    const name = 'zwölf "€".iso\r\n';
    const expected = 'attachment; filename="zw_lf ___.iso__"';
    expect(get({}, { ...iso, fileName: name }).headers['Content-Disposition']).toBe(expected);
  });

  it('has nothing behind the end', () => {
    const { status, headers, range } = get({ range: 'bytes=1000-' });
    expect({ status, range }).toEqual({ status: 416, range: undefined });
    expect(headers).toMatchObject({ 'Content-Range': 'bytes */1000', 'Content-Length': '0' });
    expect(headers).not.toHaveProperty('Content-Disposition');
  });

  it('sends nothing of what is empty, also for a range', () => {
    const answer = get({ range: 'bytes=0-99' }, { ...iso, size: 0 });
    expect(answer).toMatchObject({ status: 200, headers: { 'Content-Length': '0' }, range: undefined });
  });

  it('says that nothing has changed, without any length', () => {
    const { status, headers, range } = get({ 'if-none-match': '"now"', range: 'bytes=0-9' });
    expect({ status, range }).toEqual({ status: 304, range: undefined });
    expect(Object.keys(headers).toSorted()).toEqual([
      'Accept-Ranges',
      'Cache-Control',
      'ETag',
      'Last-Modified',
      'X-Content-Type-Options',
    ]);
  });

  it.each<[number, Record<string, string>]>([
    [206, { 'if-range': '"now"' }],
    [200, { 'if-range': '"then"' }],
    [200, { 'if-range': 'Sat, 21 Nov 2026 10:00:00 GMT' }],
    [200, { 'if-range': 'Sat, 21 Nov 2026 10:00:01 GMT' }],
    [412, { 'if-match': '"then"' }],
    [206, { 'if-match': '"now"' }],
    [200, { 'if-unmodified-since': 'Sat, 21 Nov 2026 10:00:00 GMT' }],
    [206, { 'if-none-match': '"then"' }],
    [412, { 'if-unmodified-since': 'Sat, 21 Nov 2026 09:00:00 GMT', 'if-range': '"now"' }],
    [304, { 'if-modified-since': 'Sat, 21 Nov 2026 10:00:00 GMT', 'if-range': '"then"' }],
  ])('%i for a range with %j', (status, headers) => {
    expect(get({ ...headers, range: 'bytes=0-9' }).status).toBe(status);
  });

  it('does not look at If-Range where there is no range', () => {
    expect(get({ 'if-range': '"then"' }).status).toBe(200);
    expect(get({ 'if-range': '"then"', range: 'bytes=5000-' }).status).toBe(200);
  });

  it.each<[ArtifactKind, string]>([
    ['iso', 'private, no-store'],
    ['initramfs', 'private, no-store'],
    ['ign', 'private, no-store'],
    ['script', 'private, no-store'],
    ['agent', 'private, no-store'],
    ['kernel', 'private, no-cache'],
    ['rootfs', 'private, no-cache'],
  ])('tells caches of a %s: %s', (artifact, expected) => {
    expect(get({}, { ...iso, artifact }).headers['Cache-Control']).toBe(expected);
  });

  const headers = fc.record(
    {
      range: fc.constantFrom(
        'bytes=0-',
        'bytes=1-2,9-9',
        'bytes=-1',
        'bytes=999999-',
        'bytes=x',
        'bytes=0-0, 5-5, 2-3',
      ),
      'if-range': fc.constantFrom('"now"', '"then"'),
      'if-match': fc.constantFrom('"now"', '"then"', '*'),
      'if-none-match': fc.constantFrom('"now"', 'W/"then"'),
    },
    { requiredKeys: [] },
  );

  it('counts the bytes that it sends', () => {
    fc.assert(
      fc.property(headers, fc.nat(20), (fields, size) => {
        const resource = { ...iso, size };
        const answer = answerFor(fields, resource);
        expect(answer.range?.length ?? 0).toBe(Number(answer.headers['Content-Length'] ?? 0));
      }),
    );
  });
});

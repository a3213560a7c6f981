import { expect, it } from 'vitest';
import { frameRanges } from '../../../../src/http/server/answer/answer.ts';

const image = { contentType: 'application/octet-stream', size: 100, etag: '"x"' };

it('frames ranges as RFC 9110 has it, and counts all bytes', () => {
  const { contentType, size, parts, tail } = frameRanges(image, [
    { offset: 0, length: 1 },
    { offset: 90, length: 10 },
  ]);
  const boundary = /^multipart\/byteranges; boundary=([0-9a-f]{40})$/.exec(contentType)?.[1];
  const text = [
    ...parts.map(({ head, range }) => `${Buffer.from(head).toString()}<${range.length} bytes>`),
    Buffer.from(tail),
  ].join('');
  expect(text.replaceAll(boundary ?? '', 'B')).toBe(
    [
      '--B',
      'Content-Type: application/octet-stream',
      'Content-Range: bytes 0-0/100',
      '',
      '<1 bytes>',
      '--B',
      'Content-Type: application/octet-stream',
      'Content-Range: bytes 90-99/100',
      '',
      '<10 bytes>',
      '--B--',
      '',
    ].join('\r\n'),
  );
  expect(size).toBe(text.length - '<1 bytes>'.length - '<10 bytes>'.length + 11);
});

it('has another boundary for other content', () => {
  const range = [{ offset: 0, length: 1 }];
  expect(frameRanges(image, range).contentType).not.toBe(
    frameRanges({ ...image, etag: '"y"' }, range).contentType,
  );
});

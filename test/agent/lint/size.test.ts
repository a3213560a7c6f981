import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { EMBED_AREA_SIZE } from '../../../src/image/embeddedIgnition.ts';
import { render, summary } from './support.ts';

const random = (length: number): Buffer => Buffer.from(randomBytes(length).toString('base64'));

describe('the size of the document', () => {
  it.each([
    ['a small one', Buffer.from('{}'), []],
    ['one that does not shrink', random(EMBED_AREA_SIZE), ['agent-size $']],
    ['one of which the beginning is too much', random(4 * 1024 * 1024), ['agent-size $']],
    ['one that shrinks enough', Buffer.alloc(4 * EMBED_AREA_SIZE, 'abc'), []],
  ])('%s', (_title, document, expected) => {
    expect(summary(render(), { document })).toEqual(expected);
  });
});

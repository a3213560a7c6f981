import { describe, expect, it } from 'vitest';
import { ByteCursor } from '../../src/formats/byteCursor.ts';

const bytes = Uint8Array.of(1, 2, 3, 4, 5, 6, 0xff, 0xff, 0xff, 0xff);
const at = (offset: number): ByteCursor => new ByteCursor(bytes, offset, 'demo');

describe('ByteCursor', () => {
  it.each([
    ['uint8', at(0).uint8(), 1],
    ['uint16', at(0).uint16(), 0x0201],
    ['uint32', at(6).uint32(), 0xffff_ffff],
    ['uint of 6', at(0).uint(6), 0x0605_0403_0201],
    ['uint of 0', at(0).uint(0), 0],
    ['uint16BigEndian', at(0).uint16BigEndian(), 0x0102],
    ['peek', at(2).peek(), 3],
  ])('%s', (_name, value, expected) => {
    expect(value).toBe(expected);
  });

  it('moves on, and not for peek', () => {
    const cursor = at(0);
    cursor.peek();
    cursor.take(3);
    expect(cursor.uint8()).toBe(4);
    expect(cursor.offset).toBe(4);
  });

  it.each([
    ['take', () => at(8).take(3)],
    ['an unlimited take', () => at(8).take(Infinity)],
    ['uint32', () => at(7).uint32()],
    ['peek', () => at(10).peek()],
  ])('%s past the end is an error', (_name, read) => {
    const error = { message: 'The demo data is cut off at byte 10', offset: 10 };
    expect(read).toThrow(expect.objectContaining(error));
  });

  it('makes errors for where it is, or for another place', () => {
    expect(at(3).error('is wrong')).toMatchObject({ message: 'The demo data is wrong at byte 3', offset: 3 });
    expect(at(3).error('is wrong', 7)).toMatchObject({
      message: 'The demo data is wrong at byte 7',
      offset: 7,
    });
  });
});

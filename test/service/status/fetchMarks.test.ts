import { describe, expect, it } from 'vitest';
import type { ImageProgress } from '../../../src/http/server/answer/transfers.ts';
import { fetchMarks } from '../../../src/service/status/hostRows.ts';
import { ago, exampleProgress } from './exampleStatus.ts';

const complete = { completed: ago(60), running: 0 };
const marksOf = (...fetched: Partial<ImageProgress>[]): string[] =>
  fetchMarks(fetched.map((changes) => exampleProgress(changes))).map(({ note = '', stage, state }) =>
    [stage, note, state].filter((text) => text !== '').join(' '),
  );

describe('the stages that fetches show', () => {
  const rest = ['root filesystem waiting', 'Ignition waiting', 'image waiting'];

  it.each<[string, Partial<ImageProgress>[], string[]]>([
    ['a BMC reads the ISO', [{}], ['media 50 % running', 'loader waiting', 'kernel waiting', ...rest]],
    ['a BMC pauses', [{ running: 0 }], ['media 50 % paused', 'loader waiting', 'kernel waiting', ...rest]],
    [
      'an initramfs that was interrupted',
      [
        { artifact: 'script', ...complete },
        { artifact: 'initramfs', running: 0 },
      ],
      ['media passed', 'loader reached', 'kernel 50 % stopped', ...rest],
    ],
    [
      'the config after a minimal ISO',
      [
        { artifact: 'minimal-iso', running: 0 },
        { artifact: 'ign', ...complete },
      ],
      [
        'media 50 % reached',
        'loader passed',
        'kernel passed',
        'root filesystem passed',
        'Ignition reached',
        'image waiting',
      ],
    ],
    [
      'the later one of two fetches counts',
      [
        { artifact: 'initramfs', ...complete, lastFetch: ago(9) },
        { artifact: 'kernel', lastFetch: ago(3) },
      ],
      ['media passed', 'loader passed', 'kernel 50 % running', ...rest],
    ],
  ])('%s', (_title, fetched, marks) => expect(marksOf(...fetched)).toEqual(marks));
});

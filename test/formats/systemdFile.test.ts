import { describe, expect, it } from 'vitest';
import { readSystemdLines } from '../../src/formats/unitFile.ts';

const section = (name: string) => ({ kind: 'section', name });
const assignment = (name: string, value: string) => ({ kind: 'assignment', name, value });
const other = (text: string) => ({ kind: 'other', text });

describe('readSystemdLines', () => {
  it.each([
    ['blanks around names and values', ' [A] \n\tB =  c d \t\n', [section('A'), assignment('B', 'c d')]],
    ['a name with blanks in the header', '[ A ]', [section(' A ')]],
    ['comments', '# a=b\n  ; c=d\n[A]\nB=#c', [section('A'), assignment('B', '#c')]],
    ['a comment that ends in a backslash', '# a \\\nB=c', [assignment('B', 'c')]],
    ['joined lines', 'A=b \\\n  c\\\nd\nE=', [assignment('A', 'b    c d'), assignment('E', '')]],
    ['a comment between joined lines', 'A=b\\\n# no\\\nc', [assignment('A', 'b c')]],
    ['a header between joined lines', 'A=b\\\n[C]', [assignment('A', 'b [C]')]],
    ['a backslash that is escaped', 'A=b\\\\\nC=d', [assignment('A', 'b\\\\'), assignment('C', 'd')]],
    ['a backslash at the end', 'A=b\\', [assignment('A', 'b')]],
    [
      'ends of lines of other systems',
      '[A]\r\nB=c\rD=e\n',
      [section('A'), assignment('B', 'c'), assignment('D', 'e')],
    ],
    ['a byte order mark', '\uFEFF[A]', [section('A')]],
    ['other blanks, which belong to the name', '\u00A0A=b', [assignment('\u00A0A', 'b')]],
    ['what is neither header nor assignment', 'A\n=b\n[C', [other('A'), other('=b'), other('[C')]],
    ['nothing', '\n \t\n', []],
  ])('%s', (_title, text, expected) => {
    expect(readSystemdLines(text)).toEqual(expected);
  });
});

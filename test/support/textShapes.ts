/** Texts that make a reader slow if anything in it takes more than linear time. */

export interface Shape {
  readonly name: string;
  /** A text of about this many characters. */
  readonly make: (length: number) => string;
}

function repeated(unit: string): Shape {
  return {
    name: `${JSON.stringify(unit)} repeated`,
    make: (length) => unit.repeat(Math.ceil(length / unit.length)),
  };
}

/** Units with a number, so that no two are equal. */
export function numbered(unit: (index: number) => string): Shape {
  return {
    name: `${JSON.stringify(unit(1))} and so on`,
    make: (length) => {
      const units: string[] = [];
      for (let size = 0, index = 0; size < length; index += 1) {
        const text = unit(index);
        units.push(text);
        size += text.length;
      }
      return units.join('');
    },
  };
}

function between(start: string, middle: Shape, end: string): Shape {
  return { name: `${start}…${end} with ${middle.name}`, make: (length) => start + middle.make(length) + end };
}

const separators = [
  ' ', '\t', '\n', '\r', ',', ';', ':', '/', '.', '-', '_', '@', '=', '&', '?', '%', '$', '#', '+', '*', '|',
  '"', "'", '`', '\\', '(', '[', '{', '<', '!', '~', '0', '1', 'a', 'é', '\0', '\x1b', '\u202e', '\ud83d\ude00',
]; // prettier-ignore

const words = [
  'a=', 'a= ', '&key=', '?key=a&', 'a:', '://', 'a://b:c@', 'a.', '..', '/..', 'a-', '-a', '--a ', ' -', '- ', 'a@', ' =', ': ', ', ',
  'a,', ',a=b', '%41', '%s', '$a', '${a', '\\\n', '\\x', '"a', 'a b', '" ', 'a\t', '[a', '[]', '{}', '[a]\n', '[[a]]\n', 'a=b\n', 'a = "b"\n', 'a: b\n',
  '- a\n', '- - ', 'a: ', '? a\n', '{a: ', '&a [', '*a ', '# a\n', ';\n', ' \n', '\n ', '\r\n', ' a\n', 'a\n b\n',
  '-----BEGIN A-----\n', '-----BEGIN CERTIFICATE-----\n', '-----BEGIN A PRIVATE KEY-----\n', 'ssh-ed25519 AAAA\n', '"a":', '["a",', '{"a":', '[{"a":1},',
  'curl -u a:', 'authorization: ', 'password ', 'token=', 'https://a,', 'a/b:c@', '1.1.1.1 ', '::', '[::1]', 'kernel ', 'a\\n', '1e', '1_', '0x', "'a'", '""', 'data:,',
]; // prettier-ignore

export const shapes: readonly Shape[] = [
  ...separators.map(repeated),
  ...words.map(repeated),
  numbered((index) => `key${index}=1\n`),
  numbered((index) => `key${index}: 1\n`),
  numbered((index) => `"key${index}": 1,`),
  numbered((index) => `- key${index}\n`),
  numbered((index) => `[section${index}]\nkey = 1\n`),
  numbered((index) => `a${index},`),
  numbered((index) => `a${index} `),
  numbered((index) => `&a${index} [*a${index - 1}]`),
  between('[', repeated('['), ']'),
];

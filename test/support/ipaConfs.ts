/** Config files of ironic-python-agent, right and wrong, made up at random. */

import * as fc from 'fast-check';
import { ipaKnowledge } from '../../src/ipa/ipaOptions.ts';

const { options } = ipaKnowledge();
const names = [
  ...options.map(({ section, name }) => ({ section, name })),
  ...options.flatMap(({ deprecatedNames = [] }) =>
    deprecatedNames.map((key) => ({ section: key.split('.')[0] ?? '', name: key.split('.')[1] ?? '' })),
  ),
];

/** Without digits of other scripts, which Python reads, too. */
const numbers = ['0', '1', '5', '-1', '+7', '1_000', '1__0', '007', '99', '100', '65535', '65536', '0x10'];
const floats = ['1.5', '1e3', '.5', '5.', 'inf', '-Infinity', 'nan', '1_0.5', '1_.5', '30.0', '1.2'];
const switches = ['true', 'False', 'YES', 'off', '1', '0', 'maybe', 'on ', '"on"', '" on "'];
const words = [
  'http',
  'HTTPS',
  '1.2',
  '1.3',
  'p256',
  'podman',
  'noop',
  'Days',
  'days',
  'WEEKDAY',
  'SIZE',
  'INFO',
  '',
];
const urls = [
  'mdns',
  'mdnsx',
  'http://x',
  'https://[::1]:6385',
  'HTTP://x',
  'http://',
  'ftp://x',
  'http://a,b',
  '"http://q"',
];
const pairs = [
  'a:b',
  'a:b,c:d',
  'a:"x,y"',
  "a:'x,y',b:",
  'a:"x',
  'a',
  ':v',
  'a:1,a:2',
  'a,b:c',
  'a:b,',
  'a: "x,y" ,c:d',
];
const strange = ['"', "'", '"a\'', 'ünïcode', '# c'];
const value = fc.oneof(
  fc.constantFrom(...numbers, ...floats),
  fc.constantFrom(...switches, ...words),
  fc.constantFrom(...urls, ...pairs, ...strange),
  fc.string({ maxLength: 6 }),
);

const option = fc
  .tuple(fc.constantFrom(...names), fc.constantFrom(' = ', '=', ': ', ' : ', '\t=\t', ' = "'), value)
  .map(([{ name }, separator, text]) => `${name}${separator}${text}`);

// The sure way to values of the right type: some settings of the agent with what they take.
const typed = fc.constantFrom(...options).chain((declared) => {
  const pools: Record<string, readonly string[]> = {
    string: [...(declared.choices ?? []), ...urls, ...words],
    integer: numbers,
    port: numbers,
    float: [...floats, ...numbers],
    boolean: switches,
    list: ['', 'a,b', 'a , b,', ','],
    dict: pairs.slice(0, 3),
  };
  return fc
    .oneof(fc.constantFrom(...(pools[declared.type] ?? [])), value)
    .map((text) => `[${declared.section}]\n${declared.name} = ${text}`);
});

const header = fc.oneof(
  fc.constantFrom(...new Set(names.map(({ section }) => `[${section}]`))),
  fc.constantFrom('[MDNS]', '[Container]', '[default]', '[ DEFAULT ]', '[SSL]', '[nope]'),
);
const remark = fc.constantFrom('', '# c', '; c', '   ', '\u00a0');
const broken = fc.constantFrom(
  '[]',
  '[',
  '[DEFAULT] # c',
  ' = x',
  '= x',
  'text',
  ' indented = x',
  '\ufeff',
  '[x]]',
  '\u00a0 = 1',
);
const unknown = fc.constantFrom(
  'not_an_option = 1',
  'log-config = /x',
  'lookup-timeout = 5',
  'standalone = true',
  'logdir = /x',
);
const continued = fc
  .tuple(option, fc.constantFrom('  more', '\tdebug', ' # no comment'))
  .map((lines) => lines.join('\n'));

const line = fc.oneof(
  { weight: 8, arbitrary: typed },
  { weight: 6, arbitrary: option },
  { weight: 3, arbitrary: header },
  { weight: 1, arbitrary: fc.oneof(remark, unknown, continued) },
);

/** Mostly readable; most errors are in one value, so that a wrong verdict about it shows. */
export const ipaConf = fc
  .tuple(
    fc.constantFrom('[DEFAULT]', '[DEFAULT]', '[container]', '[mdns]', ''),
    fc.array(line, { maxLength: 4 }),
    fc.oneof({ weight: 9, arbitrary: fc.constant('') }, { weight: 1, arbitrary: broken }),
    fc.constantFrom('\n', '\n', '\r\n', '\r'),
  )
  .map(([first, lines, last, end]) => [first, ...lines, last].join('\n').replaceAll('\n', end));

/**
 * The rooms of src (its folders and files), their order, and what each may use. A room imports rooms of lower layers only, and only
 * `io` and the places that `access` lists use files, the network, other programs or the process.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { allCoreosArguments, coreosArguments } from '../src/kargs/coreosArguments.ts';
import { circleProblems, readSource, type Source } from './support/importGraph.ts';

interface Layer {
  /** Paths below src. A file belongs to the longest one that it is in. */
  readonly rooms: readonly string[];
  /**
   * `free`: files, network, programs and process. `domain`: values and bytes only, and imports of other rooms of the domain
   * only. Otherwise the process, and what `access` lists.
   */
  readonly use?: 'free' | 'domain';
}

/** From the top down. Rooms of one layer do not import each other. */
const layers: readonly Layer[] = [
  { rooms: ['index.ts'] },
  { rooms: ['library'] },
  { rooms: ['cli'] },
  { rooms: ['commands/quickstart'] },
  {
    rooms: [
      'commands/boot',
      'commands/controller',
      'commands/deploy',
      'commands/download',
      'commands/explain',
      'commands/ignition',
      'commands/import',
      'commands/init',
      'commands/inspect',
      'commands/iso',
      'commands/preflight',
      'commands/prepare',
      'commands/pxe',
      'commands/render',
      'commands/serve',
      'commands/try',
      'commands/validate',
    ],
  },
  { rooms: ['commands/customize', 'trial'] },
  { rooms: ['service'] },
  { rooms: ['hosts/artifacts'] },
  { rooms: ['hosts/plan'] },
  { rooms: ['hosts/settings'] },
  { rooms: ['hosts/input'] },
  { rooms: ['hosts'] },
  { rooms: ['kube', 'redfish'] },
  { rooms: ['imagefile'], use: 'free' },
  { rooms: ['http/client', 'http/server'], use: 'free' },
  { rooms: ['io'], use: 'free' },
  { rooms: ['agent', 'http/server/answer'], use: 'domain' },
  { rooms: ['image'], use: 'domain' },
  { rooms: ['kargs'], use: 'domain' },
  { rooms: ['ipa', 'network', 'butane'], use: 'domain' },
  { rooms: ['ignition'], use: 'domain' },
  { rooms: ['formats'], use: 'domain' },
  { rooms: ['core'], use: 'domain' },
];

/** Modules that use files, the network or other programs, with the names in them that do not. Types are always allowed. */
const accessModules: Readonly<Record<string, readonly string[]>> = {
  'node:child_process': [],
  'node:cluster': [],
  'node:dgram': [],
  'node:dns': [],
  'node:dns/promises': [],
  'node:fs': ['constants'],
  'node:fs/promises': ['constants'],
  'node:http': ['STATUS_CODES'],
  'node:http2': [],
  'node:https': [],
  'node:net': ['isIP', 'isIPv4', 'isIPv6'],
  'node:tls': ['createSecureContext', 'rootCertificates'],
  undici: ['errors'],
};

/**
 * Folders and files outside of `io` that use such modules themselves: a server, a client or a program, or files with a format or
 * an order of writing of their own. Others call functions of `io`.
 */
const access: Readonly<Record<string, readonly string[]>> = {
  'commands/download/downloadFile.ts': ['node:fs', 'node:fs/promises'],
  'commands/download/downloadPartial.ts': ['node:fs/promises'],
  'commands/prepare/bundle.ts': ['node:fs', 'node:fs/promises'],
  'commands/prepare/fixedLayout.ts': ['node:fs/promises'],
  'commands/prepare/folder': ['node:fs/promises'],
  'commands/prepare/folder/userGroup.ts': ['node:child_process'],
  'commands/quickstart/quickstart.ts': ['node:fs/promises'],
  'commands/validate/validate.ts': ['node:fs'],
  'core/assets.ts': ['node:fs'],
  'hosts/input/unitTools.ts': ['node:fs/promises'],
  'hosts/input/filesDir.ts': ['node:fs'],
  'hosts/settings/ironicImage.ts': ['node:fs'],
  'hosts/settings/settings.ts': ['node:fs'],
  'service/metrics.ts': ['node:fs/promises'],
  'trial/console/consoleLog.ts': ['node:fs/promises'],
  'trial/emulation/emulatedSource.ts': ['node:fs/promises'],
  'trial/emulation/emulatedTrial.ts': ['node:child_process'],
};

/** The longest of the paths that is the file or a folder that contains it. */
function placeOf(file: string, places: readonly string[]): string | undefined {
  const around = places.filter((place) => file === place || file.startsWith(`${place}/`));
  return around.toSorted((a, b) => b.length - a.length)[0];
}

function layerOf(
  file: string,
): { readonly layer: Layer; readonly depth: number; readonly room: string } | undefined {
  const room = placeOf(
    file,
    layers.flatMap(({ rooms }) => rooms),
  );
  const depth = layers.findIndex(({ rooms }) => room !== undefined && rooms.includes(room));
  const layer = layers[depth];
  return room === undefined || layer === undefined ? undefined : { layer, depth, room };
}

/** Imports that do not go down, and files without a room. */
function layerProblems(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, imports }) => {
    const from = layerOf(path);
    if (from === undefined) {
      return [`src/${path}: its folder has no layer: add it to layers in test/architecture.test.ts`];
    }
    return imports.flatMap(({ target, line }) => {
      const to = layerOf(target);
      if (to === undefined || to.room === from.room) return [];
      const where = `src/${path}:${line}: imports ${target}`;
      if (to.depth <= from.depth) {
        const relation = to.depth === from.depth ? 'beside' : 'above';
        return [
          `${where}, and ${to.room} is ${relation} ${from.room}: move what it uses to a layer below both`,
        ];
      }
      if (from.layer.use !== 'domain' || to.layer.use === 'domain') return [];
      return [
        `${where}, but ${from.room} is domain and ${to.room} is not: pass the value or the bytes as arguments`,
      ];
    });
  });
}

/** Access to files, network, programs and process in rooms that do not have it, and entries of `listed` without use. */
function accessProblems(
  sources: readonly Source[],
  listed: Readonly<Record<string, readonly string[]>>,
): string[] {
  const unused = new Set(
    Object.entries(listed).flatMap(([place, names]) => names.map((name) => `${place} ${name}`)),
  );
  const problems = sources.flatMap(({ path, imports, globals }) => {
    const { use } = layerOf(path)?.layer ?? {};
    if (use === 'free') return [];
    const place = placeOf(path, Object.keys(listed)) ?? '';
    const advice = `use or add a function in src/io, or list it in access in test/architecture.test.ts`;
    return [
      ...imports.flatMap(({ target, line, names }) => {
        const harmless = accessModules[target];
        const used = names.filter((name) => harmless?.includes(name) === false);
        if (used.length === 0) return [];
        if (listed[place]?.includes(target) === true) {
          unused.delete(`${place} ${target}`);
          return [];
        }
        return [`src/${path}:${line}: imports ${used.join(', ')} from ${target}: ${advice}`];
      }),
      ...Array.from(globals).flatMap(([line, name]) =>
        name === 'process' && use !== 'domain' ? [] : [`src/${path}:${line}: uses ${name}: ${advice}`],
      ),
    ];
  });
  return [
    ...problems,
    ...Array.from(unused, (entry) => `access lists ${entry}, which is unused: remove the entry`),
  ];
}

const src = resolve(import.meta.dirname, '../src');
const topOf = (path: string): string => path.split('/')[0] ?? path;

let texts: ReadonlyMap<string, string>;
let sources: readonly Source[];
beforeAll(() => {
  const names = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  texts = new Map(names.map((name) => [name.replaceAll(sep, '/'), readFileSync(join(src, name), 'utf8')]));
  sources = Array.from(texts, ([path, text]) => readSource(path, text));
});

/** The names in the table of CoreOS that no file uses, so that the argument is neither written nor checked. */
function unusedArguments(names: readonly string[]): string[] {
  const all = [...texts.values()];
  return names.filter(
    (name) => !all.some((text) => new RegExp(String.raw`coreosArguments\.${name}\b`).test(text)),
  );
}

/** Made-up files, by their paths. */
function sourcesOf(files: Readonly<Record<string, string>>): Source[] {
  return Object.entries(files).map(([path, text]) => readSource(path, text));
}

describe('src', () => {
  it('imports lower layers only', () => {
    expect(layerProblems(sources)).toEqual([]);
  });

  it('has a file in each room of the layers', () => {
    const rooms = layers.flatMap((layer) => layer.rooms);
    expect(rooms.filter((room) => !sources.some(({ path }) => placeOf(path, [room]) === room))).toEqual([]);
  });

  it('has no circles of imports between files', () => {
    expect(circleProblems(sources, (path) => path)).toEqual([]);
  });

  it('has no circles of imports between top folders', () => {
    expect(circleProblems(sources, topOf)).toEqual([]);
  });

  it('uses files, network, programs and process in io and in listed places only', () => {
    expect(accessProblems(sources, access)).toEqual([]);
  });

  it('exports each name once', () => {
    const exported =
      /^export (?:async )?(?:abstract )?(?:function\*?|const|class|interface|type|enum) (\w+)/gm;
    // Overloads of a function repeat its name in one file.
    // The library names its functions as the commands that they share code with.
    const names = [...texts].flatMap(([path, text]) =>
      path.startsWith('library/')
        ? []
        : [...new Set(Array.from(text.matchAll(exported), ([, name = '']) => name))],
    );
    expect(names.length).toBeGreaterThan(1000);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it.each(allCoreosArguments.map(({ name }) => name))('names the kernel argument %s in its table', (name) => {
    const pattern = name.replaceAll('.', String.raw`\.`);
    // A literal that starts with the name, or a template that gives it a value. Texts for users quote names as they are.
    const literal = new RegExp(String.raw`['"]${pattern}(?![\w.])|${pattern}=\$\{`);
    const naming = [...texts].filter(([, text]) => literal.test(text)).map(([path]) => path);
    expect(naming).toEqual(['kargs/coreosArguments.ts']);
  });

  it('uses each kernel argument of the table of CoreOS', () => {
    expect(unusedArguments(Object.keys(coreosArguments))).toEqual([]);
    expect(unusedArguments(['rootfsUrl', 'madeUp'])).toEqual(['madeUp']);
  });

  it('writes data to standard output with writeStdout alone, which reports what fails', () => {
    const writers = [...texts].filter(([, text]) => /\bstdout\??\.write\(/.test(text));
    expect(writers.map(([path]) => path)).toEqual(['io/stdout.ts']);
  });
});

describe('the checks of src name file, line and what to do', () => {
  it.each([
    [
      'an import of a higher layer',
      { 'core/a.ts': "\nimport { b } from '../io/b.ts';" },
      'src/core/a.ts:2: imports io/b.ts, and io is above core: move what it uses to a layer below both',
    ],
    [
      'an import of the same layer, at run time',
      { 'ipa/a.ts': "await import('../network/b.ts')" },
      'src/ipa/a.ts:1: imports network/b.ts, and network is beside ipa: move what it uses to a layer below both',
    ],
    [
      'an import of a type',
      { 'core/a.ts': "let a: import('../io/b.ts').B;" },
      'src/core/a.ts:1: imports io/b.ts, and io is above core: move what it uses to a layer below both',
    ],
    [
      'a folder without a layer',
      { 'new/a.ts': '' },
      'src/new/a.ts: its folder has no layer: add it to layers in test/architecture.test.ts',
    ],
  ])('%s', (_title, files, problem) => {
    expect(layerProblems(sourcesOf(files))).toEqual([problem]);
  });

  const advice = 'use or add a function in src/io, or list it in access in test/architecture.test.ts';
  it.each([
    ['files', 'import { type Stats, stat } from "node:fs/promises"', 'imports stat from node:fs/promises'],
    ['all of a module', 'import * as fs from "node:fs"', 'imports * from node:fs'],
    ['a module at run time', 'import("node:net")', 'imports * from node:net'],
    ['fetch', 'fetch("https://192.0.2.1")', 'uses fetch'],
    ['process', 'const { env } = process', 'uses process'],
  ])('the use of %s', (_title, text, use) => {
    expect(accessProblems(sourcesOf({ 'core/a.ts': text }), {})).toEqual([
      `src/core/a.ts:1: ${use}: ${advice}`,
    ]);
  });

  it.each([
    ['types', 'import { type Stats } from "node:fs"; import type { Socket } from "node:net"'],
    ['names that access nothing', 'import { isIP } from "node:net"; import { constants } from "node:fs"'],
    ['names like that of process', 'a.process({ process: 1 })'],
  ])('%s are allowed', (_title, text) => {
    expect(accessProblems(sourcesOf({ 'core/a.ts': text }), {})).toEqual([]);
  });

  it('an entry of access without use', () => {
    const files = sourcesOf({ 'hosts/a.ts': 'import { stat } from "node:fs"', 'hosts/b.ts': '' });
    expect(accessProblems(files, { 'hosts/a.ts': ['node:fs'] })).toEqual([]);
    expect(accessProblems(files, { hosts: ['node:fs', 'node:net'] })).toEqual([
      'access lists hosts node:net, which is unused: remove the entry',
    ]);
  });

  it('a circle of imports', () => {
    const files = sourcesOf({
      'io/a.ts': "import type { B } from './b.ts';",
      'io/b.ts': "\nexport { c } from './c.ts';",
      'io/c.ts': "import './a.ts'; import './d.ts';",
      'io/d.ts': '',
    });
    const [circle, ...others] = circleProblems(files, (path) => path);
    expect(circle?.split('\n')).toEqual([
      'src/io/a.ts:1: imports io/b.ts',
      '  src/io/b.ts:2: imports io/c.ts',
      '  src/io/c.ts:1: imports io/a.ts',
      '  is a circle: move what both ends use to a file that imports neither',
    ]);
    expect(others).toEqual([]);
  });
});

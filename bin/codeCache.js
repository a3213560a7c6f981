// @ts-check
/**
 * Keeps what Node has compiled of the program from run to run: compiling is half of what a short command takes. The cache
 * of newer versions of Node keeps only what the first command needed; here each command has its own.
 *
 * It is in a folder that only the user can write, because the code in the cache is executed. V8 checks its own version
 * and flags, but not the data: one flipped bit may crash it, or give incorrect results. So each file contains the data twice, and
 * between them the path and the source code that it was made of, and is used only if all of that is equal. A digest would
 * be shorter, but the modules that compute one take 2 to 4 ms to load; comparing takes less than 1 ms.
 */

const { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } =
  process.getBuiltinModule('node:fs');
const paths = process.getBuiltinModule('node:path');
const { Script } = process.getBuiltinModule('node:vm');

/** With the hash that rolldown.config.js gives it. */
const CHUNK = /-[\w-]{8}\.cjs$/;

/** As in `iso ignition embed`. */
const MAX_WORDS = 3;

/** All commands together need half of that; what is of older versions of the program is never used again. */
const MAX_FILES = 400;

/** Characters of the longest file name. Longer names are cut off; the content of the file distinguishes them. */
const MAX_NAME = 150;

/**
 * What compiled code was made of: its absolute path, a null byte, and the source code.
 * @typedef {import('node:buffer').Buffer<ArrayBuffer>} Origin
 */

/** @typedef {{ script: import('node:vm').Script, file: string, origin: Origin }} Compiled */

/**
 * From now on the chunks in a folder are compiled with the cache. Their names change with their content.
 * @param {string} folder
 * @param {readonly string[]} args of the program; those before any option or file name are taken for the command
 * @returns {() => void} saves what was not in the cache, once the command has run
 */
exports.useCodeCache = function useCodeCache(folder, args) {
  const cache = cacheFolder();
  if (cache === undefined) return () => {};
  const end = args.findIndex((arg) => !/^[a-z][a-z-]{0,20}$/.test(arg));
  const command = args.slice(0, Math.min(end < 0 ? args.length : end, MAX_WORDS));
  /** @type {Compiled[]} */
  const added = [];
  require.extensions['.cjs'] = (module, path) => {
    if (paths.dirname(path) !== folder || !CHUNK.test(path)) {
      require.extensions['.js']?.(module, path);
      return;
    }
    const file = paths.join(cache, [nameOf(path), ...command].join('.'));
    const origin = readOrigin(path);
    const script = compile(path, origin, readData(file, origin));
    if (script.cachedDataRejected !== false) added.push({ script, file, origin });
    const load = script.runInThisContext();
    load.call(module.exports, module.exports, module.require.bind(module), module, path, folder);
  };
  return () => {
    if (added.length > 0) makeRoom(cache);
    for (const { script, file, origin } of added) {
      const data = script.createCachedData();
      save(file, Buffer.concat([data, origin, data]));
    }
  };
};

/** Undefined if no such folder belongs to the user. @returns {string | undefined} */
function cacheFolder() {
  const base = exports.cacheBase(process.env, process.platform);
  if (base === undefined) return undefined;
  const folder = paths.join(base, `${process.version}-${process.arch}`);
  try {
    const { uid, mode } = statSync(folder, { throwIfNoEntry: false }) ?? makeFolder(folder);
    if (process.getuid === undefined) return folder; // Windows: access is that of the user's folder
    return uid === process.getuid() && (mode & 0o022) === 0 ? folder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Where each platform has what programs can get again; the same as in src/io/files/platform.ts.
 * @param {NodeJS.ProcessEnv} env
 * @param {NodeJS.Platform} platform
 * @returns {string | undefined} absolute
 */
exports.cacheBase = function cacheBase(env, platform) {
  const { HOME: home = '', LOCALAPPDATA: local = '', XDG_CACHE_HOME: xdg = '' } = env;
  const usual = home && `${home}/${platform === 'darwin' ? 'Library/Caches' : '.cache'}`;
  const base = xdg || (platform === 'win32' ? local : usual);
  const own = platform === 'win32' ? paths.win32 : paths.posix;
  return own.isAbsolute(base) ? own.join(base, 'ironic-coreos') : undefined;
};

/** In `/proc`, `mkdirSync` with `recursive` would never return. @param {string} folder */
function makeFolder(folder) {
  const parent = paths.dirname(folder);
  if (!existsSync(parent)) makeFolder(parent);
  mkdirSync(folder, { mode: 0o700 });
  return statSync(folder);
}

/** Of its whole path, for people; so that installations of one version do not overwrite the files of each other. @param {string} path */
function nameOf(path) {
  const name = path.slice(0, -'.cjs'.length).replaceAll(/[^\w.-]+/g, '_');
  return name.slice(-MAX_NAME);
}

/** @param {string} path @returns {Origin} */
function readOrigin(path) {
  return Buffer.concat([Buffer.from(`${path}\0`), readFileSync(path)]);
}

/** @param {string} path @param {Origin} origin @param {Buffer | undefined} cachedData */
function compile(path, origin, cachedData) {
  const code = origin.toString('utf8', origin.indexOf(0) + 1);
  return new Script(`(function (exports, require, module, __filename, __dirname) { ${code}\n})`, {
    filename: path,
    ...(cachedData !== undefined && { cachedData }),
  });
}

/** Undefined if the file is missing, damaged or of another origin. @param {string} file @param {Origin} origin */
function readData(file, origin) {
  try {
    const kept = readFileSync(file);
    const size = (kept.length - origin.length) / 2;
    const data = kept.subarray(0, size);
    const isWhole =
      kept.subarray(size, size + origin.length).equals(origin) && kept.subarray(-size).equals(data);
    return isWhole ? data : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} cache */
function makeRoom(cache) {
  try {
    const names = readdirSync(cache);
    if (names.length < MAX_FILES) return;
    for (const name of names) rmSync(paths.join(cache, name), { force: true });
  } catch {
    // Others may be at it.
  }
}

/** Whole or not at all, as other runs may be reading. @param {string} file @param {Buffer} content */
function save(file, content) {
  const unfinished = `${file}.${process.pid}`;
  try {
    writeFileSync(unfinished, content, { mode: 0o600, flush: true });
    renameSync(unfinished, file);
  } catch {
    // It goes without.
  }
}

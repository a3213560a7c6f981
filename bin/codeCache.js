// @ts-check
/**
 * Keeps what Node has compiled of the program from run to run: compiling is half of what a short command takes. The cache
 * of newer versions of Node keeps only what the first command needed; here each command has its own.
 *
 * It is in a folder of the user, where there is nobody else's code: what is in the cache is run.
 */

const { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } =
  process.getBuiltinModule('node:fs');
const paths = process.getBuiltinModule('node:path');
const { Script } = process.getBuiltinModule('node:vm');

/** With the hash that rolldown.config.js gives it. */
const CHUNK = /-[\w-]{8}\.cjs$/;

/** As in `iso ignition embed`. */
const MAX_WORDS = 3;

/** All commands together need half of that; what is of older versions of the program is never used again. */
const MAX_FILES = 400;

/** @typedef {{ script: import('node:vm').Script, file: string }} Compiled */

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
    const file = paths.join(cache, [paths.basename(path, '.cjs'), ...command].join('.'));
    const script = compile(path, readIfPresent(file));
    if (script.cachedDataRejected !== false) added.push({ script, file });
    const load = script.runInThisContext();
    load.call(module.exports, module.exports, module.require.bind(module), module, path, folder);
  };
  return () => {
    if (added.length > 0) makeRoom(cache);
    for (const { script, file } of added) save(file, script.createCachedData());
  };
};

/** Undefined where there is none that is the user's own. @returns {string | undefined} */
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
 * Where each platform has what programs can get again; the same as in src/io/platformPaths.ts.
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

/** @param {string} folder */
function makeFolder(folder) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return statSync(folder);
}

/** @param {string} path @param {ReturnType<typeof readIfPresent>} cachedData */
function compile(path, cachedData) {
  const code = readFileSync(path, 'utf8');
  return new Script(`(function (exports, require, module, __filename, __dirname) { ${code}\n})`, {
    filename: path,
    ...(cachedData !== undefined && { cachedData }),
  });
}

/** @param {string} file */
function readIfPresent(file) {
  try {
    return readFileSync(file);
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

/** Whole or not at all, as other runs may be reading. @param {string} file @param {ReturnType<import('node:vm').Script['createCachedData']>} data */
function save(file, data) {
  const unfinished = `${file}.${process.pid}`;
  try {
    writeFileSync(unfinished, data, { mode: 0o600 });
    renameSync(unfinished, file);
  } catch {
    // It goes without.
  }
}

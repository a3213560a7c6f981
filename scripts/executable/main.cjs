// @ts-check
/**
 * What the executable runs: the program of the package. Its files are in the executable as assets, and Node takes its modules from
 * there instead of from a folder.
 */

const { getAsset } = require('node:sea');
/** @type {any} the types are those of Node 20, which has no `registerHooks` */
const { createRequire, registerHooks } = require('node:module');

/** An address for the package, where no file is. */
const ROOT = process.platform === 'win32' ? 'file:///C:/ironic-coreos/' : 'file:///ironic-coreos/';

/** @typedef {{ parentURL?: string }} Context */

registerHooks({
  /** @param {string} specifier @param {Context} context @param {(specifier: string, context: Context) => object} next */
  resolve(specifier, context, next) {
    // Other specifiers name modules of Node.
    if (!/^(?:\.|file:)/.test(specifier)) return next(specifier, context);
    const { href: url } = new URL(specifier, context.parentURL);
    return url.startsWith(ROOT) ? { url, shortCircuit: true } : next(specifier, context);
  },
  /** @param {string} url @param {Context} context @param {(url: string, context: Context) => object} next */
  load(url, context, next) {
    if (!url.startsWith(ROOT)) return next(url, context);
    const source = getAsset(url.slice(ROOT.length), 'utf8');
    const format = url.startsWith(`${ROOT}bin/`) ? 'commonjs' : 'module';
    return { format, source, shortCircuit: true };
  },
});

createRequire(ROOT)('./bin/start.js').start();

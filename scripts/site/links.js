// @ts-check
/** Finds links of a built site that lead nowhere: to a page that is missing, or to a heading that is not in it. */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** @param {string} dist folder of the site @param {string} base its path on the server @returns {string[]} `page: link` */
export function findBrokenLinks(dist, base) {
  const pages = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.html'),
  );
  /** @type {Map<string, Set<string>>} */
  const anchors = new Map();
  /** @param {string} page */
  const anchorsOf = (page) => {
    const known = anchors.get(page);
    if (known !== undefined) return known;
    const found = new Set(
      Array.from(readFileSync(join(dist, page), 'utf8').matchAll(/\sid="([^"]+)"/g), ([, id = '']) => id),
    );
    anchors.set(page, found);
    return found;
  };
  return pages.flatMap((page) => {
    const html = readFileSync(join(dist, page), 'utf8');
    const links = new Set(Array.from(html.matchAll(/<a [^>]*?href="([^"]+)"/g), ([, href = '']) => href));
    return [...links].flatMap((href) => {
      const from = new URL(`http://site${base}${page.replaceAll('\\', '/')}`);
      const { hash, host, pathname, protocol } = new URL(href.replaceAll('&amp;', '&'), from);
      if (host !== 'site' || protocol !== 'http:') return [];
      if (!pathname.startsWith(base)) return [`${page}: ${href}`];
      const target = pageAt(dist, decodeURI(pathname.slice(base.length)));
      if (target === undefined) return [`${page}: ${href}`];
      const anchor = decodeURIComponent(hash.slice(1));
      const isThere = anchor === '' || !target.endsWith('.html') || anchorsOf(target).has(anchor);
      return isThere ? [] : [`${page}: ${href}`];
    });
  });
}

/** The file of a path, as web servers choose it. @param {string} dist @param {string} path @returns {string | undefined} */
function pageAt(dist, path) {
  return [path, `${path}.html`, join(path, 'index.html')].find((file) => {
    const found = join(dist, file);
    return existsSync(found) && statSync(found).isFile();
  });
}

// @ts-check
/** The configuration of VitePress. `build.js` copies it beside the pages, with `sidebar.js`. */

import { existsSync, readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { sidebar } from './sidebar.js';

const pages = resolve(import.meta.dirname, '..');
const {
  GITHUB_REPOSITORY,
  GITHUB_SERVER_URL = 'https://github.com',
  GITHUB_SHA = 'HEAD',
  SITE_BASE,
} = process.env;

export default {
  title: 'ironic-coreos',
  description: 'Prepares CoreOS live images to run ironic-python-agent',
  base: SITE_BASE ?? '/',
  themeConfig: {
    search: { provider: 'local' },
    outline: 'deep',
    nav: [
      { text: 'Which page for which job', link: '/' },
      { text: 'Commands', link: '/commands/ironic-coreos' },
    ],
    sidebar: sidebar.map(({ text, items }) => ({ text, collapsed: false, items: items.map(itemOf) })),
  },
  markdown: {
    anchor: { slugify: githubAnchor },
    /** @param {any} md of markdown-it */
    config: (md) => {
      md.core.ruler.push('repository-links', replaceFileLinks);
      md.core.ruler.push('literal-code', keepBraces);
    },
  },
};

/** @param {string} name of a page, below docs */
function itemOf(name) {
  const [, title = name] = /^# (.+)$/m.exec(readFileSync(join(pages, 'docs', `${name}.md`), 'utf8')) ?? [];
  return { text: title.replaceAll('`', ''), link: posix.join('/docs', name) };
}

/** As GitHub names headings, so that links with a fragment work on both. @param {string} heading */
function githubAnchor(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/** Links to files that are no pages lead to the repository. Without its address, only their text stays. @param {any} state */
function replaceFileLinks({ env, tokens }) {
  for (const { children } of tokens) {
    /** @type {any[]} */
    const removed = [];
    for (const token of children ?? []) {
      if (token.type === 'link_close') {
        if (removed.pop() === true) Object.assign(token, { type: 'text', content: '', tag: '', nesting: 0 });
        continue;
      }
      if (token.type !== 'link_open') continue;
      const href = token.attrGet('href') ?? '';
      const [path = ''] = href.split('#');
      const file = posix.join(posix.dirname(env.relativePath), decodeURI(path));
      const isPage =
        /^[a-z]+:/.test(href) || path === '' || (path.endsWith('.md') && existsSync(join(pages, file)));
      const isRemoved = !isPage && GITHUB_REPOSITORY === undefined;
      removed.push(isRemoved);
      if (isRemoved) Object.assign(token, { type: 'text', content: '', tag: '', nesting: 0 });
      else if (!isPage) {
        token.attrSet('href', `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/blob/${GITHUB_SHA}/${file}`);
      }
    }
  }
}

/** Vue would evaluate braces in code outside of blocks, such as `{{ variable }}` of Ansible. @param {any} state of markdown-it */
function keepBraces({ tokens }) {
  for (const { children } of tokens)
    for (const token of children ?? []) if (token.type === 'code_inline') token.attrSet('v-pre', '');
}

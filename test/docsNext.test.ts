/** Each page of the documentation ends with the next step, and each of four jobs takes at most three pages, one after the other. */

import { describe, expect, it } from 'vitest';
import { localLinks, readPages } from './support/docs/markdown.ts';

const pages = new Map(
  readPages()
    .filter(({ name }) => name.startsWith('docs/'))
    .map(({ name, text }) => [name.slice('docs/'.length), text]),
);

/** The pages that the last section links. */
function nextOf(page: string): readonly string[] {
  const [, section = ''] = /\n## Next\n\n(.*)\n$/s.exec(pages.get(page) ?? '') ?? [];
  return section.includes('\n#') ? [] : localLinks(section);
}

describe('the next step', () => {
  it.each([...pages.keys()])('ends %s, with a link to another page', (page) => {
    expect(nextOf(page)).not.toEqual([]);
    expect(nextOf(page).filter((link) => link.startsWith(page) || link.startsWith('#'))).toEqual([]);
  });
});

describe('a job', () => {
  const [, section = ''] =
    /## Four jobs, each on at most three pages\n(.*?)\n## /s.exec(pages.get('index.md') ?? '') ?? [];
  const jobs = [...section.matchAll(/^\| (?!job |-)([^|]+) \| (.*) \|$/gm)].map(
    ([, job = '', links = '']) => [job, localLinks(links)] as const,
  );

  it('is one of four', () => expect(jobs).toHaveLength(4));

  it.each(jobs)('%s: each page leads to the next one', (_job, links) => {
    expect(links.length).toBeLessThanOrEqual(3);
    for (const [index, link] of links.slice(1).entries()) {
      const before = links[index] ?? '';
      const page = link.split('#')[0] ?? '';
      expect([before, nextOf(before).some((to) => to.startsWith(page))]).toEqual([before, true]);
    }
  });
});

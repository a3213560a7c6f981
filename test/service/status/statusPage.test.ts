/** The status page of `serve` as JSON, and as HTML, which is complete without its script. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import type { HostStatus } from '../../../src/service/status/hostStatus.ts';
import { type Status, statusAnswer } from '../../../src/service/status/statusPage.ts';
import { ago, exampleHost, exampleStatus, manyHosts } from './exampleStatus.ts';

const answer = (status: Status, query = '', accept = 'text/html,*/*') =>
  statusAnswer(status, new URLSearchParams(query), accept);

/** Without white space beside tags, and without the style sheet and the script. */
const page = (status: Status, query = ''): string =>
  answer(status, query)
    .body.replace(/<(style|script)>.*<\/\1>/gs, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([<>]) ?/g, '$1');

const json = (status: Status, query = ''): unknown => JSON.parse(answer(status, `${query}&format=json`).body);

const withHost = (host: HostStatus): Status => exampleStatus({ hosts: [host] });
const loadError = {
  severity: 'error',
  message: 'unknown key "macAddress"',
  at: { file: 'hosts.yaml', line: 8, column: 5 },
  path: ['hosts', 3],
  hint: 'use "mac"',
} as const;
const notLoaded = exampleStatus({ loadError });

describe('without scripts, the status page', () => {
  it.each([
    [
      'a host',
      '<th class="name" scope="row">worker-0</th><td><strong class="state">on the way</strong>media<progress max="1073741824" value="536870912" aria-label="worker-0.iso"></progress>50 %</td>',
    ],
    ['since when', 'title="2026-11-21 16:13:20 UTC">6 min ago</time></td>'],
    [
      'an error with its place and hint',
      '<p><strong class="error">error:</strong>path is not absolute<span class="muted">$.storage.files.0.path</span><span class="hint">hint: Ignition needs an absolute path: &quot;/etc/hostname&quot;</span></p>',
    ],
    ['a warning', '<strong class="warning">warning:</strong>Unused key x'],
    ['how many machines there are', '<caption>5 machines of 5</caption>'],
    ['as of when', '<dt>As of</dt><dd>2026-11-21 16:20:00 UTC</dd>'],
    ['all MAC addresses', '<span class="mac">52:54:00:00:00:0b</span>'],
    ['images', '<a class="name" href="/h.worker-4..0123456789/worker-4.iso">worker-4.iso</a>'],
    ['what matters in the title', '<title>1 failed, 2 transfers, 5 hosts: ironic-coreos serve</title>'],
  ])('shows %s', (_title, expected) => {
    expect(page(exampleStatus())).toContain(expected);
  });

  it('shows why an inventory was not loaded', () => {
    expect(page(notLoaded)).toContain(
      '<p>Failed to reload the inventory. The hosts keep the inventory of 2026-11-21 16:10:00 UTC.</p><p><strong class="error">error:</strong>unknown key &quot;macAddress&quot;<span class="muted">hosts.yaml:8:5 $.hosts.3</span><span class="hint">hint: use &quot;mac&quot;</span></p>',
    );
    expect(page(notLoaded)).toContain('<title>reload failed, 1 failed, ');
  });

  it('shows problems first', () => {
    const names = [...page(exampleStatus()).matchAll(/scope="row">(worker-\d)</g)].map(([, name]) => name);
    expect(names).toEqual(['worker-3', 'worker-0', 'worker-2', 'worker-4', 'worker-1']);
  });

  it('shows what several hosts have once, and refers to it', () => {
    const messages = [
      { severity: 'warning', message: 'no SSH key is set', hint: 'set host.sshKeys' },
    ] as const;
    const hosts = ['a', 'b'].map((name) => exampleHost(name, { messages }));
    const text = page(exampleStatus({ hosts }));
    expect(text).toContain('<li id="problem-0"><strong class="warning">warning:</strong>no SSH key is set');
    expect(text).toContain('<span class="muted">2 machines: a, b</span>');
    expect(text.split('<p><a href="#problem-0">no SSH key is set</a></p>')).toHaveLength(3);
  });

  it('links the other pages, with the same filter', () => {
    const text = page(exampleStatus({ hosts: manyHosts(120) }), 'q=host&show=idle&page=2');
    expect(text).toContain('<a href="?q=host&amp;show=idle">Previous page</a>');
    expect(text).toContain('<a href="?q=host&amp;show=idle&amp;page=3">Next page</a>');
    expect(text).toContain('name="q" value="host"');
  });

  const markup = `"><script>alert(1)</script><img src=x onerror='alert(2)'>&amp;\0\u202e`;
  it.each<[string, Status]>([
    ['names', withHost(exampleHost(markup))],
    [
      'messages',
      withHost(
        exampleHost('a', {
          messages: [{ severity: 'error', rule: 'x', path: [markup], message: markup, hint: markup }],
        }),
      ),
    ],
  ])('markup in %s is text', (_title, status) => {
    const text = page(status);
    expect(text).not.toMatch(/<script|<img|onerror='|\0|\u202e/);
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).toContain('&amp;amp;\ufffd\ufffd');
  });

  it('markup in a query is text', () => {
    const text = page(exampleStatus(), `q=${encodeURIComponent(markup)}&page=2`);
    expect(text).not.toMatch(/<script|<img|onerror='/);
    expect(text).toContain('&lt;script&gt;');
  });

  it('runs only its own script, and sends no referrer', () => {
    const { headers } = answer(exampleStatus());
    expect(headers).toMatchObject({
      'Content-Type': 'text/html; charset=utf-8',
      'Referrer-Policy': 'no-referrer',
    });
    expect(headers['Content-Security-Policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; script-src 'sha256-[\w+/]{43}='; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
  });
});

describe('JSON', () => {
  const check = new Ajv({ allowUnionTypes: true }).compile(
    JSON.parse(readFileSync(resolve(import.meta.dirname, '../../../schemas/serve-status.json'), 'utf8')),
  );

  it.each([
    ['asked for by the query', 'format=json', '*/*', 'application/json'],
    ['asked for by the header', '', 'application/json', 'application/json'],
    ['not for a browser', '', 'text/html,application/json;q=0.9', 'text/html; charset=utf-8'],
    ['not for a browser that takes anything', '', '*/*', 'text/html; charset=utf-8'],
    ['not against the query', 'format=html', 'application/json', 'text/html; charset=utf-8'],
  ])('%s', (_title, ...[query, accept, type]) => {
    expect(answer(exampleStatus(), query, accept).headers['Content-Type']).toBe(type);
  });

  it.each<[string, Status]>([
    ['all kinds of hosts', exampleStatus()],
    ['nothing', exampleStatus({ hosts: [], baseImages: [], shared: [], recent: [] })],
    ['an error', exampleStatus({ loadError })],
  ])('of %s is as its schema has it', (_title, status) => {
    const valid = check(JSON.parse(answer(status, 'format=json').body));
    expect(check.errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  it('has the failed reload with its place and hint, and says what is loaded', () => {
    expect(json(notLoaded)).toMatchObject({
      title: 'reload failed, 1 failed, 2 transfers, 5 hosts: ironic-coreos serve',
      service: {
        inputs: 'inventory',
        loadError: {
          file: 'hosts.yaml',
          line: 8,
          column: 5,
          path: '$.hosts.3',
          message: 'unknown key "macAddress"',
          hint: 'use "mac"',
        },
      },
    });
  });

  it('has what several hosts have once, and refers to it', () => {
    const shared = { severity: 'warning', message: 'no SSH key is set', hint: 'set host.sshKeys' } as const;
    const own = { severity: 'warning', message: 'no DNS server' } as const;
    const hosts = [
      exampleHost('worker-10', { messages: [shared] }),
      exampleHost('worker-2', { messages: [shared, own] }),
    ];
    expect(json(exampleStatus({ hosts }))).toMatchObject({
      problems: [{ ...shared, machines: 2, names: 'worker-2, worker-10' }],
      hosts: [{ messages: [{ problem: 0 }] }, { messages: [{ problem: 0 }, own] }],
    });
  });

  it('counts each state, and all counts add up', () => {
    expect(json(exampleStatus())).toMatchObject({
      total: 5,
      states: [
        { state: 'failed', name: 'failed', machines: 1 },
        { state: 'stuck', name: 'stuck', machines: 0 },
        { state: 'under-way', name: 'on the way', machines: 2 },
        { state: 'idle', name: 'no activity', machines: 1 },
        { state: 'home', name: 'fetched', machines: 1 },
      ],
    });
  });

  it('has hosts in the order of the inventory', () => {
    const names = ['worker-0', 'worker-1', 'worker-2', 'worker-3', 'worker-4'];
    expect(json(exampleStatus())).toMatchObject({ hosts: names.map((name) => ({ name })) });
  });

  it('has what the page shows', () => {
    const document: unknown = JSON.parse(answer(exampleStatus(), 'format=json&q=worker-1').body);
    expect(document).toMatchObject({
      total: 5,
      matching: 1,
      page: 1,
      pages: 1,
      hosts: [
        {
          name: 'worker-1',
          images: [
            {
              path: 'worker-1.iso',
              url: '/h.worker-1..0123456789/worker-1.iso',
              fetched: 1024 ** 3,
              completed: ago(400).toISOString(),
              clients: ['192.0.2.7'],
            },
            { path: 'worker-1.ign', artifact: 'ign' },
          ],
        },
      ],
      transfers: [{ outcome: 'complete', path: 'worker-1.iso' }],
    });
  });

  it('of 10,000 hosts signs only the URLs of one page', () => {
    let signed = 0;
    const hosts = manyHosts(10_000).map((host) => ({
      ...host,
      images: () => {
        signed++;
        return host.images();
      },
    }));
    expect(json(exampleStatus({ hosts }), 'q=host&show=idle&page=3')).toMatchObject({
      matching: 10_000,
      page: 3,
      pages: 200,
    });
    expect(signed).toBe(50);
  });
});

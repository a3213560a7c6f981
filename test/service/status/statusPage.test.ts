import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { resolve } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HostStatus, Status } from '../../../src/service/status/status.ts';
import { statusAnswer } from '../../../src/service/status/statusPage.ts';
import { chromiumNote, hasChromium, visit } from '../../support/chromium.ts';
import { ago, exampleHost, exampleProgress, exampleStatus, manyHosts } from './exampleStatus.ts';
import { listenLocally } from '../../support/listening.ts';

const answer = (status: Status, query = '', accept = 'text/html,*/*') =>
  statusAnswer(status, new URLSearchParams(query), accept);

/** Without white space beside tags. */
const tight = (text: string): string => text.replace(/\s+/g, ' ').replace(/ ?([<>]) ?/g, '$1');

const page = (status: Status, query = ''): string => tight(answer(status, query).body);

const withHost = (host: HostStatus): Status => exampleStatus({ hosts: [host] });

describe('the status page', () => {
  it.each([
    ['a host', '<th scope="row" class="name">worker-0</th>'],
    ['a link to an image', '<a class="name" href="/h.worker-0..0123456789/worker-0.iso">worker-0.iso</a>'],
    [
      'a running fetch',
      '<progress max="1073741824" value="536870912" aria-label="worker-0.iso">50 %</progress> 50 %, 2 connections, 192.0.2.7',
    ],
    ['where the boot is', '<strong class="state">on the way</strong> media'],
    ['a complete fetch', '1.0 GiB, <span class="good">complete</span>, 192.0.2.7'],
    ['an interrupted one', '<span class="warning">stopped at 50 %</span>'],
    [
      'when that was',
      '<time datetime="2026-11-21T16:13:20.000Z" title="2026-11-21 16:13:20 UTC">6 min ago</time>',
    ],
    ['how many hosts are in a state', '<a href="?show=under-way"><strong>2</strong> on the way</a>'],
    ['a host that fetched nothing', '<strong class="state">no activity</strong>'],
    ['a host with errors', '<strong class="state">failed</strong> without an image'],
    [
      'its error',
      '<strong class="error">error:</strong> path is not absolute <span class="muted">$.storage.files.0.path</span>',
    ],
    ['and the hint', '<span class="hint">Ignition needs an absolute path: &quot;/etc/hostname&quot;</span>'],
    ['a warning', '<strong class="warning">warning:</strong> Unused key x'],
    ['several MAC addresses', '<span class="mac">52:54:00:00:00:0a</span>'],
    [
      'a base image',
      'title="abababababababababababababababababababababababababababababababab">abababababab</td>',
    ],
    ['its build', '418.94.1-0'],
    ['what all hosts share', 'images/1/ironic-python-agent.rootfs'],
    ['the program of a transfer', 'curl/7.88.1'],
    ['the service', '<dt>Version</dt><dd>0.1.0</dd>'],
  ])('shows %s', (_title, expected) => {
    expect(page(exampleStatus())).toContain(tight(expected));
  });

  it('tells why an inventory was not read anew', () => {
    const { service } = exampleStatus();
    expect(page(exampleStatus())).not.toContain('role="alert"');
    const status = exampleStatus({ service: { ...service, loadError: 'hosts.yaml:3: <no> name' } });
    expect(page(status)).toContain(
      tight('role="alert"> <strong>Failed to reload the inventory:</strong> hosts.yaml:3: &lt;no&gt; name.'),
    );
  });

  it('is that of the command that runs the service', () => {
    const { service } = exampleStatus();
    const ofController = exampleStatus({
      command: 'controller',
      inputs: 'settings and images',
      service: { ...service, loadError: 'no' },
    });
    const shown = page(ofController);
    expect(shown).toContain('ironic-coreos controller</title>');
    expect(shown).toContain('<h1>ironic-coreos controller</h1>');
    expect(shown).toContain('Failed to reload the settings and images:');
    expect(shown).toContain('<dt>Settings and images loaded</dt>');
    expect(shown).not.toMatch(/ironic-coreos serve|inventory/i);
  });

  it('counts one thing in the singular', () => {
    const { service } = exampleStatus();
    const status = { ...withHost(exampleHost('a')), service: { ...service, transfers: 1 } };
    expect(page(status)).toContain('<title>1 transfer, 1 host: ironic-coreos serve</title>');
    expect(page(status)).toContain('<caption>Machine 1 of 1</caption>');
    expect(page(exampleStatus())).toContain('<title>1 failed: ironic-coreos serve</title>');
  });

  it('has what several hosts have once above the table, and links in their rows beside what each has alone', () => {
    const shared = { severity: 'warning', message: 'no SSH key is set', hint: 'set host.sshKeys' } as const;
    const own = { severity: 'warning', message: 'no DNS server' } as const;
    const hosts = [
      exampleHost('worker-10', { messages: [shared] }),
      exampleHost('worker-2', { messages: [shared, own] }),
    ];
    const text = page(exampleStatus({ hosts }));
    expect(text).toContain(
      tight(`<li id="problem-1"><strong class="warning">warning:</strong> no SSH key is set
        <span class="hint">set host.sshKeys</span> <span class="muted">2 machines: worker-2, worker-10</span></li>`),
    );
    expect(text.match(/set host\.sshKeys/g)).toHaveLength(2); // above the table, and in the details of worker-2
    expect(text.match(/href="#problem-1"/g)).toHaveLength(2);
    expect(text).toMatch(/worker-2.*no DNS server.*href="#problem-1"/s);
  });

  it('says that there is nothing where there is nothing', () => {
    const text = page(exampleStatus({ hosts: [], baseImages: [], shared: [], recent: [] }));
    expect(text).not.toContain('<table');
    expect(text).toContain('No machine matches.');
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
    ['MAC addresses and architectures', withHost(exampleHost('a', { macs: [markup], architecture: markup }))],
    ['paths and clients', exampleStatus({ shared: [exampleProgress({ path: markup, clients: [markup] })] })],
    [
      'base images',
      exampleStatus({
        baseImages: [
          { name: markup, architecture: markup, stream: markup, size: 1, digest: markup, build: markup },
        ],
      }),
    ],
    [
      'user agents',
      exampleStatus({ recent: exampleStatus().recent.map((event) => ({ ...event, userAgent: markup })) }),
    ],
  ])('markup in %s is text', (_title, status) => {
    const text = page(status);
    expect(text).not.toMatch(/<script(?! data-refresh)|<img|onerror='|\0|\u202e/);
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).toContain('&amp;amp;\ufffd\ufffd');
  });

  it('markup in a query is text', () => {
    const text = page(exampleStatus(), `q=${encodeURIComponent(markup)}&page=2&refresh=5`);
    expect(text).not.toMatch(/<script(?! data-refresh)|<img|onerror='/);
    expect(text).toContain('&lt;script&gt;');
  });

  it.each([
    ['loads itself again on demand', 'refresh=30', '<meta http-equiv="refresh" content="30" />'],
    ['not all the time', 'refresh=1', '<meta http-equiv="refresh" content="2" />'],
    [
      'offers to stop that, the query staying',
      'refresh=30&q=wor',
      '<a href="?q=wor&amp;refresh=0">Stop refreshing every 30 s</a>',
    ],
    ['offers it', 'q=wor&show=home', '<a href="?q=wor&amp;show=home&amp;refresh=10">Refresh every 10 s</a>'],
    ['keeps it when filtering', 'refresh=30', '<input type="hidden" name="refresh" value="30" />'],
    ['shows what was searched', 'q=Worker', 'name="q" value="worker"'],
    ['shows what was chosen', 'show=home', '<a href="?" aria-current="true">'],
    ['keeps what was chosen when filtering', 'show=home', '<input type="hidden" name="show" value="home" />'],
  ])('%s', (_title, query, expected) => {
    expect(page(exampleStatus(), query)).toContain(tight(expected));
  });

  it('lets nothing in, nothing be kept and nothing be told', () => {
    const { headers } = answer(exampleStatus());
    expect(headers).toMatchObject({
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    });
    expect(headers['Content-Security-Policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; script-src 'sha256-[\w+/]{43}='; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
  });

  it('of 10,000 hosts takes little time, and signs only the URLs that it shows', () => {
    let signed = 0;
    const hosts = manyHosts(10_000).map((host) => ({
      ...host,
      images: () => {
        signed++;
        return host.images();
      },
    }));
    const text = page(exampleStatus({ hosts }), 'q=host&show=idle&page=3');
    expect(text).toContain('<caption>Machines 101 to 150 of 10000</caption>');
    expect(signed).toBe(50);
    expect(text.length).toBeLessThan(200_000);
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
    ['an error', exampleStatus({ service: { ...exampleStatus().service, loadError: 'no' } })],
  ])('of %s is as its schema has it', (_title, status) => {
    const valid = check(JSON.parse(answer(status, 'format=json').body));
    expect(check.errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  it('holds what the page holds', () => {
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
});

const longestName = `longest-${'name-of-a-host-'.repeat(4)}`.slice(0, 62);
const longHost = exampleHost(longestName, {
  macs: ['52:54:00:00:00:0a', '52:54:00:00:00:0b'],
  messages: [{ severity: 'error', rule: 'x', path: ['storage'.repeat(20)], message: 'm'.repeat(200) }],
  fetched: [
    exampleProgress({ path: `${longestName}.iso`, clients: ['2001:db8:1234:5678:9abc:def0:1234:5678'] }),
  ],
});

describe.skipIf(!hasChromium)(`in a browser${chromiumNote}`, () => {
  let server: Server;
  let origin: string;
  const asked: string[] = [];

  beforeAll(async () => {
    const { hosts, recent } = exampleStatus();
    const status = exampleStatus({
      hosts: [...hosts, ...manyHosts(100), longHost],
      recent: recent.map((event) => ({ ...event, userAgent: 'x'.repeat(120), path: `${longHost.name}.iso` })),
    });
    server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
      asked.push(request.url ?? '');
      if (pathname !== '/') {
        response.end(`<title>${pathname}</title>`);
        return;
      }
      const { headers, body } = statusAnswer(status, searchParams, request.headers.accept ?? '');
      response.writeHead(200, headers).end(body);
    });
    origin = `http://127.0.0.1:${await listenLocally(server)}`;
  });
  afterAll(() => server.close());

  it.each(['light', 'dark'] as const)(
    'is a page without complaints and with nothing from elsewhere: %s',
    async (colors) => {
      asked.length = 0;
      await visit({ url: `${origin}/`, colors }, async (browser) => {
        const seen = await browser.evaluate(`({
        language: document.documentElement.lang,
        headings: [...document.querySelectorAll('h1, h2')].map((heading) => heading.textContent),
        hosts: document.querySelectorAll('.machines tbody tr').length,
        folded: document.querySelectorAll('details[open]').length,
        bars: [...document.querySelectorAll('progress')].map((bar) => bar.position),
        background: getComputedStyle(document.body).backgroundColor,
        unlabelled: [...document.querySelectorAll('input:not([type=hidden]), select')].filter((field) => field.labels.length === 0).length,
        heads: [...document.querySelectorAll('th')].filter((head) => head.scope === '').length,
        sideways: document.documentElement.scrollWidth > document.documentElement.clientWidth,
      })`);
        expect(seen).toEqual({
          language: 'en',
          headings: ['ironic-coreos serve', 'Base images', 'Shared files', 'Recent transfers'],
          hosts: 50,
          folded: 0,
          bars: [0.5, 0.5, 0.5],
          background: colors === 'light' ? 'rgb(255, 255, 255)' : 'rgb(22, 24, 27)',
          unlabelled: 0,
          heads: 0,
          sideways: false,
        });
        expect(browser.complaints).toEqual([]);
        expect(browser.requests.filter((url) => !url.startsWith('data:'))).toEqual([`${origin}/`]);
        expect(asked).toEqual(['/']);
      });
    },
  );

  it.each([
    [420, '/'],
    [420, '/?q=longest'],
    [320, '/'],
    [320, '/?q=longest'],
    [700, '/'],
  ])('on a screen of %d pixels shows everything without moving it sideways: %s', async (width, path) => {
    await visit({ url: `${origin}${path}`, width }, async (browser) => {
      const seen = await browser.evaluate(`(() => {
        const room = document.documentElement.clientWidth;
        const isWide = (element) => element.getBoundingClientRect().right > room;
        const shown = [...document.querySelectorAll('th, td, a, input, select, button, progress, dd, caption')]
          .filter((element) => element.getClientRects().length > 0);
        return {
          sideways: document.documentElement.scrollWidth > room,
          tables: [...document.querySelectorAll('.scroll')].filter((box) => box.scrollWidth > box.clientWidth).length,
          wide: shown.filter(isWide).map((element) => element.textContent),
          names: shown.filter((element) => element.matches('th.name')).length > 0,
        };
      })()`);
      expect(seen).toEqual({ sideways: false, tables: 0, wide: [], names: true });
      expect(browser.complaints).toEqual([]);
    });
  });

  it('has links that work, and a form', async () => {
    const links = [
      [`document.querySelector('[href*="worker-0.iso"]').click()`, '/h.worker-0..0123456789/worker-0.iso'],
      [`document.querySelector('.tiles .failed a').click()`, '/?show=failed'],
      [`document.querySelector('a[rel=next]').click()`, '/?page=2'],
      [
        `document.querySelector('[name=q]').value = 'host-7';
         document.forms[0].submit()`,
        '/?q=host-7',
      ],
    ] as const;
    asked.length = 0;
    await visit({ url: `${origin}/` }, async (browser) => {
      for (const [act, url] of links) {
        await browser.open(`${origin}/`);
        await browser.evaluate(act);
        await expect.poll(() => asked).toContain(url);
      }
      expect(browser.complaints).toEqual([]);
    });
  });

  it('stays as it is while it loads again: details, typed text, focus and scroll position', async () => {
    await visit({ url: `${origin}/?refresh=2` }, async (browser) => {
      await browser.evaluate(`
        document.querySelectorAll('details')[3].open = true;
        document.querySelector('input[type=search]').value = 'typed';
        document.querySelectorAll('summary')[3].focus();
        scrollTo(0, 300);
        globalThis.first = document.querySelector('main');`);
      asked.length = 0;
      await expect
        .poll(() => browser.evaluate('document.querySelector("main") !== globalThis.first'), {
          timeout: 20_000,
        })
        .toBe(true);
      expect(
        await browser.evaluate(`({
          open: [...document.querySelectorAll('details')].findIndex(({ open }) => open),
          typed: document.querySelector('input[type=search]').value,
          focused: [...document.querySelectorAll('summary')].indexOf(document.activeElement),
          scrolled: scrollY,
        })`),
      ).toEqual({ open: 3, typed: 'typed', focused: 3, scrolled: 300 });
      expect(browser.complaints).toEqual([]);
    });
  });

  it('would not run another script', async () => {
    await visit({ url: `${origin}/` }, async (browser) => {
      await browser.evaluate(
        `document.body.append(Object.assign(document.createElement('script'), { textContent: 'document.title = "ran"' }))`,
      );
      expect(await browser.evaluate('document.title')).not.toBe('ran');
      await expect.poll(() => browser.complaints.join('\n')).toContain('Content Security Policy');
    });
  });
});

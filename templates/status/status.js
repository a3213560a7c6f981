// Reads the status from this path as JSON, shows it, and updates it in place.
const SECONDS = 5;
/** Messages that a row has outside of its details. */
const MAX_SHOWN = 2;

const [connection, above, below] = ['connection', 'above', 'below'].map((id) => document.getElementById(id));
const form = document.querySelector('form');
const live = form.querySelector('[type=checkbox]');
live.parentElement.hidden = false;
form.querySelector('button').hidden = true; // the list is filtered while the user types

/** An element. Texts are never HTML. @param kind tag and classes: `td.messages` */
function make(kind, attributes, ...content) {
  const [tag, ...classes] = kind.split('.');
  const element = document.createElement(tag);
  if (classes.length > 0) element.className = classes.join(' ');
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(
    ...content
      .flat()
      .filter((one) => one !== undefined)
      .map(plain),
  );
  return element;
}

/** Control characters, and those that change the direction of text, are visible. */
function plain(one) {
  return one instanceof Node ? one : String(one).replace(UNWANTED, '\ufffd');
}
const UNWANTED = /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/gu;

/** Makes the children of an element like new ones. Those that stay keep their focus, open details and selected text. */
function update(parent, children) {
  const byKey = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let place = parent.firstChild;
  for (const child of children) {
    const key = child.dataset?.key;
    const same = key === undefined ? place : byKey.get(key);
    if (same?.nodeName !== child.nodeName || same.dataset?.key !== key) {
      parent.insertBefore(child, place);
      continue;
    }
    if (same === place) place = place.nextSibling;
    else parent.insertBefore(same, place);
    if (child.nodeType === Node.TEXT_NODE) {
      if (same.data !== child.data) same.data = child.data;
      continue;
    }
    for (const name of same.getAttributeNames())
      if (name !== 'open' && !child.hasAttribute(name)) same.removeAttribute(name);
    for (const { name, value } of child.attributes)
      if (same.getAttribute(name) !== value) same.setAttribute(name, value);
    update(same, [...child.childNodes]);
  }
  for (let next; place !== null; place = next) {
    next = place.nextSibling;
    place.remove();
  }
}

/** The query of this page with other parameters; empty ones are left out. */
function queryWith(changes) {
  const query = { ...Object.fromEntries(new URLSearchParams(location.search)), page: '', ...changes };
  return `?${new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''))}`;
}

const count = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`;
const percent = (bytes, size) => `${size === 0 ? 100 : Math.floor((bytes / size) * 100)} %`;
const bar = (path, bytes, size) => make('progress', { max: size, value: bytes, 'aria-label': path });

function sizeOf(bytes) {
  const power = Math.min(3, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${['bytes', 'KiB', 'MiB', 'GiB'][power]}`;
}

/** `2026-11-21 16:20:01 UTC` */
const utc = (time) => `${time.slice(0, 19).replace('T', ' ')} UTC`;

/** The time of the data, in milliseconds. */
let now;

/** `5 min ago`; the tooltip has the time itself. */
function age(time) {
  if (time === undefined) return undefined;
  const seconds = Math.max(0, (now - Date.parse(time)) / 1000);
  const units = { days: 86_400, h: 3600, min: 60, s: 1 };
  const unit = Object.keys(units).find((name) => seconds >= units[name] * (name === 'days' ? 2 : 1));
  const text = seconds < 5 ? 'just now' : `${Math.floor(seconds / units[unit])} ${unit} ago`;
  return make('time', { datetime: time, title: utc(time) }, text);
}

function message({ severity, label = severity, message: text, file, line, column, path, evidence, hint }) {
  const place = [[file, line, column].filter(Boolean).join(':'), path].filter(Boolean).join(' ');
  return [
    make(`strong.${severity}`, {}, `${label}:`),
    ` ${text} `,
    make('span.muted', {}, place),
    evidence && make('code', {}, evidence),
    hint && make('span.hint', {}, `hint: ${hint}`),
  ];
}

/** @param entries names with the parts of their values; a name without a value is left out */
function facts(entries) {
  const known = entries.filter(([, ...values]) => values.some((value) => value !== undefined));
  const pairs = known.map(([name, ...values]) =>
    make('div', {}, make('dt', {}, name), make('dd', {}, values)),
  );
  return make('dl.facts', {}, pairs);
}

const stageTexts = {
  reached: 'reached',
  passed: 'passed, not observed',
  running: 'in progress',
  paused: 'no transfer is running',
  stopped: 'stopped here',
  waiting: 'not reached',
};

function stageBar(stages) {
  const marks = stages.map(({ note, stage, state }) => {
    const noted = note && make('small', {}, ` ${note}`);
    const text = make('span.hidden', {}, `: ${stageTexts[state]}`);
    return make(`li.${state}`, { title: stageTexts[state] }, stage, noted, text);
  });
  return marks.length === 0 ? undefined : make('ol.stages', { 'aria-label': 'Stages of the boot' }, marks);
}

function imageItem({ clients, completed, fetched, lastFetch, path, running, size, url }) {
  const link = make('a.name', { href: url }, path);
  if (lastFetch === undefined) return make('li', {}, link);
  const stopped = completed === undefined ? `stopped at ${percent(fetched, size)}` : 'complete';
  const going = [bar(path, fetched, size), ` ${percent(fetched, size)}, ${count(running, 'connection')}`];
  const from = `, ${clients.at(-1)}, `;
  return make('li', {}, link, `, ${sizeOf(size)}, `, running > 0 ? going : stopped, from, age(lastFetch));
}

/** @param others messages that are not in the row */
function details(host, others) {
  const { architecture, events = [], images, macs, name, stages, stream, usualCause } = host;
  const lines = (host.console ?? []).join('\n');
  const usual = usualCause === undefined ? [] : [usualCause];
  return make(
    'details',
    {},
    make('summary', {}, 'Details', make('span.hidden', {}, ` of ${name}`)),
    stageBar(stages),
    facts([
      ...macs.map((mac) => ['MAC address', make('span.mac', {}, mac)]),
      ['Architecture', stream === undefined ? architecture : `${stream}/${architecture}`],
      ...events.map(({ name: event, text, time }) => [event, text && `${text}, `, age(time)]),
    ]),
    [...others, ...usual].map((one) => make('p', {}, message(one))),
    make('ul', {}, images.map(imageItem)),
    lines && [make('p', {}, 'Last lines on the console:'), make('pre', {}, lines)],
  );
}

function machineRow(host, names) {
  const { messages, name, since, stage = '', state, transfer } = host;
  const own = messages.filter(({ problem }) => problem === undefined);
  const shared = messages.filter(({ problem }) => problem !== undefined);
  const left = own.slice(MAX_SHOWN);
  const { fetched, path, size } = transfer ?? {};
  const going = transfer && [bar(path, fetched, size), ` ${percent(fetched, size)}`];
  const paragraphs = [
    ...own.slice(0, MAX_SHOWN).map(message),
    ...shared.map((one) => make('a', { href: `#problem-${one.problem}` }, one.message)),
    ...(left.length > 0 ? [`and ${count(left.length, 'more message')}`] : []),
  ];
  return make(
    `tr.${state}`,
    { 'data-key': name },
    make('th.name', { scope: 'row' }, name),
    make('td', {}, make('strong.state', {}, names.get(state)), ` ${stage} `, going),
    make('td', {}, age(since)),
    make('td.messages', {}, [...paragraphs.map((one) => make('p', {}, one)), details(host, left)]),
  );
}

/** A table with the head, the body and a caption or heading. @param kind tag and classes @param first its first child */
function table(kind, first, columns, rows) {
  const heads = columns.map((column) => make('th', { scope: 'col' }, column));
  return make(kind, {}, first, make('thead', {}, make('tr', {}, heads)), make('tbody', {}, rows));
}

function machineTable({ hosts, matching, page, pages, states }) {
  if (hosts.length === 0) return [make('p', { 'data-key': 'none' }, 'No machine matches.')];
  const names = new Map(states.map(({ state, name }) => [state, name]));
  const caption = make('caption', {}, `${count(hosts.length, 'machine')} of ${matching}`);
  const rows = hosts.map((host) => machineRow(host, names));
  const link = (to, text) =>
    to < 1 || to > pages ? undefined : make('a', { href: queryWith({ page: to }) }, text);
  const links = [link(page - 1, 'Previous page'), `Page ${page} of ${pages}`, link(page + 1, 'Next page')];
  return [
    table('table.machines', caption, ['Machine', 'State', 'Since', 'Message'], rows),
    make('nav', { 'aria-label': 'Pages of machines' }, pages > 1 ? links : []),
  ];
}

/** By the member of the JSON: the heading of a table, and the columns. */
const tables = {
  baseImages: [
    'Base images',
    { name: 'Image', architecture: 'Architecture', stream: 'Stream', build: 'Build' },
  ],
  shared: [
    'Shared files',
    { path: 'File', fetched: 'Fetched', running: 'Connections', lastFetch: 'Last fetch' },
  ],
  transfers: [
    'Recent transfers',
    { path: 'File', ended: 'Ended', client: 'Client', bytes: 'Sent', outcome: 'Outcome' },
  ],
};
const formats = {
  size: sizeOf,
  fetched: sizeOf,
  bytes: sizeOf,
  lastFetch: age,
  ended: age,
  digest: (digest) => digest.slice(0, 12),
  seconds: (seconds) => `${seconds.toFixed(1)} s`,
};
const cellOf = (value, key) => (value === undefined ? '' : (formats[key]?.(value) ?? String(value)));
const moreColumns = { size: 'Size', digest: 'SHA-256', seconds: 'Duration', userAgent: 'User agent' };

function moreTables(data) {
  return Object.entries(tables).flatMap(([member, [heading, columns]]) => {
    const objects = data[member] ?? [];
    if (objects.length === 0) return [];
    const keys = Object.keys({ ...columns, ...moreColumns }).filter((key) =>
      objects.some((one) => key in one),
    );
    const rows = objects.map((one) => {
      const [first, ...others] = keys.map((key) => cellOf(one[key], key));
      return make(
        'tr',
        {},
        make('th', { scope: 'row' }, first),
        others.map((cell) => make('td', {}, cell)),
      );
    });
    const names = keys.map((key) => columns[key] ?? moreColumns[key]);
    return [
      make(
        'section',
        { 'data-key': member },
        make('h2', {}, heading),
        table('table', undefined, names, rows),
      ),
    ];
  });
}

function show(data) {
  const { problems, service, states } = data;
  const { connections, inputs, loaded, loadError, started, transfers, version } = service;
  now = Date.parse(service.now);
  document.title = data.title;
  const chosen = new URLSearchParams(location.search).get('show');
  const tiles = states.map(({ state, name, machines }) => {
    const isChosen = state === chosen;
    const attributes = {
      href: queryWith({ show: isChosen ? '' : state }),
      ...(isChosen && { 'aria-current': 'true' }),
    };
    return make(`li.${state}`, {}, make('a', attributes, make('strong', {}, machines), ` ${name}`));
  });
  const alert = loadError && [
    make('p', {}, `Failed to reload the ${inputs}. The hosts keep the ${inputs} of ${utc(loaded)}.`),
    make('p', {}, message(loadError)),
  ];
  const items = problems.map((one, index) => {
    const names = make('span.muted', {}, `${count(one.machines, 'machine')}: ${one.names}`);
    return make('li', { id: `problem-${index}` }, message(one), names);
  });
  const focused = document.activeElement;
  update(above, [
    ...(alert ? [make('div.alert', { role: 'alert', 'data-key': 'alert' }, alert)] : []),
    facts([
      ['Version', version],
      ['Started', age(started)],
      ['Loaded', age(loaded)],
      ['Connections', connections],
      ['Running transfers', transfers],
    ]),
    make('ul.tiles', {}, tiles),
    ...(items.length > 0 ? [make('h2', {}, 'Problems of several machines'), make('ul', {}, items)] : []),
  ]);
  update(below, [...machineTable(data), ...moreTables(data)]);
  if (focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true }); // its row has moved
}

let timer;
let last = 0;

async function load() {
  clearTimeout(timer);
  const current = ++last;
  const url = `${location.pathname}${queryWith({ page: new URLSearchParams(location.search).get('page') ?? '', format: 'json', order: 'problems' })}`;
  const data = await fetch(url, { signal: AbortSignal.timeout(30_000) })
    .then((answer) => (answer.ok ? answer.json() : undefined))
    .catch(() => undefined);
  if (current !== last) return; // the selection has changed meanwhile
  const text = data === undefined ? 'The service does not answer. This is its last answer.' : '';
  if (connection.textContent !== text) connection.textContent = text;
  if (data !== undefined) show(data);
  else if (!document.title.startsWith('no answer')) document.title = `no answer: ${document.title}`;
  if (live.checked) timer = setTimeout(() => void load(), SECONDS * 1000);
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="?"]');
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  history.pushState(null, '', link.href);
  void load();
});
function filter() {
  history.replaceState(null, '', queryWith({ q: form.elements.q.value }));
  void load();
}
let typing;
form.addEventListener('input', ({ target }) => {
  clearTimeout(typing);
  if (target !== live) typing = setTimeout(filter, 200);
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  filter();
});
live.addEventListener('change', () => void load());
addEventListener('popstate', () => void load());
void load();

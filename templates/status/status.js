// Requests this page again every few seconds and changes what differs: open details, the filter, the focus and the place stay.
const SECONDS = 5;

const connection = document.getElementById('connection');
const form = document.querySelector('form');
const live = form.querySelector('[type=checkbox]');
live.parentElement.hidden = false;
form.querySelector('button').hidden = true; // the list is filtered while the user types

/** Makes the children of an element like those of a new one. Those that stay keep their focus, open details and selected text. */
function update(element, fresh) {
  let place = element.firstChild;
  for (const child of fresh.childNodes) {
    const { nodeName, dataset } = child;
    let same = place;
    while (same !== null && (same.nodeName !== nodeName || same.dataset?.key !== dataset?.key))
      same = same.nextSibling;
    if (same === null) {
      element.insertBefore(document.importNode(child, true), place);
      continue;
    }
    if (same === place) place = place.nextSibling;
    else element.insertBefore(same, place);
    if (same.nodeType === Node.TEXT_NODE) {
      if (same.data !== child.data) same.data = child.data;
      continue;
    }
    for (const name of same.getAttributeNames())
      if (name !== 'open' && !child.hasAttribute(name)) same.removeAttribute(name);
    for (const { name, value } of child.attributes)
      if (same.getAttribute(name) !== value) same.setAttribute(name, value);
    update(same, child);
  }
  while (place !== null) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

function show(fresh) {
  const focused = document.activeElement;
  document.title = fresh.title;
  for (const id of ['above', 'below']) update(document.getElementById(id), fresh.getElementById(id));
  if (focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true }); // its row has moved
}

let timer;
let last = 0;

async function load() {
  clearTimeout(timer);
  const current = ++last;
  const headers = { Accept: 'text/html' };
  const fresh = await fetch(location.pathname + location.search, {
    headers,
    signal: AbortSignal.timeout(30_000),
  })
    .then((answer) => (answer.ok ? answer.text() : ''))
    .then((text) => new DOMParser().parseFromString(text, 'text/html'))
    .catch(() => undefined);
  if (current !== last) return; // the selection has changed meanwhile
  const isAnswer = fresh?.getElementById('below') != null; // a proxy may answer with another page
  const text = isAnswer ? '' : 'The service does not answer. This is its last answer.';
  if (connection.textContent !== text) connection.textContent = text;
  if (isAnswer) show(fresh);
  else if (!document.title.startsWith('no answer')) document.title = `no answer: ${document.title}`;
  plan();
}

function plan() {
  clearTimeout(timer);
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
  const query = new URLSearchParams(location.search);
  query.delete('page');
  query.set('q', form.elements.q.value);
  if (form.elements.q.value === '') query.delete('q');
  history.replaceState(null, '', `?${query}`);
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
plan();

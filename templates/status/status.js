// Loads the page again in place: open details, the filter, the focus and the scroll position stay.
const seconds = Number(document.currentScript.dataset.refresh);
const title = document.title;

/** The machine that an element belongs to; empty outside of the table. */
const machineOf = (element) => element.closest('tr')?.querySelector('th')?.textContent ?? '';

/** The elements that may have the focus or be open, by machine and place in its row. */
function elementsByKey() {
  const counts = new Map();
  const elements = new Map();
  for (const element of document.querySelectorAll('a, input, button, summary, details')) {
    const name = `${machineOf(element)} ${element.tagName}`;
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    elements.set(`${name} ${count}`, element);
  }
  return elements;
}

function show(next) {
  const before = [...elementsByKey()];
  const open = before.filter(([, element]) => element.open === true).map(([key]) => key);
  const [focused] = before.find(([, element]) => element === document.activeElement) ?? [];
  const [x, y] = [scrollX, scrollY];
  const form = document.querySelector('form');
  if (form !== null) next.querySelector('form')?.replaceWith(document.adoptNode(form));
  for (const part of ['header', 'main']) document.querySelector(part).replaceWith(next.querySelector(part));
  document.title = next.title;
  const after = elementsByKey();
  for (const key of open) after.get(key)?.setAttribute('open', '');
  if (focused !== undefined) after.get(focused)?.focus({ preventScroll: true });
  scrollTo(x, y);
}

async function update() {
  try {
    const answer = await fetch(location.href, { headers: { Accept: 'text/html' } });
    if (!answer.ok) throw new Error(answer.statusText);
    show(new DOMParser().parseFromString(await answer.text(), 'text/html'));
  } catch {
    document.title = `no answer: ${title}`;
  }
  setTimeout(() => void update(), seconds * 1000);
}

if (seconds > 0) setTimeout(() => void update(), seconds * 1000);

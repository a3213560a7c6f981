/** What the status page has above its machines: a failed reload, the service, the states and problems of several machines. */

import { formatCount } from '../../formats/messageText.ts';
import type { StatusDocument } from './document.ts';
import { formatTime } from './figures.ts';
import { html, type Html } from './html.ts';
import { age, factList, messageText } from './pieces.ts';
import { formatStatusQuery, type StatusQuery } from './select.ts';

export function overview({ problems, service, states }: StatusDocument, query: StatusQuery): Html {
  const { connections, inputs, loaded, loadError, now, started, transfers, version } = service;
  const alert = html`<div class="alert" role="alert" data-key="alert">
    <p>Failed to reload the ${inputs}. The hosts keep the ${inputs} of ${loaded && formatTime(loaded)}.</p>
    <p>${loadError && messageText(loadError)}</p>
  </div>`;
  const facts = factList([
    ['Version', version],
    ['Started', age(started, now)],
    ['Loaded', loaded && age(loaded, now)],
    ['Connections', connections],
    ['Running transfers', transfers],
    ['As of', formatTime(now)],
  ]);
  const tiles = states.map(({ machines, name, state }) => {
    const isChosen = state === query.state;
    const link = formatStatusQuery({ ...query, state: isChosen ? undefined : state, page: 1 });
    const current = isChosen && html` aria-current="true"`;
    return html`<li class="${state}">
      <a href="${link}" ${current}><strong>${machines}</strong> ${name}</a>
    </li>`;
  });
  const items = problems.map((problem, index) => {
    const names = `${formatCount(problem.machines, 'machine')}: ${problem.names}`;
    return html`<li id="problem-${index}">${messageText(problem)} <span class="muted">${names}</span></li>`;
  });
  const shared = html`<h2>Problems of several machines</h2>
    <ul>
      ${items}
    </ul>`;
  return html`${loadError && alert} ${facts}
    <ul class="tiles">
      ${tiles}
    </ul>
    ${items.length > 0 && shared}`;
}

// Shows each event of the stream as a row, the newest first.
const rows = document.querySelector('#events');
const template = document.querySelector('#event');
const connection = document.querySelector('#connection');
const maxRows = 100;

const source = new EventSource(rows.dataset.source);
source.addEventListener('open', () => (connection.textContent = 'Waiting for events.'));
source.addEventListener('error', () => {
  // Browsers connect again by themselves, unless the response was no stream of events: the session has ended.
  if (source.readyState === EventSource.CLOSED) connection.textContent = 'You are signed out. Load the page again.';
});
source.addEventListener('message', ({ data }) => {
  const event = JSON.parse(data);
  const row = template.content.cloneNode(true);
  for (const element of row.querySelectorAll('[data-member]')) element.textContent = event[element.dataset.member];
  if (event.href) row.querySelector('a').href = event.href;
  rows.prepend(row);
  while (rows.children.length > maxRows) rows.lastElementChild.remove();
});

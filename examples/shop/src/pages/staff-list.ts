import type { Account } from '../accounts/accounts.ts';
import type { CustomerSummary } from '../holdfast/credentials-api.ts';
import { HoldfastRefused } from '../holdfast/trouble.ts';
import { html, type Html } from '../web/html.ts';
import { redirect, sessionOf, show, type Answer, type Visit } from '../web/visit.ts';
import { addressOf, apiQuery, linksOf, viewOf, type View } from './paging.ts';
import { when } from './sign-up.ts';
import { inWords } from './trouble.ts';

export const warning = html`<p class="notice plain"><strong>A real shop guards this page.</strong> Here anybody on this machine may be staff, so that you can try it out.</p>`;

/** The customers of this app, as Holdfast lists them, each with what the shop knows. */
export async function staff(visit: Visit): Promise<Answer> {
  const { shop, query } = visit;
  const { issuer, path } = shop.settings;
  const view = viewOf(query);
  const list = `${path}/staff`;
  try {
    const { items, nextPageToken } = await shop.credentials.list(apiQuery(view));
    const { newest, older } = linksOf(list, view, nextPageToken);
    const known = (subject: string) => shop.accounts.find(issuer, subject);
    return show({
      title: 'Customers',
      wide: true,
      body: html`<h1>Customers</h1>
${warning}
${filters(list, view)}
${items.length === 0 ? html`<p class="empty">Nobody here${view.claimed || view.page ? ' with this filter' : ' yet; sign up as the first'}.</p>` : table(items, known, list)}
<p class="pages">${newest && html`<a class="button quiet small" href="${newest}">Newest</a>`} ${older && html`<a class="button quiet small" rel="next" href="${older}">Older</a>`}</p>
${joinedPart(
  view,
  shop.accounts.all().filter(({ joined }) => joined),
  list,
)}`,
    });
  } catch (error) {
    // Such as after the shop's client was made anew: the first page is always there.
    if (!(error instanceof HoldfastRefused) || error.code !== 'invalid_page_token') throw error;
    sessionOf(visit).notice = inWords(error);
    return redirect(visit, '/staff');
  }
}

function filters(list: string, view: View): Html {
  const choices: [string, View][] = [
    ['All', {}],
    ['With a passkey', { claimed: 'true' }],
    ['Waiting', { claimed: 'false' }],
  ];
  return html`<nav class="filters" aria-label="Filter">${choices.map(([name, choice]) => html`<a href="${addressOf(list, choice)}"${choice.claimed === view.claimed && html` aria-current="page"`}>${name}</a> `)}</nav>`;
}

function table(items: CustomerSummary[], known: (subject: string) => Account | undefined, list: string): Html {
  return html`<table><thead><tr><th scope="col">Customer</th><th scope="col">E-mail</th><th scope="col">Passkey</th><th scope="col">First offer</th></tr></thead>
<tbody>${items.map((item) => {
    const account = known(item.subject);
    return html`<tr><th scope="row"><a href="${list}/${item.subject}">${account?.name ?? 'No account in this shop'}</a></th><td>${account?.email ?? '–'}</td><td>${stateOf(item)}</td><td>${when(item.createdAt)}</td></tr>`;
  })}</tbody></table>`;
}

/** Holdfast lists to an app the customers that the app made offers to. These came with a passkey that they had. */
function joinedPart(view: View, accounts: Account[], list: string): Html | undefined {
  if (accounts.length === 0 || view.page || view.claimed) return undefined;
  return html`<h2>Came with a passkey from elsewhere</h2>
<ul>${accounts.map(({ subject, name, email }) => html`<li><a href="${list}/${subject}">${name}</a>, ${email}</li>`)}</ul>`;
}

/** One word for a list; the numbers are on the customer's own page. */
export function stateOf({ live, claimed, openOffers }: CustomerSummary): Html {
  if (live > 0)
    return openOffers > 0
      ? html`<span class="badge good">Works</span> <span class="badge">New link sent</span>`
      : html`<span class="badge good">Works</span>`;
  if (openOffers > 0) return html`<span class="badge">Waiting</span>`;
  return html`<span class="badge bad">${claimed ? 'Not valid' : 'Link gone'}</span>`;
}

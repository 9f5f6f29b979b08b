import type { FastifyPluginAsync } from 'fastify';
import type { CustomerSummary } from '../holdfast/credentials-api.ts';
import { HoldfastApiError } from '../holdfast/errors.ts';
import { noticeOf } from '../server/error-pages.ts';
import { redirectTo, renderPage } from '../server/page.ts';
import type { Shop } from '../shop.ts';
import { addressOf, apiQuery, linksOf, listViewOf, type ListView } from './paging.ts';
import type { Badge } from './staff-credential.ts';

/** The customers of this app, from Holdfast's list, each with the account that the shop has for them. */
export const staffListRoutes: FastifyPluginAsync = async (app) => {
  const { shop } = app;
  const path = `${app.area.path}/customers`;

  app.get<{ Querystring: Record<string, string | undefined> }>('/', async (request, reply) => {
    const view = listViewOf(request.query);
    try {
      const { items, nextPageToken } = await shop.credentials.list(apiQuery(view));
      return renderPage(reply, 'staff-list', {
        title: 'Customers',
        isWide: true,
        path,
        filters: filters(path, view),
        customers: items.map((item) => customerRow(shop, item)),
        isFiltered: view.claimed !== undefined || view.page !== undefined,
        links: linksOf(path, view, nextPageToken),
        // Holdfast lists the customers to whom this app made an offer. These customers had a passkey from another app.
        joined: view.page || view.claimed ? [] : shop.accounts.all().filter(({ joined }) => joined),
      });
    } catch (error) {
      // The page token is invalid, for example after the shop's client was replaced. The first page always exists.
      if (!(error instanceof HoldfastApiError) || error.code !== 'invalid_page_token') throw error;
      request.session.notice = noticeOf(error);
      return redirectTo(reply, '/customers');
    }
  });
};

function filters(path: string, { claimed }: ListView): { name: string; address: string; isCurrent: boolean }[] {
  const choices: [string, ListView][] = [
    ['All', {}],
    ['With a passkey', { claimed: 'true' }],
    ['Waiting', { claimed: 'false' }],
  ];
  return choices.map(([name, choice]) => ({
    name,
    address: addressOf(path, choice),
    isCurrent: choice.claimed === claimed,
  }));
}

function customerRow({ accounts, settings }: Shop, customer: CustomerSummary) {
  const { subject, createdAt } = customer;
  return { subject, createdAt, account: accounts.find(settings.issuer, subject), badges: customerBadges(customer) };
}

/** Short labels for the list; the customer's own page has the details. */
function customerBadges({ live, claimed, openOffers }: CustomerSummary): Badge[] {
  const newLink: Badge[] = openOffers > 0 ? [{ kind: '', text: 'New link sent' }] : [];
  if (live > 0) return [{ kind: 'good', text: 'Works' }, ...newLink];
  if (openOffers > 0) return [{ kind: '', text: 'Waiting' }];
  return [{ kind: 'bad', text: claimed ? 'Not valid' : 'No valid link' }];
}

import type { FastifyPluginAsync } from 'fastify';
import { redirectTo, renderPage, signedInAccount } from '../server/page.ts';
import { claimRows } from './claims.ts';

/** The account of the customer who is signed in. A customer without one may open one. */
export const accountRoutes: FastifyPluginAsync = async (app) => {
  app.get('/account', async (request, reply) => {
    const { customer } = request.session;
    if (!customer) return redirectTo(reply, '/sign-in');
    const account = signedInAccount(request);
    if (!account) return renderPage(reply, 'no-account', { title: 'No account here yet' });
    // A customer who can sign in has used the claim link.
    if (account.offer && !account.offer.isReplacement) await app.shop.accounts.setOffer(account, undefined);
    return renderPage(reply, 'account', { title: 'My account', account, claims: claimRows(customer) });
  });
};

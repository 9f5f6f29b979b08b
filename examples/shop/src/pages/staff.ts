import type { FastifyPluginAsync } from 'fastify';
import { redirectTo, renderPage } from '../server/page.ts';
import { claimRows } from './claims.ts';
import { staffActionRoutes } from './staff-actions.ts';
import { staffCustomerRoutes } from './staff-customer.ts';
import { staffEventRoutes } from './staff-events.ts';
import { staffListRoutes } from './staff-list.ts';

/** The staff area: its start page, and the customers for those who are signed in. */
export const staffRoutes: FastifyPluginAsync = async (app) => {
  app.get<{ Querystring: { state?: string } }>('/', (request, reply) => {
    const { staff } = request.session;
    return staff
      ? renderPage(reply, 'staff', { title: 'Staff area', claims: claimRows(staff) })
      : renderPage(reply, 'staff-sign-in', {
          title: 'Staff area',
          isSignedOut: request.query.state === 'signed-out',
        });
  });

  await app.register(async (guarded) => {
    // One hook guards all of these pages and forms, so that no new one can be left out.
    guarded.addHook('onRequest', async (request, reply) => {
      if (!request.session.staff) return redirectTo(reply, '');
    });
    for (const routes of [staffListRoutes, staffCustomerRoutes, staffActionRoutes])
      await guarded.register(routes, { prefix: '/customers' });
    if (app.shop.securityEvents)
      await guarded.register(staffEventRoutes, { prefix: '/events', securityEvents: app.shop.securityEvents });
  });
};

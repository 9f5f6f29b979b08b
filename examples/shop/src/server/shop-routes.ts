import fastifyCsrfProtection from '@fastify/csrf-protection';
import fastifySession from '@fastify/session';
import type { FastifyPluginAsync } from 'fastify';
import { accountRoutes } from '../pages/account.ts';
import { backChannelLogoutRoute } from '../pages/back-channel-logout.ts';
import { signInRoutes } from '../pages/sign-in.ts';
import { signUpRoutes } from '../pages/sign-up.ts';
import { staffActionRoutes } from '../pages/staff-actions.ts';
import { staffCustomerRoutes } from '../pages/staff-customer.ts';
import { staffListRoutes } from '../pages/staff-list.ts';
import { startRoutes } from '../pages/start.ts';
import type { Shop } from '../shop.ts';
import { errorPage, notFoundPage } from './error-pages.ts';

interface ShopRouteOptions {
  shop: Shop;
  sessionSecret: string;
  secureCookie: boolean;
}

/**
 * All routes of one shop, below its path. Each shop has its own session cookie, so browsers can use several at once.
 */
export const shopRoutes: FastifyPluginAsync<ShopRouteOptions> = async (app, { shop, sessionSecret, secureCookie }) => {
  app.decorate('shop', shop);
  // Holdfast calls this route, so it has no session and no CSRF token.
  await app.register(backChannelLogoutRoute);

  await app.register(async (pages) => {
    await pages.register(fastifySession, {
      secret: sessionSecret,
      store: shop.sessions,
      // Browsers share cookies between ports, so the app's name is part of the cookie's. On https, prefix it with
      // "__Secure-", or with "__Host-" when the path is "/".
      cookieName: `${shop.settings.app}-session`,
      cookie: {
        path: shop.settings.path,
        httpOnly: true,
        // Sent when the issuer redirects back to the shop, not with a POST from another site.
        sameSite: 'lax',
        secure: secureCookie,
      },
      // The cookie is set when there is something to store, and not renewed with every page.
      saveUninitialized: false,
      rolling: false,
    });
    await pages.register(fastifyCsrfProtection, { sessionPlugin: '@fastify/session' });

    // One hook checks all forms, so that no new one can be left out.
    pages.addHook('preValidation', (request, reply, done) => {
      if (request.method === 'POST' && !request.is404) pages.csrfProtection(request, reply, done);
      else done();
    });
    pages.addHook('onRequest', async (_, reply) => void reply.header('cache-control', 'no-store'));
    pages.setErrorHandler(errorPage);
    pages.setNotFoundHandler(notFoundPage);

    for (const routes of [startRoutes, signUpRoutes, signInRoutes, accountRoutes]) await pages.register(routes);
    for (const routes of [staffListRoutes, staffCustomerRoutes, staffActionRoutes])
      await pages.register(routes, { prefix: '/staff' });
  });
};

declare module 'fastify' {
  interface FastifyInstance {
    /** The shop that a route belongs to. */
    shop: Shop;
  }
}

import fastifyCsrfProtection from '@fastify/csrf-protection';
import fastifySession from '@fastify/session';
import type { FastifyPluginAsync } from 'fastify';
import { backChannelLogoutRoute } from '../pages/back-channel-logout.ts';
import { signInRoutes } from '../pages/sign-in.ts';
import type { Area } from '../shop.ts';
import { errorPage, notFoundPage } from './error-pages.ts';

interface AreaRouteOptions {
  area: Area;
  /** The pages beside sign-in and sign-out. */
  pages: FastifyPluginAsync[];
  sessionSecret: string;
  secureCookie: boolean;
}

/** Sign-in, sign-out and the pages of customers or of staff, with sessions of their own. */
export const areaRoutes: FastifyPluginAsync<AreaRouteOptions> = async (app, options) => {
  const { area, pages, sessionSecret, secureCookie } = options;
  app.decorate('area', area);
  // Holdfast calls this route, so it has no session and no CSRF token.
  await app.register(backChannelLogoutRoute);

  await app.register(async (withSession) => {
    await withSession.register(fastifySession, {
      secret: sessionSecret,
      store: area.sessions,
      cookieName: area.cookieName,
      cookie: {
        path: area.path,
        httpOnly: true,
        // Sent when the issuer redirects back to the shop, not with a POST from another site.
        sameSite: 'lax',
        secure: secureCookie,
      },
      // The cookie is set when there is something to store, and not renewed with every page.
      saveUninitialized: false,
      rolling: false,
    });
    await withSession.register(fastifyCsrfProtection, { sessionPlugin: '@fastify/session' });

    // One hook checks all forms, so that no new one can be left out.
    withSession.addHook('preValidation', (request, reply, done) => {
      if (request.method === 'POST' && !request.is404) withSession.csrfProtection(request, reply, done);
      else done();
    });
    withSession.addHook('onRequest', async (_, reply) => void reply.header('cache-control', 'no-store'));
    withSession.setErrorHandler(errorPage);
    withSession.setNotFoundHandler(notFoundPage);
    for (const routes of [signInRoutes, ...pages]) await withSession.register(routes);
  });
};

declare module 'fastify' {
  interface FastifyInstance {
    /** The area that a route belongs to. */
    area: Area;
  }
}

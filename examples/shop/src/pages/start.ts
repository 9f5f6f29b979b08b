import type { FastifyPluginAsync } from 'fastify';
import { renderPage, signedInAccount } from '../server/page.ts';

export const startRoutes: FastifyPluginAsync = async (app) => {
  app.get<{ Querystring: { state?: string } }>('/', (request, reply) =>
    renderPage(reply, 'start', {
      title: app.shop.name,
      isWide: true,
      isSignedOut: request.query.state === 'signed-out',
      account: signedInAccount(request),
    }),
  );
};

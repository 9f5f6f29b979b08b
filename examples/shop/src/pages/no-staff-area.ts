import type { FastifyPluginAsync } from 'fastify';
import { renderMessage } from '../server/page.ts';

/** In place of the staff area of a shop without an app that signs in people. */
export const noStaffAreaRoutes: FastifyPluginAsync = async (app) => {
  app.get('/staff', (_, reply) =>
    renderMessage(reply, 404, {
      title: 'No staff area',
      text:
        `${app.shop.name} has no app that signs in its people, and nobody else may see its customers. ` +
        'The staff area opens when the operator has registered one with the audience “people”.',
    }),
  );
};

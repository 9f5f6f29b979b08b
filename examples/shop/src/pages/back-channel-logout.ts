import type { FastifyPluginAsync } from 'fastify';

/**
 * Holdfast sends a logout token here when it revokes a session. Back-Channel Logout §2.8: 200 when the sessions are
 * ended, 400 when the token is not valid. Holdfast tries again after every other response.
 */
export const backChannelLogoutRoute: FastifyPluginAsync = async (app) => {
  app.post<{ Body?: { logout_token?: unknown } }>('/backchannel-logout', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const token = request.body?.logout_token;
    try {
      const revoked = typeof token === 'string' ? await app.area.backChannelLogout.verify(token) : undefined;
      if (!revoked)
        return reply
          .code(400)
          .send({ error: 'invalid_request', error_description: 'the logout token is not valid here' });
      app.area.sessions.revoke(revoked);
      return reply.code(200).send();
    } catch (error) {
      request.log.warn(`A logout token could not be verified: ${String(error)}`);
      return reply.code(503).send();
    }
  });
};

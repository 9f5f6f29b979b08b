import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { HoldfastApiError } from '../holdfast/errors.ts';
import { noticeOf } from '../server/error-pages.ts';
import { redirectTo } from '../server/page.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { presenceProofFor } from './presence.ts';

interface SubjectParams {
  subject: string;
}

const string = { type: 'string' };
const offerForm = { type: 'object', required: ['formId'], properties: { formId: string, altcha: string } };
const reasonForm = { type: 'object', properties: { reason: string } };

const noticeByAction = {
  suspend: 'The credential is suspended: nobody can sign in with it until it is resumed.',
  resume: 'The credential works again.',
  revoke: 'The credential is revoked, for ever.',
};

/** The actions of staff on a customer. Each redirects to the customer's page, which shows the result. */
export const staffActionRoutes: FastifyPluginAsync = async (app) => {
  const { shop } = app;
  const { issuer, welcomeUri } = shop.settings;

  /** Makes a new link for an existing customer, after a lost phone or mail. Subject and account stay the same. */
  app.post<{ Params: SubjectParams; Body: { formId: string; altcha?: string } }>(
    '/:subject/offer',
    { schema: { body: offerForm } },
    (request, reply) =>
      runAction(request, reply, async () => {
        const { subject } = request.params;
        const { session } = request;
        const account = shop.accounts.find(issuer, subject);
        if (!account) return 'This shop has no account to send a link to.';
        const key = idempotencyKey(session, request.body.formId, subject);
        const proof = presenceProofFor(session, key, request.body.altcha);
        const offer = await shop.credentials.offerAgain(subject, key, welcomeUri, proof);
        const { claimUrl, offerId, credentialId, expiresAt } = offer;
        const isReplacement = (await shop.credentials.customer(subject)).claimed;
        await shop.accounts.setOffer(account, { offerId, credentialId, expiresAt, isReplacement });
        session.claimEmail = { to: account.email, name: account.name, claimUrl, expiresAt, subject };
        return 'A new link was made. A real shop would send it; here it is.';
      }),
  );

  app.post<{ Params: SubjectParams }>('/:subject/withdraw', (request, reply) =>
    runAction(request, reply, async () => {
      const { subject } = request.params;
      const { session } = request;
      const account = shop.accounts.find(issuer, subject);
      if (!account?.offer) return 'There is no offer to withdraw.';
      try {
        await shop.credentials.withdraw(account.offer.offerId);
      } catch (error) {
        // The offer was used, replaced or has expired, so withdrawing it will never succeed. Other errors may be
        // transient.
        if (error instanceof HoldfastApiError && ['invalid_state', 'unknown_offer'].includes(error.code))
          await shop.accounts.setOffer(account, undefined);
        throw error;
      }
      await shop.accounts.setOffer(account, undefined);
      if (session.claimEmail?.subject === subject) delete session.claimEmail;
      return 'The offer is withdrawn. Its link does not work any more.';
    }),
  );

  for (const action of ['suspend', 'resume', 'revoke'] as const)
    app.post<{ Params: SubjectParams & { credential: string }; Body: { reason?: string } }>(
      `/:subject/credentials/:credential/${action}`,
      { schema: { body: reasonForm } },
      (request, reply) =>
        runAction(request, reply, async () => {
          await shop.credentials.change(request.params.credential, action, request.body.reason || undefined);
          return noticeByAction[action];
        }),
    );

  /** Erases at Holdfast first. If the second step fails, the account still exists and staff can try again. */
  app.post<{ Params: SubjectParams }>('/:subject/erase', async (request, reply) => {
    const { subject } = request.params;
    try {
      await shop.credentials.erase(subject);
    } catch (error) {
      if (!(error instanceof HoldfastApiError)) throw error;
      if (error.code !== 'unknown_subject') return showError(request, reply, error);
    }
    await shop.accounts.remove(issuer, subject);
    shop.customers.sessions.revoke({ issuer, subject });
    request.session.notice = { kind: 'good', text: 'The customer is erased, here and at Holdfast.' };
    return redirectTo(reply, '/customers');
  });
};

type StaffRequest = FastifyRequest<{ Params: SubjectParams }>;

async function runAction(
  request: StaffRequest,
  reply: FastifyReply,
  action: () => Promise<string>,
): Promise<FastifyReply> {
  try {
    request.session.notice = { kind: 'good', text: await action() };
  } catch (error) {
    if (!(error instanceof HoldfastApiError)) throw error;
    return showError(request, reply, error);
  }
  return redirectTo(reply, `/customers/${encodeURIComponent(request.params.subject)}`);
}

function showError(request: StaffRequest, reply: FastifyReply, error: HoldfastApiError): FastifyReply {
  request.session.notice = noticeOf(error);
  return redirectTo(reply, `/customers/${encodeURIComponent(request.params.subject)}`);
}

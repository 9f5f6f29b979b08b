import { randomUUID } from 'node:crypto';
import type { FastifyPluginAsync } from 'fastify';
import type { Account } from '../accounts/accounts.ts';
import type { Credential } from '../holdfast/credentials-api.ts';
import { HoldfastApiError } from '../holdfast/errors.ts';
import { widgetSecurityPolicy } from '../server/content-security-policy.ts';
import { noticeOf } from '../server/error-pages.ts';
import { renderPage } from '../server/page.ts';
import type { Notice } from '../server/session.ts';
import type { Shop } from '../shop.ts';
import { credentialView } from './staff-credential.ts';

/** One customer: the shop's account, the credentials at Holdfast, and the actions of staff. */
export const staffCustomerRoutes: FastifyPluginAsync = async (app) => {
  const { shop } = app;
  const helmet = { contentSecurityPolicy: widgetSecurityPolicy(shop.settings) };

  app.get<{ Params: { subject: string } }>('/:subject', { helmet }, async (request, reply) => {
    const { subject } = request.params;
    const { claimEmail } = request.session;
    const now = Date.now();
    const account = shop.accounts.find(shop.settings.issuer, subject);
    const { credentials, problem } = await readCredentials(shop, subject);
    const canOffer = account !== undefined && credentials !== undefined;
    return renderPage(reply.code(credentials || account ? 200 : 404), 'staff-customer', {
      title: account?.name ?? 'No account in this shop',
      hasForm: true,
      hasWidget: canOffer,
      subject,
      // The target of this page's forms.
      action: `${app.area.path}/customers/${encodeURIComponent(subject)}`,
      formId: randomUUID(),
      account,
      claimEmail: claimEmail?.subject === subject ? claimEmail : undefined,
      credentials: credentials?.map((credential) => credentialView(credential, now)),
      problem,
      canOffer,
      // Holdfast makes no offer of a suspended credential, which would circumvent the suspension.
      isSuspended: credentials?.some(({ status }) => status === 'suspended'),
      canWithdraw: canOffer && mayBeOpen(account, credentials, now),
      canErase: account !== undefined || credentials !== undefined,
    });
  });
};

/** A customer who is unknown to Holdfast, or erased, can still have an account, which staff must be able to close. */
async function readCredentials(shop: Shop, subject: string): Promise<{ credentials?: Credential[]; problem?: Notice }> {
  try {
    return { credentials: (await shop.credentials.customer(subject)).credentials };
  } catch (error) {
    if (!(error instanceof HoldfastApiError)) throw error;
    return { problem: noticeOf(error) };
  }
}

/** The offer has not expired, and the status of its credential does not show that the link was used. */
export function mayBeOpen({ offer }: Account, credentials: Credential[], now: number): boolean {
  if (!offer || Date.parse(offer.expiresAt) <= now) return false;
  const status = credentials.find(({ id }) => id === offer.credentialId)?.status;
  return status === 'offered' || (offer.isReplacement && status === 'issued');
}

import type { FastifyPluginAsync } from 'fastify';
import type { SignedInCustomer } from '../holdfast/sign-in.ts';
import { redirectTo, renderPage, signedInAccount } from '../server/page.ts';
import { formatTime } from '../server/views.ts';

/** The account of the customer who is signed in. A customer without one may open one. */
export const accountRoutes: FastifyPluginAsync = async (app) => {
  app.get('/account', (request, reply) => {
    const { customer } = request.session;
    if (!customer) return redirectTo(reply, '/sign-in');
    const account = signedInAccount(request);
    if (!account) return renderPage(reply, 'no-account', { title: 'No account here yet' });
    return renderPage(reply, 'account', {
      title: 'My account',
      account,
      subject: customer.subject,
      claims: claimsOf(customer),
    });
  });
};

const meanings: Record<string, string> = {
  iss: 'The issuer: your organization at Holdfast.',
  sub: 'You: a random identifier that never changes. This account is stored under iss and sub.',
  'credential.id': 'Your credential. It stays the same when it is renewed.',
  'credential.type': 'The credential type. This shop signs in customers with a credential of this type.',
  'credential.document_number': 'Changes on every renewal, so nothing may be stored under it.',
  'credential.issued_at': 'When it was first issued to you.',
  'credential.expires_at': 'When it expires, unless it is renewed.',
  acr: 'How strong the sign-in was: with a passkey.',
  amr: 'How you proved that it was you.',
  auth_time: 'When you signed in.',
};

function claimsOf({ issuer, subject, credential, acr, amr, authTime }: SignedInCustomer) {
  const claims: Record<string, string | undefined> = {
    iss: issuer,
    sub: subject,
    ...Object.fromEntries(Object.entries(credential).map(([name, value]) => [`credential.${name}`, String(value)])),
    acr,
    amr: amr?.join(' '),
    auth_time: authTime ? formatTime(new Date(authTime * 1000).toISOString()) : undefined,
  };
  return Object.entries(claims).flatMap(([name, value]) => (value ? { name, value, meaning: meanings[name] } : []));
}

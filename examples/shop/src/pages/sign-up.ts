import { randomUUID } from 'node:crypto';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import type { Offer } from '../holdfast/credentials-api.ts';
import { widgetSecurityPolicy } from '../server/content-security-policy.ts';
import { redirectTo, renderPage, signedInAccount } from '../server/page.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { presenceErrorText, presenceProofFor } from './presence.ts';

interface Fields {
  name: string;
  email: string;
}

interface SignUpForm extends Fields {
  formId: string;
  altcha?: string;
}

const text = { type: 'string', default: '' };
const signUpForm = {
  type: 'object',
  properties: { name: text, email: text, formId: text, altcha: { type: 'string' } },
};

export const signUpRoutes: FastifyPluginAsync = async (app) => {
  const { shop } = app;
  const helmet = { contentSecurityPolicy: widgetSecurityPolicy(shop.settings) };

  app.get('/sign-up', { helmet }, (request, reply) => {
    if (signedInAccount(request)) return redirectTo(reply, '/account');
    return showForm(reply, { name: '', email: '', formId: randomUUID() });
  });

  /** The shop stores name and e-mail. Its request for an offer contains neither. */
  app.post<{ Body: SignUpForm }>('/sign-up', { helmet, schema: { body: signUpForm } }, async (request, reply) => {
    const { session } = request;
    const { formId, altcha } = request.body;
    const fields = { name: request.body.name.trim(), email: request.body.email.trim() };
    const issue = validationIssue(fields);
    if (issue) return showForm(reply, { ...fields, formId, issue });
    const createdAt = new Date().toISOString();

    // A customer who is signed in has a passkey of this organization, and lacks only the account.
    if (session.customer) {
      const { issuer, subject } = session.customer;
      await shop.accounts.put({ ...fields, issuer, subject, createdAt, joined: true });
      session.notice = { kind: 'good', text: `Welcome, ${fields.name}! Your account is open.` };
      return redirectTo(reply, '/account');
    }

    const { issuer, welcomeUri } = shop.settings;
    const key = idempotencyKey(session, formId, fields.name, fields.email);
    let offer: Offer;
    try {
      offer = await shop.credentials.offer(key, welcomeUri, presenceProofFor(session, key, altcha));
    } catch (error) {
      const presenceIssue = presenceErrorText(error);
      if (presenceIssue === undefined) throw error;
      // A new form id yields a new key, since the proof of this key was rejected.
      return showForm(reply, { ...fields, formId: randomUUID(), issue: presenceIssue });
    }
    const { subject, claimUrl, offerId, credentialId, expiresAt } = offer;
    const pendingOffer = { offerId, credentialId, expiresAt, isReplacement: false };
    await shop.accounts.put({ ...fields, issuer, subject, createdAt, offer: pendingOffer });
    session.claimEmail = { to: fields.email, name: fields.name, claimUrl, expiresAt };
    return redirectTo(reply, '/sign-up/sent');
  });

  /** Shows the e-mail that a real shop would send. */
  app.get('/sign-up/sent', (request, reply) => {
    const { claimEmail } = request.session;
    if (!claimEmail || claimEmail.subject) return redirectTo(reply, '/sign-up');
    return renderPage(reply, 'sign-up-sent', { title: 'One more step', claimEmail });
  });

  /** The `returnUrl` of the offer: Holdfast links here after the claim. A claim does not sign the customer in. */
  app.get('/welcome', (request, reply) => {
    if (request.session.claimEmail) delete request.session.claimEmail;
    return renderPage(reply, 'welcome', { title: 'Your passkey is ready' });
  });
};

function showForm(reply: FastifyReply, form: Fields & { formId: string; issue?: string }): FastifyReply {
  const hasPasskey = reply.request.session.customer !== undefined;
  return renderPage(reply.code(form.issue ? 422 : 200), 'sign-up', {
    title: hasPasskey ? 'Open an account' : 'Sign up',
    hasForm: true,
    hasWidget: !hasPasskey,
    hasPasskey,
    ...form,
  });
}

export function validationIssue({ name, email }: Fields): string | undefined {
  if (name === '' || name.length > 100) return 'Please tell us your name, in a hundred letters at most.';
  if (email.length > 200 || !/^[^\s@]+@[^\s@]+$/.test(email))
    return 'Please tell us an e-mail address, such as ada@example.com.';
  return undefined;
}

// Offers a credential, signs customers in with OpenID Connect, and ends their sessions: npm start.
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import express from 'express';
import session, { MemoryStore } from 'express-session';
import { holdfastClient, TokenVerifier, UnavailableError, VerificationError } from '@holdfast/sdk';
import { SignIn, SignInError } from '@holdfast/sdk/sign-in';
import { config } from './config.js';

/**
 * @typedef {import('@holdfast/sdk/sign-in').PendingSignIn} PendingSignIn
 * @typedef {import('@holdfast/sdk/sign-in').SignedIn} SignedIn
 * @typedef {import('express-session').Session & { pending?: PendingSignIn, customer?: SignedIn }} Session
 */

const { issuer, clientId, clientSecret, origin, port } = config;
const holdfast = holdfastClient(config);
const signIn = new SignIn({ issuer, clientId, clientSecret, redirectUri: `${origin}/callback` });
const tokens = new TokenVerifier({ issuer, clientId });
const isHttps = origin.startsWith('https:');

/** The accounts by `iss` and `sub`: a table of your database. */
const accounts = new Map();
/** With several servers these two are tables, or Redis. */
const sessions = new MemoryStore();
const seenLogoutTokens = new Map();

/** A sign-out redirects to the issuer, and browsers apply form-action to the redirect as well. */
const policy = [
  `default-src 'none'; form-action 'self' ${new URL(issuer).origin}`,
  "base-uri 'none'; frame-ancestors 'none'",
].join('; ');

const app = express().disable('x-powered-by');
app.use((_request, response, next) => {
  response.set({
    'cache-control': 'no-store',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  next();
});

/** Holdfast reports ended sessions here: 200 when they have ended, 400 for a wrong token. After others it repeats. */
app.post('/backchannel-logout', express.urlencoded({ extended: false }), async (request, response) => {
  const { jti, sid, subject, expiresAt } = await tokens.logoutToken(String(request.body?.logout_token));
  for (const [seen, until] of seenLogoutTokens) if (until < new Date()) seenLogoutTokens.delete(seen);
  if (!seenLogoutTokens.has(jti)) await endSessions(sid, subject);
  seenLogoutTokens.set(jti, expiresAt);
  response.sendStatus(200);
});

app.use(
  session({
    store: sessions,
    // Browsers send cookies of one port of localhost to the others, so the name is this app's.
    name: isHttps ? '__Host-express-example' : 'express-example',
    secret: randomBytes(32).toString('base64url'),
    resave: false,
    saveUninitialized: false,
    proxy: isHttps,
    cookie: { httpOnly: true, sameSite: 'lax', secure: isHttps, maxAge: 8 * 60 * 60 * 1000 },
  }),
);
/** @type {(request: express.Request) => Session} */
const sessionOf = (request) => request.session;

/** Forms of other sites change nothing here. @type {express.RequestHandler} */
const ofThisSite = (request, response, next) =>
  request.get('sec-fetch-site') === 'same-origin'
    ? next()
    : show(response, 403, 'Not from this site', '<p>Open this app, and press the button there.</p>');

app.get('/', (request, response) => {
  const { customer } = sessionOf(request);
  if (!customer) return show(response, 200, 'Welcome', button('/sign-up', 'Sign up') + link('/sign-in', 'Sign in'));
  const account = accounts.get(keyOf(customer));
  const text = `<p>You are <code id="subject">${customer.subject}</code>, here since ${account.since}.</p>`;
  return show(response, 200, 'Hello', text + button('/sign-out', 'Sign out'));
});

/** A real form asks for an e-mail address, and sends the link there: who has it can claim the credential. */
app.post('/sign-up', ofThisSite, async (_request, response) => {
  const { subject, claimUrl } = await holdfast.createOffer({ body: { returnUrl: `${origin}/` } });
  accounts.set(keyOf({ issuer, subject }), { since: today() });
  show(response, 200, 'Almost done', link(new URL(claimUrl).href, 'Create my passkey'));
});

app.get('/sign-in', async (request, response) => {
  // A session that is signed in is never stored again, so that one that was ended stays so.
  if (sessionOf(request).customer) return response.redirect('/');
  const { url, pending } = await signIn.begin();
  sessionOf(request).pending = pending;
  return response.redirect(url.href);
});

app.get('/callback', async (request, response) => {
  const { pending, customer } = sessionOf(request);
  if (customer) return response.redirect('/');
  if (!pending) return again(response, 400, 'This sign-in was finished already, or began in another browser.');
  // For one attempt, whatever comes of it.
  delete sessionOf(request).pending;
  const signedIn = await signIn.finish(new URL(request.originalUrl, origin).search, pending);
  // A new id: one that somebody else knows or has set must not become that of a customer.
  await promisify(request.session.regenerate.bind(request.session))();
  sessionOf(request).customer = signedIn;
  // Another app of the organization may have given them the passkey.
  if (!accounts.has(keyOf(signedIn))) accounts.set(keyOf(signedIn), { since: today() });
  return response.redirect('/');
});

app.post('/sign-out', ofThisSite, async (request, response) => {
  const { customer } = sessionOf(request);
  await promisify(request.session.destroy.bind(request.session))();
  if (!customer) return response.redirect(303, '/');
  return response.redirect(303, (await signIn.signOutUrl(customer.idToken, `${origin}/`)).href);
});

/** Express knows a handler of errors by its four parameters. @type {express.ErrorRequestHandler} */
const showError = (error, _request, response, next) => {
  if (response.headersSent) return next(error);
  if (error instanceof VerificationError) return response.sendStatus(400);
  if (error instanceof SignInError && error.code === 'access_denied')
    return again(response, 403, 'Your passkey gives no access at the moment. Ask our staff.');
  if (error instanceof SignInError && error.code === 'login_required')
    return again(response, 200, 'You turned back before you were signed in.');
  process.stderr.write(`${error.name}: ${error.message}\n`);
  if (error instanceof SignInError) return again(response, 400, 'The response does not belong to your sign-in.');
  if (error instanceof UnavailableError) return again(response, 503, 'We cannot reach Holdfast. Wait a moment.');
  return show(response, error.status ?? 500, 'Something went wrong', link('/', 'Back'));
};
app.use(showError);

app.listen(port, 'localhost', (error) => {
  if (error) throw error;
  process.stdout.write(`Open ${origin}\n`);
});

/**
 * Without `sid` all sessions of the customer end.
 *
 * @param {string | undefined} sid
 * @param {string | undefined} subject
 */
async function endSessions(sid, subject) {
  const all = await promisify(sessions.all.bind(sessions))();
  for (const [id, stored] of Object.entries(all ?? {})) {
    const { customer } = /** @type {Session} */ (stored);
    if (customer && (sid === undefined ? customer.subject === subject : customer.sid === sid)) sessions.destroy(id);
  }
}

/** @param {{ issuer: string, subject: string }} customer */
function keyOf({ issuer: iss, subject }) {
  return `${iss} ${subject}`;
}

function today() {
  return new Date().toISOString().slice(0, 10);
}

/** @param {express.Response} response @param {number} status @param {string} text */
function again(response, status, text) {
  return show(response, status, 'Please sign in again', `<p>${text}</p>${link('/sign-in', 'Sign in')}`);
}

/** @param {string} action @param {string} label */
function button(action, label) {
  return `<form method="post" action="${action}"><button>${label}</button></form>`;
}

/** @param {string} href @param {string} label */
function link(href, label) {
  return `<p><a href="${href}">${label}</a></p>`;
}

/** @param {express.Response} response @param {number} status @param {string} title @param {string} html */
function show(response, status, title, html) {
  return response
    .status(status)
    .send(
      `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${html}</html>`,
    );
}

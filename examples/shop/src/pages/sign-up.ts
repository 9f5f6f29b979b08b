import type { Account } from '../accounts/accounts.ts';
import type { Offer } from '../holdfast/credentials-api.ts';
import { html, type Html } from '../web/html.ts';
import { formOf } from '../web/layout.ts';
import { idempotencyKey, random, type Letter } from '../web/sessions.ts';
import { accountOf, redirect, sessionOf, show, type Answer, type Visit } from '../web/visit.ts';
import { presenceField, presenceTrouble, proofFor } from './presence.ts';

interface Fields {
  name: string;
  email: string;
}

export function signUpForm(visit: Visit): Answer {
  sessionOf(visit);
  if (accountOf(visit)) return redirect(visit, '/account');
  return formPage(visit, { name: '', email: '' }, random());
}

/** Sign-up: the shop keeps its own fields; Holdfast is asked for an offer and told nothing of them. */
export async function signUp(visit: Visit): Promise<Answer> {
  const { shop, form } = visit;
  const session = sessionOf(visit);
  const fields = { name: (form.get('name') ?? '').trim(), email: (form.get('email') ?? '').trim() };
  const formId = form.get('form') ?? '';
  const fault = faultOf(fields);
  if (fault) return formPage(visit, fields, formId, fault);
  const createdAt = new Date().toISOString();

  // Somebody who has signed in has a passkey of this organization already: an account is all that is missing.
  if (session.customer) {
    const { issuer, subject } = session.customer;
    await shop.accounts.put({ ...fields, issuer, subject, createdAt, joined: true });
    session.notice = { kind: 'good', text: `Welcome, ${fields.name}! Your account is open.` };
    return redirect(visit, '/account');
  }

  const { issuer, welcomeUri } = shop.settings;
  const key = idempotencyKey(session, formId, fields.name, fields.email);
  let offer: Offer;
  try {
    offer = await shop.credentials.offer(key, welcomeUri, proofFor(visit, key));
  } catch (error) {
    const trouble = presenceTrouble(error);
    if (trouble === undefined) throw error;
    // A new form, since the proof of this one is spoilt.
    return formPage(visit, fields, random(), trouble);
  }
  const { subject, claimUrl, offerId, credentialId, expiresAt } = offer;
  const account: Account = {
    ...fields,
    issuer,
    subject,
    createdAt,
    offer: { offerId, credentialId, expiresAt, again: false },
  };
  await shop.accounts.put(account);
  session.letter = { to: fields.email, name: fields.name, claimUrl, expiresAt };
  return redirect(visit, '/sign-up/sent');
}

/** In place of the e-mail that a real shop would send. */
export function waiting(visit: Visit): Answer {
  const letter = visit.session?.letter;
  if (!letter || letter.subject) return redirect(visit, '/sign-up');
  return show({
    title: 'One more step',
    body: html`<h1>Almost done, ${letter.name}</h1>
<p>A real shop would now send you an e-mail. This one shows it to you:</p>
${letterOf(visit.shop.name, letter)}
<p class="fine">The link is for you alone and works once. It leads to a page of Holdfast where you make your passkey; then you come back here.</p>`,
  });
}

export function letterOf(shopName: string, { to, name, claimUrl, expiresAt, subject }: Letter): Html {
  return html`<article class="letter" aria-label="E-mail">
<p class="fine"><span>To: ${to}</span><span>Subject: ${subject ? 'Your new passkey' : 'Your passkey'} for ${shopName}</span></p>
<p>Hello ${name},</p>
<p>${subject ? 'here is your link to a new passkey. It takes the place of the one before.' : 'make your passkey, and you are in. Your device asks for your fingerprint, face or PIN, as when you unlock it.'}</p>
<p class="deeds"><a class="button" id="claim-link" href="${claimUrl}">Create my passkey</a></p>
<p class="fine">The link works until <time datetime="${expiresAt}">${when(expiresAt)}</time>.</p>
</article>`;
}

/** Where the claim leads back to: the `returnUrl` of the offer. A claim does not sign anybody in. */
export function welcome(visit: Visit): Answer {
  if (visit.session?.letter) delete visit.session.letter;
  return show({
    title: 'Your passkey is ready',
    body: html`<h1>Your passkey is ready</h1>
<p>Try it at once: sign in, and your device does the rest.</p>
<p class="deeds"><a class="button" href="${visit.shop.settings.path}/sign-in">Sign in now</a></p>`,
  });
}

function formPage(visit: Visit, { name, email }: Fields, formId: string, fault?: string): Answer {
  const known = visit.session?.customer !== undefined;
  return show(
    {
      widget: !known,
      title: known ? 'Open an account' : 'Sign up',
      body: html`<h1>${known ? 'Open an account' : `Sign up at ${visit.shop.name}`}</h1>
<p>${known ? 'Your passkey is known; tell us who you are, and you are done.' : 'Two fields and a passkey. No password.'}</p>
${fault && html`<div class="notice bad" role="alert"><p>${fault}</p></div>`}
${formOf(
  visit,
  '/sign-up',
  html`<input type="hidden" name="form" value="${formId}">
<label>Your name <input name="name" value="${name}" autocomplete="name" required maxlength="100"></label>
<label>Your e-mail <input name="email" type="email" value="${email}" autocomplete="email" required maxlength="200"></label>
${!known && presenceField(visit.shop.settings)}
<p class="fine">Name and e-mail stay with this shop. They are never sent to Holdfast, which makes and checks your passkey and knows you by a random number only.</p>
<button>${known ? 'Open my account' : 'Sign up'}</button>`,
)}
<p class="fine">${known ? html`Not you? <a href="${visit.shop.settings.path}/sign-in?choose=1">Sign in with another passkey</a>` : html`Been here before? <a href="${visit.shop.settings.path}/sign-in">Sign in</a>`}</p>`,
    },
    fault ? 422 : 200,
  );
}

export function faultOf({ name, email }: Fields): string | undefined {
  if (name === '' || name.length > 100) return 'Please tell us your name, in a hundred letters at most.';
  if (email.length > 200 || !/^[^\s@]+@[^\s@]+$/.test(email))
    return 'Please tell us an e-mail address, such as ada@example.com.';
  return undefined;
}

export function when(instant: string): string {
  return (
    new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(
      new Date(instant),
    ) + ' UTC'
  );
}

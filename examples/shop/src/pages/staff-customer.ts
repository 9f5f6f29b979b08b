import type { Account } from '../accounts/accounts.ts';
import type { Credential, Customer } from '../holdfast/credentials-api.ts';
import { HoldfastRefused } from '../holdfast/trouble.ts';
import { html, type Html } from '../web/html.ts';
import { formOf } from '../web/layout.ts';
import { random } from '../web/sessions.ts';
import { sessionOf, show, type Answer, type Visit } from '../web/visit.ts';
import { presenceField } from './presence.ts';
import { letterOf, when } from './sign-up.ts';
import { changesOf, stateOfCredential } from './staff-credential.ts';
import { warning } from './staff-list.ts';
import { inWords } from './trouble.ts';

/** One customer: what the shop knows, what Holdfast says, and what staff can do. */
export async function staffCustomer(visit: Visit): Promise<Answer> {
  const { shop, params } = visit;
  const subject = params.subject ?? '';
  const session = sessionOf(visit);
  const account = shop.accounts.find(shop.settings.issuer, subject);
  const letter = session.letter?.subject === subject ? session.letter : undefined;
  const found = await customerOf(visit, subject);
  const title = account?.name ?? 'No account in this shop';
  return show(
    {
      title,
      widget: account !== undefined && 'items' in found,
      body: html`<p class="fine"><a href="${shop.settings.path}/staff">All customers</a></p>
<h1>${title}</h1>
${letter && letterOf(shop.name, letter)}
${account && html`<dl class="facts"><div><dt>E-mail</dt><dd>${account.email}</dd></div><div><dt>Account since</dt><dd>${when(account.createdAt)}</dd></div></dl>`}
<dl class="facts"><div><dt>Subject</dt><dd><code>${subject}</code></dd></div></dl>
${'items' in found ? html`<h2>Credentials</h2>${found.items.map((item) => cardOf(visit, subject, item))}` : html`<div class="notice bad"><p>${found.text}</p><p class="fine">${found.small}</p></div>`}
${deeds(visit, subject, account, 'items' in found ? found.items : undefined)}
${warning}`,
    },
    'items' in found || account ? 200 : 404,
  );
}

type Found = { items: Credential[] } | { text: string; small: string };

/** A customer that Holdfast does not know (any more) can still have an account, which staff must be able to close. */
async function customerOf({ shop }: Visit, subject: string): Promise<Found> {
  try {
    const { credentials }: Customer = await shop.credentials.customer(subject);
    return { items: credentials };
  } catch (error) {
    if (!(error instanceof HoldfastRefused)) throw error;
    const { text, small = '' } = inWords(error);
    return { text, small };
  }
}

function cardOf(visit: Visit, subject: string, credential: Credential): Html {
  const { id, credentialType, issuedAt, expiresAt, revokedAt, revokedReason, holderApp } = credential;
  const rows: [string, Html | string | undefined][] = [
    ['Status', stateOfCredential(credential, Date.now())],
    ['Type', credentialType],
    ['Issued', issuedAt && when(issuedAt)],
    ['Ends', expiresAt && when(expiresAt)],
    ['Revoked', revokedAt && when(revokedAt) + (revokedReason ? ` (${revokedReason})` : '')],
    ['Kept in', holderApp],
    ['Id', id],
  ];
  return html`<dl class="facts">${rows.map(([name, value]) => value && html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${changesOf(visit, subject, credential)}`;
}

/** An offer that may still be open: its time is not up, and its credential does not say that the link was used. */
export function mayBeOpen({ offer }: Account, credentials: Credential[], now: number): boolean {
  if (!offer || Date.parse(offer.expiresAt) <= now) return false;
  const status = credentials.find(({ id }) => id === offer.credentialId)?.status;
  return status === 'offered' || (offer.again && status === 'issued');
}

function deeds(
  visit: Visit,
  subject: string,
  account: Account | undefined,
  credentials: Credential[] | undefined,
): Html {
  const base = `/staff/${encodeURIComponent(subject)}`;
  const form = html`<input type="hidden" name="form" value="${random()}">`;
  return html`<h2>What you can do</h2>
${account && credentials && newLink(visit, base, form, credentials)}
${account && credentials && mayBeOpen(account, credentials, Date.now()) && html`<section class="deed"><h3>Sent to the wrong person?</h3><p>Take the link back; it then claims nothing any more.</p>${formOf(visit, `${base}/withdraw`, html`<button class="quiet">Withdraw the offer</button>`)}</section>`}
${
  (account ?? credentials) &&
  html`<section class="deed"><h3>Asked to be forgotten?</h3><p>Holdfast erases the customer, who can no longer sign in; then the shop closes the account. There is no way back.</p>
<details><summary>Erase this customer …</summary>${formOf(visit, `${base}/erase`, html`<button class="danger">Erase for ever</button>`)}</details></section>`
}`;
}

/** Holdfast makes no offer of a credential that is suspended: it would be a way around the suspension. */
function newLink(visit: Visit, base: string, form: Html, credentials: Credential[]): Html {
  const suspended = credentials.some(({ status }) => status === 'suspended');
  return html`<section class="deed"><h3>Lost the phone, or the link?</h3>${
    suspended
      ? html`<p>A new link can be sent when the credential is no longer suspended.</p>`
      : html`<p>Send a new link. The customer makes a new passkey with it, in place of the one before; the account stays.</p>${formOf(visit, `${base}/offer`, html`${form}${presenceField(visit.shop.settings)}<button class="quiet">Send a new link</button>`)}`
  }</section>`;
}

import type { SignedIn } from '../holdfast/sign-in.ts';
import { html, type Html } from '../web/html.ts';
import { accountOf, redirect, show, type Answer, type Visit } from '../web/visit.ts';
import { when } from './sign-up.ts';

/** The account of issuer and subject. Whoever comes with a good sign-in and has none may open one. */
export function account(visit: Visit): Answer {
  const customer = visit.session?.customer;
  if (!customer) return redirect(visit, '/sign-in');
  const found = accountOf(visit);
  if (!found) return unknown(visit);
  return show({
    title: 'My account',
    body: html`<h1>Hello, ${found.name}</h1>
<h2>What this shop knows</h2>
<dl class="facts"><div><dt>Name</dt><dd>${found.name}</dd></div><div><dt>E-mail</dt><dd>${found.email}</dd></div><div><dt>Member since</dt><dd>${when(found.createdAt)}</dd></div></dl>
<p class="fine">This is in the shop's own files. Holdfast has none of it.</p>
<h2>What Holdfast told us</h2>
${claimsOf(customer)}
<details><summary>Lost your phone?</summary><p>Ask our staff: they know you, and give you a link to a new passkey. Your account stays as it is. (In this example you can be staff yourself: <a href="${visit.shop.settings.path}/staff/${customer.subject}">open your own page</a>.)</p></details>`,
  });
}

function unknown(visit: Visit): Answer {
  const { path } = visit.shop.settings;
  return show({
    title: 'No account here yet',
    body: html`<h1>No account here yet</h1>
<p>Your passkey is good, and you are signed in. But ${visit.shop.name} has no account for it: you got the passkey elsewhere, or your account was closed.</p>
<p class="deeds"><a class="button" href="${path}/sign-up">Open an account</a> <a class="button quiet" href="${path}/sign-in?choose=1">Use another passkey</a></p>`,
  });
}

const meanings: Record<string, string> = {
  id: 'Your credential. It stays when it is renewed.',
  type: 'What kind of credential it is. This shop signs in holders of this kind.',
  document_number: 'Changes on every renewal, so nothing may be filed under it.',
  issued_at: 'When you first held it.',
  expires_at: 'When it ends, unless it is renewed.',
};

function claimsOf({ issuer, subject, credential, acr, amr, authTime }: SignedIn): Html {
  const rows: [string, string, string][] = [
    ['iss', issuer, 'Who says so: your organization at Holdfast.'],
    ['sub', subject, 'You, by a random number that never changes. This account is filed under iss and sub.'],
    ...Object.entries(credential).map(([name, value]): [string, string, string] => [
      `credential.${name}`,
      String(value),
      meanings[name] ?? '',
    ]),
    ...(acr ? [['acr', acr, 'How surely: with a passkey.'] as [string, string, string]] : []),
    ...(amr ? [['amr', amr.join(' '), 'How you proved it was you.'] as [string, string, string]] : []),
    ...(authTime
      ? [['auth_time', when(new Date(authTime * 1000).toISOString()), 'When you did.'] as [string, string, string]]
      : []),
  ];
  return html`<dl class="claims">${rows.map(([name, value, meaning]) => html`<div><dt><code>${name}</code></dt><dd><code data-claim="${name}">${value}</code>${meaning && html`<span class="fine">${meaning}</span>`}</dd></div>`)}</dl>`;
}

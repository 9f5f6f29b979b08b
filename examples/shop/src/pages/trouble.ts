import { HoldfastAway, HoldfastRefused } from '../holdfast/trouble.ts';
import type { Shop } from '../shop.ts';
import { html } from '../web/html.ts';
import { documentOf } from '../web/layout.ts';
import type { Notice } from '../web/sessions.ts';
import { show, type Answer, type Visit } from '../web/visit.ts';

/** What a code of the API means for the people at this shop. */
const words: Record<string, string> = {
  unknown_credential: 'Holdfast knows no such credential of this app’s customers.',
  not_revocable: 'A credential of this kind can be neither suspended nor revoked: it ends when it expires.',
  presence_required:
    'The organization takes no offer without a proof that a person is here; this page needs JavaScript for it.',
  presence_invalid: 'The check that a person is here did not work. Try again.',
  presence_expired: 'The check that a person is here took too long. Try again.',
  presence_replayed: 'This form was sent before. Try again.',
  unknown_subject: 'Holdfast knows no such customer of this app: never offered to, or erased already.',
  unknown_offer: 'Holdfast knows no such offer of this app: the customer was erased, or it is another app’s.',
  invalid_state:
    'This cannot be done as things stand: the link may have been used, taken back or replaced, or the credential paused.',
  unknown_credential_type: 'The organization has no such kind of credential.',
  wrong_organization: 'The shop’s client id belongs to another organization than the address that it calls.',
  insufficient_scope: 'The shop’s app was not granted what this needs.',
  invalid_scope: 'The shop’s app was not granted what this needs.',
  invalid_client: 'The shop’s client id or secret is not right (any more).',
  invalid_token: 'The shop’s access was refused: its app may be disabled.',
  invalid_page_token: 'This place in the list is gone. Begin again at the newest.',
  invalid_request: 'Holdfast does not accept what was sent.',
  rate_limited: 'Too many requests at once. Wait a moment.',
  conflict: 'This was done before, and what it led to is gone since.',
  idempotency_mismatch: 'The same form was sent before with other content. Load the page again.',
};

export function inWords({ code, detail, status }: HoldfastRefused): Notice {
  return { kind: 'bad', text: words[code] ?? 'Holdfast did not do this.', small: `${status} ${code}: ${detail}` };
}

export function troubleOf(visit: Visit, error: unknown): Answer {
  const { path } = visit.shop.settings;
  if (error instanceof HoldfastAway) {
    process.stderr.write(`Holdfast away: ${error.message}\n`);
    return show(
      {
        title: 'One moment, please',
        body: html`<h1>One moment, please</h1>
<p>The service that makes and checks passkeys cannot be reached right now. Nothing is lost; please try again in a minute.</p>
<p class="deeds"><a class="button" href="${path}">To the shop</a></p>
<p class="fine">Sent a form? Go back and send it again: it counts once.</p>`,
      },
      503,
    );
  }
  if (error instanceof HoldfastRefused) {
    process.stderr.write(`Holdfast refused: ${error.message}\n`);
    const { text, small } = inWords(error);
    return show(
      {
        title: 'That did not work',
        body: html`<h1>That did not work</h1><p>${text}</p><p class="fine"><code>${small}</code></p><p class="deeds"><a class="button" href="${path}">To the shop</a></p>`,
      },
      502,
    );
  }
  throw error;
}

export function notHere({ shop }: Visit): Answer {
  return show(
    {
      title: 'Nothing here',
      body: html`<h1>Nothing here</h1><p>We looked on every shelf.</p><p class="deeds"><a class="button" href="${shop.settings.path}">To the shop</a></p>`,
    },
    404,
  );
}

/** The CSRF token is missing or another session's: the shop was started again, or the form came from another site. */
export function damagedForm({ shop }: Visit): Answer {
  return show(
    {
      title: 'Please try again',
      body: html`<h1>Please try again</h1><p>This form is too old, or did not come from this shop. Nothing was changed.</p><p class="deeds"><a class="button" href="${shop.settings.path}">To the shop</a></p>`,
    },
    403,
  );
}

/** At the root of the address: which shops there are. */
export function directory(shops: Shop[]): string {
  return documentOf(
    'Shops',
    '',
    html`<main><h1>Which shop?</h1><ul>${shops.map(({ name, settings }) => html`<li><a href="${settings.path}">${name}</a></li>`)}</ul></main>`,
  );
}

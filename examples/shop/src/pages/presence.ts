import type { Settings } from '../config.ts';
import { HoldfastRefused } from '../holdfast/trouble.ts';
import { html, type Html } from '../web/html.ts';
import { sessionOf, type Visit } from '../web/visit.ts';

/**
 * The ALTCHA widget as Holdfast serves it: a web component that fills the form field `altcha` when the form is sent.
 */
export function presenceField({ challengeUrl }: Settings): Html {
  const configuration = JSON.stringify({ hideFooter: true, hideLogo: true });
  return html`<altcha-widget name="altcha" auto="onsubmit" challenge="${challengeUrl}" configuration="${configuration}"></altcha-widget>
<noscript><p class="notice">Without JavaScript we cannot check that a person sends this form. Please switch it on for this page.</p></noscript>`;
}

/**
 * What the widget gave, for the offer with this key. The same form sent again, after a lost answer, brings another
 * proof: it goes out with the first one, so that the same Idempotency-Key comes with the same request.
 */
export function proofFor(visit: Visit, key: string): string | undefined {
  const session = sessionOf(visit);
  if (session.proof?.key === key) return session.proof.payload;
  const payload = visit.form.get('altcha') || undefined;
  session.proof = { key, payload };
  return payload;
}

const words: Record<string, string> = {
  presence_required:
    'We could not check that a person sends this form. Please switch JavaScript on for this page, and try again.',
  presence_invalid: 'The check that a person sends this form did not work. Please try again.',
  presence_expired: 'The check that a person sends this form took too long. Please try again.',
  presence_replayed: 'This form was sent before. Please try again.',
};

/** What to tell a visitor whose proof of presence was refused; undefined for everything else. */
export function presenceTrouble(error: unknown): string | undefined {
  return error instanceof HoldfastRefused ? words[error.code] : undefined;
}

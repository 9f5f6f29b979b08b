import type { Credential } from '../holdfast/credentials-api.ts';
import { html, type Html } from '../web/html.ts';
import { formOf } from '../web/layout.ts';
import type { Visit } from '../web/visit.ts';

/** In one badge. An end that has come is no status at Holdfast: it is read off the clock. */
export function stateOfCredential({ status, expiresAt }: Credential, now: number): Html {
  if (status === 'issued' && expiresAt !== undefined && Date.parse(expiresAt) <= now)
    return html`<span class="badge bad">Ended</span>`;
  const [kind, words] = {
    offered: ['', 'Offered, not claimed'],
    issued: ['good', 'Works'],
    suspended: ['bad', 'Suspended'],
    revoked: ['bad', 'Revoked'],
  }[status] as [string, string];
  return html`<span class="badge ${kind}">${words}</span>`;
}

/** For programs and for the audit log; what happened in a customer's life stays out of it. */
const reasons = {
  lost_device: 'Lost device',
  customer_request: 'The customer asked',
  misuse: 'Misuse',
  left: 'No longer a customer',
};

/** What staff may do with a credential that somebody holds. */
export function changesOf(visit: Visit, subject: string, credential: Credential): Html | undefined {
  const { status, revocable } = credential;
  if (status !== 'issued' && status !== 'suspended') return undefined;
  if (!revocable) return html`<p class="fine">This kind can be neither suspended nor revoked: it ends by itself.</p>`;
  const button = (act: string, content: Html) =>
    formOf(
      visit,
      `/staff/${encodeURIComponent(subject)}/credentials/${encodeURIComponent(credential.id)}/${act}`,
      content,
    );
  const reason = html`<label>Why <select name="reason">${Object.entries(reasons).map(([value, words]) => html`<option value="${value}">${words}</option>`)}</select></label>`;
  return html`<section class="deed"><h3>${status === 'issued' ? 'Something wrong?' : 'All well again?'}</h3>
${
  status === 'issued'
    ? html`<p>Suspend it until it is clear what happened: sign-in is refused at once, and open sessions end.</p>
<details><summary>Suspend …</summary>${button('suspend', html`${reason}<button class="quiet">Suspend</button>`)}</details>`
    : button('resume', html`<button class="quiet">Let it work again</button>`)
}
<details><summary>Revoke for ever …</summary>${button('revoke', html`${reason}<button class="danger">Revoke for ever</button>`)}</details></section>`;
}

import type { organizationProfile, ReplyOf } from '@holdfast/contracts';
import { escapeHtml, htmlPage } from '@holdfast/platform';

type Profile = ReplyOf<typeof organizationProfile>;

const fromAMessage = 'If a message brought you here, open its link again, in full.';

/** The page at `/` (product §2): what this is, for people who come without a link. */
export function platformPage(): string {
  return htmlPage({
    tone: 'calm',
    title: 'This is a sign-in service',
    body: [
      '<p>Organizations use it to sign in their customers with passkeys, without passwords.</p>',
      `<p>${fromAMessage} Otherwise start from the app or website that you want to sign in to.</p>`,
      '<a class="control secondary" href="/docs">Reference for developers</a>',
    ].join('\n'),
  });
}

/** The page of an organization (product §2): its name, and where its customers begin and get help. */
export function organizationPage({ shortId, name, startUrl, helpUrl }: Profile): string {
  const start =
    startUrl === undefined
      ? `Start from the app or website of ${name} that you want to sign in to.`
      : `To sign in, continue to ${name}.`;
  return htmlPage({
    organization: name,
    tone: 'calm',
    title: `${name} signs in its customers here`,
    body: [
      `<p>It does so with passkeys, without passwords. ${escapeHtml(start)} ${fromAMessage}</p>`,
      ...(startUrl === undefined ? [] : [link('primary', startUrl, `Continue to ${name}`)]),
      ...(helpUrl === undefined ? [] : [link('secondary', helpUrl, 'Get help')]),
      link('secondary', `/hub/${shortId}`, `For people who work at ${name}`),
    ].join('\n'),
  });
}

/** The addresses are https by their schema; a page that is left sends no `Referer` by its policy. */
function link(kind: 'primary' | 'secondary', href: string, text: string): string {
  return `<a class="control ${kind}" href="${escapeHtml(href)}">${escapeHtml(text)}</a>`;
}

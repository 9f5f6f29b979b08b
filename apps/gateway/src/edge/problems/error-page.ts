import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorCatalogue, type ErrorCode } from '@holdfast/contracts';
import { escapeHtml, htmlPage, htmlPagePolicy, type AppError } from '@holdfast/platform';
import { mediaTypes } from '../media-types.js';

interface PageText {
  title: string;
  text: string;
}

const texts: Partial<Record<ErrorCode, PageText>> = {
  not_found: {
    title: 'There is no page at this address',
    text:
      'This is a sign-in service that organizations use for their customers. If a message brought you here, open ' +
      'its link again, in full. Otherwise start from the app that you want to sign in to.',
  },
  unknown_organization: {
    title: 'No organization has this address',
    text:
      'The link that brought you here may be damaged or out of date. Start again from the app that you want to ' +
      'sign in to.',
  },
  unavailable: { title: 'We cannot be reached right now', text: 'Nothing is lost. Please try again in a moment.' },
  rate_limited: { title: 'Too many tries', text: 'Please wait a moment, then try again.' },
};
const defaultText: PageText = {
  title: 'That did not work',
  text: 'Start again from the app that you want to sign in to. If that does not help, tell the people who run it.',
};

/** Programs call these routes; they never get a page, whatever their Accept header. */
const programPaths = /^\/(o\/[^/]+\/api|oauth2|\.well-known|openapi\.json|healthz|readyz)(\/|$)/;

/**
 * Whether a person will see the response. Browsers send `Sec-Fetch-Mode: navigate` (Fetch Metadata) when they navigate,
 * and older ones list `text/html` first. All others get the problem document.
 */
export function isNavigation({ url, headers }: Pick<FastifyRequest, 'url' | 'headers'>): boolean {
  if (programPaths.test(url.split('?')[0]!)) return false;
  const mode = headers['sec-fetch-mode'];
  return mode === undefined ? /^text\/html\b/i.test(headers.accept ?? '') : mode === 'navigate';
}

/** Sends a page for people: what happened, what to do, and the id of the request for those who investigate it. */
export function sendErrorPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { code, retryAfter }: Pick<AppError, 'code' | 'retryAfter'>,
): void {
  const { title, text } = texts[code] ?? defaultText;
  const retryLink =
    retryAfter !== undefined && request.method === 'GET'
      ? `<a class="control primary" href="${escapeHtml(request.url)}">Try again</a>\n`
      : '';
  const details = [errorCatalogue[code].title, `request ${request.requestContext.responseIds.requestId}`]
    .map((line) => `<p>${escapeHtml(line)}</p>`)
    .join('');
  const body = `<p>${escapeHtml(text)}</p>\n${retryLink}<details><summary>Details</summary>${details}</details>`;
  void reply
    .header('content-security-policy', htmlPagePolicy())
    .header('vary', 'accept, sec-fetch-mode')
    .type(mediaTypes.html)
    .send(htmlPage({ tone: 'stop', title, body }));
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorCatalogue, type ErrorCode } from '@holdfast/contracts';
import { escapeHtml, htmlPage, htmlPagePolicy, type AppError } from '@holdfast/platform';

interface Words {
  title: string;
  text: string;
}

const words: Partial<Record<ErrorCode, Words>> = {
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
const otherWords: Words = {
  title: 'That did not work',
  text: 'Start again from the app that you want to sign in to. If that does not help, tell the people who run it.',
};

/** JSON routes are for programs, whatever they say they accept. */
const forPrograms = /^\/(o\/[^/]+\/api|oauth2|\.well-known|openapi\.json|healthz|readyz)(\/|$)/;

/**
 * Whether a person looks at the answer: a browser that navigates says so (Fetch Metadata, `Sec-Fetch-Mode: navigate`),
 * older ones put `text/html` first. Everybody else gets the problem document.
 */
export function isNavigation({ url, headers }: Pick<FastifyRequest, 'url' | 'headers'>): boolean {
  if (forPrograms.test(url.split('?')[0]!)) return false;
  const mode = headers['sec-fetch-mode'];
  return mode === undefined ? /^text\/html\b/i.test(headers.accept ?? '') : mode === 'navigate';
}

/** Answers a person with a page: what happened, what to do, and the request's id for those who look into it. */
export function sendErrorPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { code, retryAfter }: Pick<AppError, 'code' | 'retryAfter'>,
): void {
  const { title, text } = words[code] ?? otherWords;
  const again =
    retryAfter !== undefined && request.method === 'GET'
      ? `<a class="control primary" href="${escapeHtml(request.url)}">Try again</a>\n`
      : '';
  const details = [errorCatalogue[code].title, `request ${request.requestContext.shown.requestId}`]
    .map((line) => `<p>${escapeHtml(line)}</p>`)
    .join('');
  const body = `<p>${escapeHtml(text)}</p>\n${again}<details><summary>Details</summary>${details}</details>`;
  void reply
    .header('content-security-policy', htmlPagePolicy())
    .header('vary', 'accept, sec-fetch-mode')
    .type('text/html; charset=utf-8')
    .send(htmlPage({ tone: 'stop', title, body }));
}

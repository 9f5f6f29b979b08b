import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorCatalogue, languageOfHeader } from '@holdfast/contracts';
import { escapeHtml, htmlPage, htmlPagePolicy, organizationLinks, type AppError } from '@holdfast/platform';
import { mediaTypes } from '../media-types.js';
import { errorPageText, errorPageTexts } from './error-page-texts.js';
import type { OrganizationOfErrorPage } from './organizations-of-error-pages.js';

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

/** The organization that the path names, whether or not it exists. */
export function organizationInPath({ url }: Pick<FastifyRequest, 'url'>): string | undefined {
  return /^\/o\/([^/?]+)/.exec(url)?.[1];
}

/**
 * Sends a page for people: what happened, what to do, and the id of the request for those who investigate it.
 * @param organization whose page it is, when that is known
 */
export function sendErrorPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { code, retryAfter }: Pick<AppError, 'code' | 'retryAfter'>,
  organization: OrganizationOfErrorPage | undefined,
): void {
  const language = languageOfHeader(request.headers['accept-language']);
  const texts = errorPageTexts[language];
  const { title, text } = errorPageText(texts, code);
  const retryLink =
    retryAfter !== undefined && request.method === 'GET'
      ? `<a class="control primary" href="${escapeHtml(request.url)}">${texts.tryAgain}</a>\n`
      : '';
  const details = [errorCatalogue[code].title, `request ${request.requestContext.responseIds.requestId}`]
    .map((line) => `<p>${escapeHtml(line)}</p>`)
    .join('');
  const more = `<details><summary>${texts.details}</summary>${details}</details>`;
  const links = organization === undefined ? '' : `${organizationLinks(organization, language)}\n`;
  const body = `<p>${escapeHtml(text)}</p>\n${retryLink}${links}${more}`;
  void reply
    .header('content-security-policy', htmlPagePolicy(organization))
    .header('vary', 'accept, accept-language, sec-fetch-mode')
    .type(mediaTypes.html)
    .send(htmlPage({ organization, tone: 'stop', title, language, body }));
}

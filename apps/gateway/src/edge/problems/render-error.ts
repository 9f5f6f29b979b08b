import { errorCatalogue, type ErrorCode } from '@holdfast/contracts';
import type { AppError } from '@holdfast/platform';
import type { HttpRequestContext } from '../request-context.js';
import { problemHeaders, problemOf, problemType } from './problem.js';

/** What RFC 6749 §4.1.2.1 and §5.2 call these; codes without an entry are problems on OAuth's endpoints too. */
const oauthErrors: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'invalid_request',
  payload_too_large: 'invalid_request',
  request_timeout: 'invalid_request',
  client_closed_request: 'invalid_request',
  rate_limited: 'temporarily_unavailable',
  unavailable: 'temporarily_unavailable',
  internal: 'server_error',
};

/** Headers and body of an error, in the form of the endpoint that was called. */
export function renderError(
  error: AppError,
  { shown, errorForm }: Pick<HttpRequestContext, 'shown' | 'errorForm'>,
  baseUrl: string,
): { headers: Record<string, string>; body: string } {
  const headers = problemHeaders(error, baseUrl);
  const oauth = errorForm === 'oauth' ? oauthErrors[error.code] : undefined;
  if (oauth === undefined)
    return {
      headers: { ...headers, 'content-type': problemType },
      body: JSON.stringify(problemOf(error, shown.requestId, baseUrl)),
    };
  const description = oauthText(error.detail ?? errorCatalogue[error.code].title);
  return {
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ error: oauth, error_description: description }),
  };
}

/** RFC 6749 §5.2 allows no quotation mark and no backslash in a description. */
function oauthText(text: string): string {
  return text.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'");
}

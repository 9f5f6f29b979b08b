import { errorCatalogue, type ErrorCode } from '@holdfast/contracts';
import type { AppError } from '@holdfast/platform';
import { mediaTypes } from '../media-types.js';
import type { HttpRequestContext } from '../request-context.js';
import { problemHeaders, problemOf } from './problem.js';

/** Error codes of RFC 6749 §4.1.2.1 and §5.2. A code without an entry is a problem document on OAuth endpoints too. */
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
  { responseIds, errorForm }: Pick<HttpRequestContext, 'responseIds' | 'errorForm'>,
  baseUrl: string,
): { headers: Record<string, string>; body: string } {
  const headers = problemHeaders(error, baseUrl);
  const oauth = errorForm === 'oauth' ? oauthErrors[error.code] : undefined;
  if (oauth === undefined)
    return {
      headers: { ...headers, 'content-type': mediaTypes.problem },
      body: JSON.stringify(problemOf(error, responseIds.requestId, baseUrl)),
    };
  const description = oauthText(error.detail ?? errorCatalogue[error.code].title);
  return {
    headers: { ...headers, 'content-type': mediaTypes.json },
    body: JSON.stringify({ error: oauth, error_description: description }),
  };
}

/** RFC 6749 §5.2 allows neither quotation marks nor backslashes in a description. */
function oauthText(text: string): string {
  return text.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'");
}

import type { ErrorForm } from '@holdfast/contracts/http';
import { oauthErrorResponse, temporarilyUnavailable } from './described.js';
import type { Json } from './json-schema.js';
import { problemResponses } from './problems.js';

const unknownOrganization = problemResponses(['unknown_organization'], false)['404'] as Json;
const tooManyRequests = problemResponses(['rate_limited'], false)['429'] as Json;
const tooManyOAuthRequests = oauthErrorResponse(
  '`temporarily_unavailable`: too many requests',
  'temporarily_unavailable',
  'Too many requests',
  { 'Retry-After': { $ref: '#/components/headers/Retry-After' } },
);
const serverError = problemResponses(['internal'], false)['500'] as Json;
const unavailable = problemResponses(['unavailable'], false)['503'] as Json;
const unsupportedMediaType = problemResponses(['unsupported_media_type'], false)['415'] as Json;
const oauthServerError = oauthErrorResponse(
  '`server_error`: a fault of Holdfast, which is in its log under the id of the request',
  'server_error',
  'Something went wrong',
);
const oauthRequestTimeout = oauthErrorResponse(
  '`invalid_request`: the body did not arrive in time',
  'invalid_request',
  'The request did not arrive in time',
);
const oauthRequestTooLarge = oauthErrorResponse(
  '`invalid_request`: the body is too large',
  'invalid_request',
  'The request is too large',
);

/** Responses that many operations refer to, by their names in `components`. */
export const sharedResponses = {
  UnknownOrganization: unknownOrganization,
  TooManyRequests: tooManyRequests,
  TooManyOAuthRequests: tooManyOAuthRequests,
  ServerError: serverError,
  OAuthServerError: oauthServerError,
  Unavailable: unavailable,
  OAuthUnavailable: temporarilyUnavailable,
  OAuthRequestTimeout: oauthRequestTimeout,
  OAuthRequestTooLarge: oauthRequestTooLarge,
  UnsupportedMediaType: unsupportedMediaType,
};

/**
 * Errors that the gateway adds to endpoints of auth. Their reference follows standards without rate limits and limits
 * of size; the gateway has both.
 */
export function gatewayResponses(errorForm: ErrorForm | undefined, hasBody: boolean): Json {
  const refer = (name: string) => ({ $ref: `#/components/responses/${name}` });
  return {
    ...(hasBody && { 408: refer('OAuthRequestTimeout'), 413: refer('OAuthRequestTooLarge') }),
    429: refer(errorForm === 'oauth' ? 'TooManyOAuthRequests' : 'TooManyRequests'),
    500: refer(errorForm === 'oauth' ? 'OAuthServerError' : 'ServerError'),
    503: refer(errorForm === 'oauth' ? 'OAuthUnavailable' : 'Unavailable'),
  };
}

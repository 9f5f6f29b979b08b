import { issuerPaths } from '@holdfast/contracts';
import { describedJson, describedText, oauthErrorResponse } from '../docs/described.js';
import type { Json } from '../docs/json-schema.js';
import { authorizeMembers } from './authorization.endpoints.js';
import {
  byClient,
  clientAssertion,
  formOf,
  invalidClient,
  issuerEndpoint,
  noOrganization,
  preflight,
} from './issuer-endpoint.js';

const pushedRequestReference: Json = {
  security: byClient,
  requestBody: formOf({ ...authorizeMembers, ...clientAssertion }),
  responses: {
    201: {
      description: 'The reference to the request',
      content: describedJson(
        {
          type: 'object',
          properties: {
            request_uri: describedText('Send it with `client_id` to the authorization endpoint; it is valid once'),
            expires_in: { type: 'integer', description: 'Lifetime in seconds: 60' },
          },
          required: ['request_uri', 'expires_in'],
        },
        {
          request_uri: 'urn:ietf:params:oauth:request_uri:Kj3xQ0vB8mYh2NfT6rWcZs1LpDgEaUoiKj3xQ0vB8mY',
          expires_in: 60,
        },
      ),
    },
    400: oauthErrorResponse(
      'The errors of the authorization endpoint: `invalid_request`, `invalid_scope`, `invalid_target`, ' +
        '`unsupported_response_type`, `request_not_supported`, `request_uri_not_supported`',
      'invalid_request',
      "redirect_uri did not match any of the client's registered redirect_uris",
    ),
    401: invalidClient,
    404: noOrganization,
  },
};
const pushedRequest = issuerEndpoint(
  'pushAuthorizationRequest',
  'POST',
  issuerPaths.pushedAuthorization,
  'Push an authorization request (RFC 9126)',
  'The reference to the request',
  {
    action: 'customer.sign_in_request',
    limit: 'token',
    reference: pushedRequestReference,
    description:
      'The parameters of an authorization request, sent by the app itself: the browser then has `client_id` and ' +
      '`request_uri` only. The reference is bound to the client, and valid once and for a minute.',
  },
);

const pushedRequestPreflight = issuerEndpoint(
  'preflightPushedRequest',
  'OPTIONS',
  issuerPaths.pushedAuthorization,
  'CORS',
  'For apps of the kind spa',
  preflight,
);

export const pushedRequestEndpoints = [pushedRequest, pushedRequestPreflight];

import { issuerPaths } from '@holdfast/contracts';
import { describedJson, describedText, oauthErrorResponse } from '../docs/described.js';
import type { Json } from '../docs/json-schema.js';
import {
  clientId,
  formOf,
  invalidClient,
  issuerEndpoint,
  noOrganization,
  ofSignIn,
  signIn,
} from './issuer-endpoint.js';

const deviceAuthorizationReference: Json = {
  security: [{}],
  requestBody: formOf({
    client_id: { ...clientId, description: 'The native app that runs on the device', required: true },
    scope: {
      description: '`openid`, and for apps of people the scopes of their claims',
      required: true,
      example: 'openid',
    },
    nonce: { description: 'Returned in the ID token' },
  }),
  responses: {
    200: {
      description: 'What the device shows, and with what it asks for its tokens',
      content: describedJson(
        {
          type: 'object',
          properties: {
            device_code: describedText('For the token endpoint; valid once. Keep it secret'),
            user_code: describedText('Show it: eight letters without vowels and look-alikes'),
            verification_uri: describedText('Show it: where the code is entered', { format: 'uri' }),
            verification_uri_complete: describedText('The same with the code, for a QR code', { format: 'uri' }),
            expires_in: { type: 'integer', description: 'Lifetime of both codes in seconds: 600' },
            interval: { type: 'integer', description: 'Seconds between two requests to the token endpoint: 5' },
          },
          required: [
            'device_code',
            'user_code',
            'verification_uri',
            'verification_uri_complete',
            'expires_in',
            'interval',
          ],
        },
        {
          device_code: 'Kj3xQ0vB8mYh2NfT6rWcZs1LpDgEaUoiKj3xQ0vB8mY',
          user_code: 'WDJB-MJHT',
          verification_uri: 'https://id.example/o/acme/device',
          verification_uri_complete: 'https://id.example/o/acme/device?user_code=WDJB-MJHT',
          expires_in: 600,
          interval: 5,
        },
      ),
    },
    400: oauthErrorResponse(
      '`unauthorized_client`: the app does not sign in on devices. `invalid_request`, `invalid_scope`, ' +
        '`invalid_target`',
      'unauthorized_client',
      'requested grant type is not allowed for this client',
    ),
    401: invalidClient,
    404: noOrganization,
  },
};

const deviceAuthorization = issuerEndpoint(
  'authorizeDevice',
  'POST',
  issuerPaths.deviceAuthorization,
  'Begin a sign-in on a device without a browser (RFC 8628)',
  'The codes',
  {
    action: 'customer.sign_in_request',
    // Anybody can begin one, and it is stored.
    limit: 'authorize',
    reference: deviceAuthorizationReference,
    description:
      'For native apps with `deviceAuthorization`. The device shows `verification_uri` and `user_code`, and asks the ' +
      'token endpoint every `interval` seconds until somebody has signed it in.',
  },
);

const showDevice = issuerEndpoint(
  'getDevicePage',
  'GET',
  issuerPaths.device,
  'The page on which the code of a device is entered',
  'The page',
  { ...signIn, internal: 'a page' },
);

const confirmDevice = issuerEndpoint(
  'confirmDevice',
  'POST',
  issuerPaths.device,
  'Enter the code of a device, and sign it in or not',
  'A page, or 303 to the sign-in page',
  { ...signIn, internal: 'a form of the page for devices' },
);

const resumeDevice = issuerEndpoint(
  'resumeDeviceSignIn',
  'GET',
  issuerPaths.deviceResume,
  'Sign a device in after the sign-in page',
  'A page with the result',
  { ...signIn, params: ofSignIn, internal: 'a step of the sign-in page' },
);

export const deviceEndpoints = [deviceAuthorization, showDevice, confirmDevice, resumeDevice];

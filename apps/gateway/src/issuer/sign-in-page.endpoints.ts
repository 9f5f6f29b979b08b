import { z } from 'zod';
import {
  issuerPaths,
  issuerRoute,
  signInOptionsSchema,
  signInResultSchema,
  signInSchema,
  webAuthnJson,
} from '@holdfast/contracts';
import { endpoint, type Endpoint } from '@holdfast/contracts/http';
import { ofSignIn, signIn } from './issuer-endpoint.js';

const assertionExample = {
  id: 'q83vEjRWeJA',
  rawId: 'q83vEjRWeJA',
  type: 'public-key',
  clientExtensionResults: {},
  response: {
    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
    authenticatorData: 'SZYN5YgOjGh0NBcP',
    signature: 'MEUCIQDx',
    userHandle: 'n7Yw0g',
  },
};

const pageErrors: Endpoint['errors'] = ['unknown_organization', 'unknown_sign_in', 'unavailable'];
const page = {
  public: 'the cookie of the sign-in authorizes it, with the uid',
  tag: 'Sign-in page',
  params: ofSignIn,
  errors: pageErrors,
  ...signIn,
  limit: 'sign_in' as const,
  recorder: 'auth' as const,
  internal: 'called by the sign-in page',
};

const showSignIn = endpoint({
  ...page,
  id: 'getSignIn',
  method: 'GET',
  path: issuerRoute(issuerPaths.signIn),
  summary: 'What the sign-in page shows',
  responses: { 200: { description: 'The app that requested the sign-in', schema: signInSchema } },
  examples: {
    response: { organization: { shortId: 'acme', name: 'Acme' }, app: { name: 'shop' }, audience: 'customers' },
  },
});
const signInOptions = endpoint({
  ...page,
  id: 'getSignInOptions',
  method: 'POST',
  path: issuerRoute(issuerPaths.signInOptions),
  summary: 'Options of a passkey sign-in',
  errors: [...pageErrors, 'cross_site_request', 'unsupported_media_type'],
  responses: {
    200: { description: 'For `navigator.credentials.get`; they replace earlier ones', schema: signInOptionsSchema },
  },
  examples: {
    response: {
      options: {
        rpId: 'id.example',
        challenge: 'pY1b3lqk0yQmXf3cVgq0n2o5m8uR7sT4wZ6xA9dE1fG',
        userVerification: 'required',
      },
    },
  },
});
const completeSignInStep = endpoint({
  ...page,
  id: 'completeSignIn',
  method: 'POST',
  path: issuerRoute(issuerPaths.signInComplete),
  summary: "Sign in with the authenticator's response",
  body: z.strictObject({ response: webAuthnJson.describe('The PublicKeyCredential, as JSON') }),
  errors: [
    ...pageErrors,
    'invalid_request',
    'ceremony_expired',
    'passkey_invalid',
    'cross_site_request',
    'unsupported_media_type',
  ],
  responses: {
    200: {
      description:
        '`redirectTo`: the sign-in is complete, continue there. Only `refused`: another passkey may be tried',
      schema: signInResultSchema,
    },
  },
  examples: {
    body: { passkey: { summary: "With the authenticator's response", value: { response: assertionExample } } },
    response: { redirectTo: 'https://id.example/o/acme/authorize/Vh2mYp0sQkLw7dXz' },
  },
});

const cancelSignIn = endpoint({
  ...page,
  id: 'cancelSignIn',
  method: 'POST',
  path: issuerRoute(issuerPaths.signInCancel),
  summary: 'Return to the app without signing in',
  errors: [...pageErrors, 'cross_site_request', 'unsupported_media_type'],
  responses: {
    200: {
      description: '`redirectTo`: there the app gets `login_required`, or `access_denied` after a rejected passkey',
      schema: signInResultSchema,
    },
  },
  examples: {
    response: { redirectTo: 'https://id.example/o/acme/authorize/Vh2mYp0sQkLw7dXz' },
  },
});

export const signInPageEndpoints = [showSignIn, signInOptions, completeSignInStep, cancelSignIn];

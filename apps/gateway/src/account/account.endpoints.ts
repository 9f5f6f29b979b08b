import { z } from 'zod';
import {
  acceptedPasskeysSchema,
  customerAccountSchema,
  customerDenialReasons,
  customerSessionSchema,
  instant,
  passkeyId,
  passkeyLinkStateSchema,
  passkeyName,
  removedPasskey,
  shownOrganizationSchema,
  signInOptionsSchema,
  webAuthnJson,
  type Action,
  type ErrorCode,
} from '@holdfast/contracts';
import { endpoint } from '@holdfast/contracts/http';

const base = '/o/{shortId}/api/account';
const internal = 'the account page calls it';
const isSession = 'the secret of a session in the body authorizes it, in the browser that signed in';
const params = z.strictObject({ shortId: z.string().max(200).describe("The organization's short identifier") });
const session = z.string().max(100).describe('The secret of the session, which the page keeps to itself');
const commonErrors: ErrorCode[] = [
  'invalid_request',
  'cross_site_request',
  'rate_limited',
  'payload_too_large',
  'unsupported_media_type',
  'unavailable',
  'internal',
];

const organization = { name: 'Acme' };
const challenge = 'pY1b3lqk0yQmXf3cVgq0n2o5m8uR7sT4wZ6xA9dE1fG';
const passkeyExample = {
  id: '7d1c0a52-4b3e-8f6a-9c27-5e8b1f3a6d90',
  name: 'iCloud Keychain',
  synced: true,
  createdAt: '2026-11-21T10:02:11.480Z',
};
const accepted = { acceptedPasskeys: { rpId: 'id.example', userId: 'n7Yw0g', allAcceptedCredentialIds: ['q83vEg'] } };

const shared = { method: 'POST' as const, tag: 'Account', internal, params, limit: 'sign_in' as const };

export const accountOptionsEndpoint = endpoint({
  ...shared,
  id: 'getAccountSignInOptions',
  path: `${base}/options`,
  public: 'anybody may begin a sign-in',
  unrecorded: 'nothing is stored: the challenge is signed',
  summary: 'Begin a sign-in to the account page',
  responses: {
    200: {
      description: 'The options, for this browser',
      schema: signInOptionsSchema,
    },
  },
  errors: [...commonErrors, 'not_found'],
  examples: { response: { options: { rpId: 'id.example', challenge } } },
});

export const accountSignInEndpoint = endpoint({
  ...shared,
  id: 'signInToAccount',
  path: `${base}/sign-in`,
  public: 'the response of an authenticator authorizes it',
  action: 'account.sign_in',
  summary: 'Sign in to the account page',
  body: z.strictObject({ response: webAuthnJson }),
  responses: {
    200: {
      description: 'The secret of a session of ten minutes, or why the passkey is refused',
      schema: z.strictObject({
        session: session.optional(),
        refused: z.enum(customerDenialReasons).optional(),
        removed: removedPasskey,
      }),
    },
  },
  errors: [...commonErrors, 'not_found', 'ceremony_expired', 'passkey_invalid'],
  examples: { response: { session: challenge } },
});

/** An endpoint of a page that is signed in. */
function signedIn<Members extends z.ZodRawShape = Record<never, never>>({
  path,
  body,
  errors = [],
  ...declared
}: {
  id: string;
  path: string;
  action?: Action;
  unrecorded?: string;
  countAs?: Action;
  summary: string;
  body?: Members;
  response: z.ZodType;
  example: unknown;
  errors?: ErrorCode[];
}) {
  const { response, example, ...rest } = declared;
  return endpoint({
    ...shared,
    ...rest,
    path: base + path,
    public: isSession,
    body: z.strictObject({ session, ...(body as Members) }),
    responses: { 200: { description: 'What the page shows then', schema: response } },
    errors: [...commonErrors, 'not_found', 'account_session_ended', ...errors],
    examples: { response: example },
  });
}

const passkey = customerAccountSchema.shape.passkeys.element;
const acceptedPasskeys = acceptedPasskeysSchema;
const nothing = z.strictObject({});

export const accountEndpoint = signedIn({
  id: 'readAccount',
  path: '',
  action: 'account.read',
  countAs: 'account.read',
  summary: 'Read what the account page shows',
  response: customerAccountSchema.extend({
    organization: shownOrganizationSchema,
    current: passkeyId.describe('The passkey that signed in'),
    sessions: z.array(customerSessionSchema),
  }),
  example: {
    organization,
    current: passkeyExample.id,
    credentials: [
      {
        id: '019aa5f2-7c1e-7d20-8f11-5e2b9c4d6a01',
        credentialType: { name: 'customer', display: 'Customer' },
        state: 'live',
        issuedAt: '2026-11-21T10:02:11.480Z',
        renews: false,
      },
    ],
    passkeys: [passkeyExample],
    mayAddPasskey: true,
    sessions: [],
  },
});

export const accountSignOutEndpoint = signedIn({
  id: 'signOutOfAccount',
  path: '/sign-out',
  action: 'account.sign_out',
  countAs: 'account.sign_out',
  summary: 'Sign out of the account page',
  response: nothing,
  example: {},
});

export const passkeyOptionsEndpoint = signedIn({
  id: 'getAccountPasskeyOptions',
  path: '/passkeys/options',
  action: 'passkey.begin',
  countAs: 'passkey.begin',
  summary: 'Begin to add a passkey',
  response: z.strictObject({ options: webAuthnJson }),
  example: { options: { rp: { id: 'id.example', name: 'Acme' }, challenge } },
  errors: ['invalid_state'],
});

export const addPasskeyEndpoint = signedIn({
  id: 'addAccountPasskey',
  path: '/passkeys/add',
  action: 'passkey.add',
  summary: 'Add a passkey',
  body: { response: webAuthnJson },
  response: z.strictObject({ passkey, acceptedPasskeys }),
  example: { passkey: passkeyExample, ...accepted },
  errors: ['invalid_state', 'ceremony_expired', 'passkey_invalid'],
});

export const renamePasskeyEndpoint = signedIn({
  id: 'renameAccountPasskey',
  path: '/passkeys/rename',
  action: 'passkey.rename',
  summary: 'Rename a passkey',
  body: { passkey: passkeyId, name: passkeyName },
  response: z.strictObject({ passkey }),
  example: { passkey: { ...passkeyExample, name: 'Phone' } },
  errors: ['unknown_passkey'],
});

export const removePasskeyEndpoint = signedIn({
  id: 'removeAccountPasskey',
  path: '/passkeys/remove',
  action: 'passkey.remove',
  summary: 'Remove a passkey, with what began with it',
  body: { passkey: passkeyId },
  response: z.strictObject({ acceptedPasskeys }),
  example: accepted,
  errors: ['unknown_passkey', 'invalid_state'],
});

export const createLinkEndpoint = signedIn({
  id: 'createPasskeyLink',
  path: '/link',
  action: 'passkey.begin',
  countAs: 'passkey.begin',
  summary: 'Make a link by which another device makes a passkey',
  response: z.strictObject({
    address: z.url().describe('The link; its token is in the fragment'),
    expiresAt: instant.describe('When it ends'),
  }),
  example: {
    address: `https://id.example/o/acme/passkey#${challenge}`,
    expiresAt: '2026-11-21T10:12:11.480Z',
  },
  errors: ['invalid_state'],
});

export const linkStateEndpoint = signedIn({
  id: 'getPasskeyLinkState',
  path: '/link/state',
  unrecorded: 'the page asks every two seconds what has become of the link that it has made',
  summary: 'Read whether another device has made a passkey',
  response: passkeyLinkStateSchema,
  example: { state: 'created', code: '7F3K', name: 'Windows Hello' },
});

export const confirmLinkEndpoint = signedIn({
  id: 'confirmPasskeyLink',
  path: '/link/confirm',
  action: 'passkey.add',
  summary: 'Confirm the passkey that another device has made',
  body: { code: z.string().max(10).describe('What both devices show') },
  response: z.strictObject({ passkey, acceptedPasskeys }),
  example: { passkey: passkeyExample, ...accepted },
  errors: ['passkey_link_expired', 'invalid_state', 'passkey_invalid'],
});

export const endLinkEndpoint = signedIn({
  id: 'endPasskeyLink',
  path: '/link/end',
  unrecorded: 'nothing has come of the link, and nothing will',
  summary: 'End the link, and forget the passkey that another device has made',
  response: nothing,
  example: {},
});

export const endSessionsEndpoint = signedIn({
  id: 'endAccountSessions',
  path: '/sessions/end',
  action: 'session.end',
  countAs: 'session.end',
  summary: 'Sign out of one session, or of all of them',
  body: { only: z.string().max(100).optional().describe('Id of the session; absent: all of them') },
  response: z.strictObject({ changed: z.int().describe('How many have ended') }),
  example: { changed: 1 },
});

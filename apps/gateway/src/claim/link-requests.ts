import { z } from 'zod';
import {
  acceptedPasskeysSchema,
  webAuthnJson,
  type ErrorCode,
  type organizationProfile,
  type ReplyOf,
} from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import type { OrganizationProfiles } from '../access/organization-profiles.js';
import { registrationExample } from './registration-example.js';

const tokenExample = 'vQ3mB0yq1Tn8d5cJ7wX2kZ9rLhFpEsGaUoNiYtRbVxM';

/** What the requests of a claim link and those of an invitation link have in common. */
export function linkRequests(link: 'claim' | 'invitation' | 'passkey', unknown: ErrorCode) {
  const token = z.string().max(500).describe(`The part of the ${link} link after \`#\``);
  const commonErrors: ErrorCode[] = [
    'invalid_request',
    unknown,
    'cross_site_request',
    'rate_limited',
    'payload_too_large',
    'unsupported_media_type',
    'unavailable',
    'internal',
  ];
  return {
    isPublic: `the token of the ${link} link authorizes it`,
    tokenNote: `Needs no access token but the token of the ${link} link, in the body and never in a URL.`,
    // Any text is accepted as short id and token. One that cannot exist gets the same 404 as one that does not exist,
    // so that a truncated link gets the same error as a wrong one.
    params: z.strictObject({
      shortId: z.string().max(200).describe(`The organization's short identifier, as it appears in the ${link} link`),
    }),
    token,
    completion: {
      token,
      response: webAuthnJson.describe('RegistrationResponseJSON (WebAuthn Level 3 §5.1.8) of the authenticator'),
    },
    commonErrors,
  };
}

export const linkExamples = {
  token: { link: { summary: 'The part of the link after `#`', value: { token: tokenExample } } },
  options: {
    options: {
      rp: { id: 'id.example', name: 'Acme' },
      challenge: 'pY1b3lqk0yQmXf3cVgq0n2o5m8uR7sT4wZ6xA9dE1fG',
      user: { id: 'n7Yw0g', name: 'Acme · 7F3K', displayName: '' },
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
    },
  },
  replaced: { acceptedPasskeys: { rpId: 'id.example', userId: 'n7Yw0g', allAcceptedCredentialIds: [] } },
  completion: {
    passkey: {
      summary: "With the authenticator's response",
      value: { token: tokenExample, response: registrationExample },
    },
  },
};

/** What the responses to completions have in common. */
export const completionReply = {
  acceptedPasskeys: acceptedPasskeysSchema
    .optional()
    .describe('After a recovery: for `PublicKeyCredential.signalAllAcceptedCredentials()`, to hide earlier passkeys'),
};

/** The response with the options of a registration, which sets the cookie of the browser. */
export function optionsResponse(link: 'claim' | 'invitation' | 'passkey', id: string) {
  return {
    description: 'The options',
    headers: { 'Set-Cookie': `Secret of the browser, \`HttpOnly\`, for \`…/${link}/complete\`` },
    schema: z
      .strictObject({
        options: webAuthnJson.describe('PublicKeyCredentialCreationOptionsJSON (WebAuthn Level 3 §5.1.9)'),
      })
      .meta({ id }),
  };
}

/**
 * The same error for an unknown organization, a suspended one and an unknown token: none can be probed.
 *
 * @param mayExist whether the token has the form of one
 */
export async function organizationOfLink(
  organizations: OrganizationProfiles,
  shortId: string,
  mayExist: boolean,
  unknown: 'unknown_claim' | 'unknown_invitation' | 'unknown_passkey_link',
): Promise<ReplyOf<typeof organizationProfile>> {
  const organization = mayExist ? await organizations.find(shortId) : undefined;
  if (!organization) throw new AppError(unknown);
  return organization;
}

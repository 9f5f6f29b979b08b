import { generateAuthenticationOptions, verifyAuthenticationResponse } from '@simplewebauthn/server';
import { z } from 'zod';
import type { WebAuthnJson } from '@holdfast/contracts';
import { base64url, challengeIn, credentialId, passkeyInvalid, readResponse, verified } from './ceremony.js';
import { ceremonies } from './challenges.js';
import { acceptsPasskeysOf, type RelyingParty } from './relying-party.js';

/** What is kept of a passkey, as far as an assertion is verified against it. */
export interface StoredPasskey {
  credentialId: string;
  publicKey: Buffer;
  counter: number;
  deviceType: 'singleDevice' | 'multiDevice';
  /** The RP ID that it was made for, and no other. */
  rpId: string;
  /** Of the holder whose passkey it is. */
  handle: Buffer;
}

/** No `allowCredentials`: the passkey itself says whose it is, so no name is typed and none can be tried out (§5.5). */
export async function authenticationOptions(rp: RelyingParty, challenge: Buffer): Promise<WebAuthnJson> {
  const options = await generateAuthenticationOptions({
    rpID: rp.id,
    challenge: new Uint8Array(challenge),
    timeout: ceremonies.signIn.seconds * 1000,
    userVerification: 'required',
  });
  return JSON.parse(JSON.stringify(options)) as WebAuthnJson;
}

/** AuthenticationResponseJSON (§5.1.8). Without `allowCredentials` an authenticator must name the user (§6.3.3). */
const responseSchema = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: base64url(8_000),
    authenticatorData: base64url(8_000),
    signature: base64url(2_000),
    userHandle: base64url(64),
  }),
});

export interface AuthenticationResponse {
  challenge: string;
  credentialId: string;
  response: z.output<typeof responseSchema>;
}

/** Reads what `navigator.credentials.get()` gave. @throws AppError passkey_invalid */
export function readAuthentication(json: unknown): AuthenticationResponse {
  const response = readResponse(responseSchema, json);
  return { challenge: challengeIn(response.response.clientDataJSON), credentialId: response.id, response };
}

/** What an assertion changes about a passkey. */
export interface PasskeyUse {
  counter: number;
  backedUp: boolean;
}

/** WebAuthn Level 3 §7.2. The challenge must have been taken. @throws AppError passkey_invalid */
export async function verifyAuthentication(
  rp: RelyingParty,
  { challenge, response }: AuthenticationResponse,
  passkey: StoredPasskey,
): Promise<PasskeyUse> {
  if (response.id !== passkey.credentialId) throw passkeyInvalid('another passkey');
  if (!acceptsPasskeysOf(rp, passkey.rpId)) throw passkeyInvalid('made for an RP ID that is not taken');
  if (response.response.userHandle !== passkey.handle.toString('base64url'))
    throw passkeyInvalid('the user handle is not of the holder of this passkey');
  const { authenticationInfo } = await verified(() =>
    verifyAuthenticationResponse({
      response: { ...response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: rp.origin,
      expectedRPID: passkey.rpId,
      expectedType: 'webauthn.get',
      requireUserVerification: true,
      credential: { id: passkey.credentialId, publicKey: new Uint8Array(passkey.publicKey), counter: passkey.counter },
    }),
  );
  const { newCounter, credentialDeviceType, credentialBackedUp } = authenticationInfo;
  // §6.1.3: whether a passkey may be synced is settled when it is made.
  if (credentialDeviceType !== passkey.deviceType) throw passkeyInvalid('the backup eligibility has changed');
  // The library does the same today; it is what tells a copy from the original, so it is not left to an upgrade.
  if (!isAllowedCounter(passkey.counter, newCounter)) throw passkeyInvalid('the counter went back');
  return { counter: newCounter, backedUp: credentialBackedUp };
}

/** §6.1.1: a counter only rises. Synced passkeys have none and stay at 0. */
export function isAllowedCounter(stored: number, given: number): boolean {
  return given > stored || (given === 0 && stored === 0);
}

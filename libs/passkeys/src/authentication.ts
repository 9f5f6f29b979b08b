import { generateAuthenticationOptions, verifyAuthenticationResponse } from '@simplewebauthn/server';
import { z } from 'zod';
import type { WebAuthnJson } from '@holdfast/contracts';
import { base64url, challengeIn, credentialId, passkeyInvalid, readResponse, verified } from './ceremony.js';
import { ceremonies } from './challenges.js';
import { acceptsPasskeysOf, type RelyingParty } from './relying-party.js';

/** The stored data of a passkey against which an assertion is verified. */
export interface StoredPasskey {
  credentialId: string;
  publicKey: Buffer;
  counter: number;
  deviceType: 'singleDevice' | 'multiDevice';
  /** The RP ID that it was created for. */
  rpId: string;
  /** User handle of the customer. */
  handle: Buffer;
}

/** Without `allowCredentials` the passkey itself identifies the customer, so no user names can be guessed (§5.5). */
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

/** Parses the result of `navigator.credentials.get()`. @throws AppError passkey_invalid */
export function readAuthentication(json: unknown): AuthenticationResponse {
  const response = readResponse(responseSchema, json);
  return { challenge: challengeIn(response.response.clientDataJSON), credentialId: response.id, response };
}

/** What an assertion changes about a passkey. */
export interface PasskeyUse {
  counter: number;
  backedUp: boolean;
  counterCheck: CounterCheck;
}

/**
 * What a counter means (WebAuthn Level 3 §6.1.1, §7.2 step 22). `tolerated`: it went back, and the passkey can be on
 * several devices, or its provider stopped counting. `went_back`: the passkey is bound to one device, so somebody may
 * have copied it.
 */
export type CounterCheck = 'increased' | 'tolerated' | 'went_back';

/** WebAuthn Level 3 §7.2. The challenge must have been consumed. @throws AppError passkey_invalid */
export async function verifyAuthentication(
  rp: RelyingParty,
  { challenge, response }: AuthenticationResponse,
  passkey: StoredPasskey,
): Promise<PasskeyUse> {
  if (response.id !== passkey.credentialId) throw passkeyInvalid('another passkey');
  if (!acceptsPasskeysOf(rp, passkey.rpId)) throw passkeyInvalid('created for an RP ID that is not accepted');
  if (response.response.userHandle !== passkey.handle.toString('base64url'))
    throw passkeyInvalid('the user handle does not belong to this passkey');
  const { authenticationInfo } = await verified(() =>
    verifyAuthenticationResponse({
      response: { ...response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: rp.origin,
      expectedRPID: passkey.rpId,
      expectedType: 'webauthn.get',
      requireUserVerification: true,
      // The library would refuse each counter that went back. `checkCounter` decides instead.
      credential: { id: passkey.credentialId, publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
    }),
  );
  const { newCounter, credentialDeviceType, credentialBackedUp } = authenticationInfo;
  // §6.1.3: whether a passkey may be synced is decided at its creation.
  if (credentialDeviceType !== passkey.deviceType) throw passkeyInvalid('the backup eligibility has changed');
  return { counter: newCounter, backedUp: credentialBackedUp, counterCheck: checkCounter(passkey, newCounter) };
}

/** Passkeys without a counter stay at 0. */
export function checkCounter(
  { counter, deviceType }: Pick<StoredPasskey, 'counter' | 'deviceType'>,
  received: number,
): CounterCheck {
  if (received > counter || (received === 0 && counter === 0)) return 'increased';
  return deviceType === 'multiDevice' || received === 0 ? 'tolerated' : 'went_back';
}

import { generateRegistrationOptions, verifyRegistrationResponse } from '@simplewebauthn/server';
import { decodeAttestationObject, isoCBOR } from '@simplewebauthn/server/helpers';
import { z } from 'zod';
import type { WebAuthnJson } from '@holdfast/contracts';
import { violatedUnique, type Sql, type Statement } from '@holdfast/data';
import { AppError, passkeyUserName } from '@holdfast/platform';
import {
  algorithms,
  base64url,
  challengeIn,
  credentialId,
  passkeyInvalid,
  readResponse,
  verified,
} from './ceremony.js';
import { ceremonies } from './challenges.js';
import { requireUsableKey } from './public-key.js';
import type { RelyingParty } from './relying-party.js';

/** A passkey as it is stored. */
export interface NewPasskey {
  credentialId: string;
  publicKey: Buffer;
  counter: number;
  transports: string[];
  aaguid: string;
  /** `multiDevice`: it may be synced. */
  deviceType: 'singleDevice' | 'multiDevice';
  backedUp: boolean;
}

/** The columns of a passkey that every service's table has. */
export const passkeyColumns = {
  credential_id: 'text',
  public_key: 'bytea',
  counter: 'bigint',
  transports: 'text[]',
  aaguid: 'uuid',
  device_type: 'text',
  backed_up: 'boolean',
  rp_id: 'text',
  created_at: 'timestamptz',
} as const;

/** The values of `passkeyColumns`. */
export function passkeyValues(passkey: NewPasskey & { rpId: string }, createdAt: Date) {
  const { credentialId, publicKey, counter, transports, aaguid, deviceType, backedUp, rpId } = passkey;
  return {
    credential_id: credentialId,
    public_key: publicKey,
    counter,
    transports,
    aaguid,
    device_type: deviceType,
    backed_up: backedUp,
    rp_id: rpId,
    created_at: createdAt,
  };
}

/**
 * Stores a new passkey.
 *
 * @param add inserts columns of the service and `passkeyColumns`
 * @throws AppError passkey_invalid when the credential id is registered already (WebAuthn Level 3 §7.1, step 26)
 */
export async function storePasskey(sql: Sql, add: Statement, values: unknown[]): Promise<void> {
  try {
    await sql.rows(add, values);
  } catch (error) {
    if (violatedUnique(error) === undefined) throw error;
    throw new AppError('passkey_invalid', 'This passkey is registered already. Make a new one.');
  }
}

/**
 * WebAuthn Level 3 §5.4. A link comes without `exclude`: a customer who returns with another link creates a new passkey
 * on the same device, and excluding the old one would block them. A further passkey excludes the others, so that it
 * replaces none of them.
 * @param handle of the account: an authenticator keeps one passkey per RP ID and handle
 */
export async function registrationOptions(
  rp: RelyingParty,
  organizationName: string,
  handle: Buffer,
  challenge: Buffer,
  exclude: readonly { id: string; transports: string[] }[] = [],
): Promise<WebAuthnJson> {
  const options = await generateRegistrationOptions({
    rpName: organizationName,
    rpID: rp.id,
    userID: new Uint8Array(handle),
    // Shown when the user selects a passkey. Never an id or personal data.
    userName: passkeyUserName(organizationName, handle),
    userDisplayName: '',
    challenge: new Uint8Array(challenge),
    timeout: ceremonies.claim.seconds * 1000,
    attestationType: 'none',
    ...(exclude.length > 0 && {
      excludeCredentials: exclude.map(({ id, transports }) => ({ id, transports: transports.filter(isTransport) })),
    }),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  });
  return JSON.parse(JSON.stringify(options)) as WebAuthnJson;
}

const transports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;
type Transport = (typeof transports)[number];
const isTransport = (t: string): t is Transport => (transports as readonly string[]).includes(t);

/** The members of RegistrationResponseJSON (§5.1.8) that are used. */
const responseSchema = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: base64url(8_000),
    attestationObject: base64url(32_000),
    transports: z
      .array(z.string().max(32))
      .max(16)
      .transform((all) => [...new Set(all.filter(isTransport))])
      .default([]),
  }),
});

export interface RegistrationResponse {
  challenge: string;
  response: z.output<typeof responseSchema>;
}

/** Parses the result of `navigator.credentials.create()`. @throws AppError passkey_invalid */
export function readRegistration(json: unknown): RegistrationResponse {
  const response = readResponse(responseSchema, json);
  return { challenge: challengeIn(response.response.clientDataJSON), response };
}

/** WebAuthn Level 3 §7.1. The challenge must have been consumed. @throws AppError passkey_invalid */
export async function verifyRegistration(
  rp: RelyingParty,
  { challenge, response }: RegistrationResponse,
): Promise<NewPasskey> {
  const attestationObject = withoutStatement(response.response.attestationObject);
  const { registrationInfo } = await verified(() =>
    verifyRegistrationResponse({
      response: { ...response, response: { ...response.response, attestationObject }, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: rp.origin,
      expectedRPID: rp.id,
      expectedType: 'webauthn.create',
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    }),
  );
  if (!registrationInfo) throw passkeyInvalid('no registration');
  const { credential, aaguid, credentialDeviceType, credentialBackedUp } = registrationInfo;
  if (credential.id !== response.id) throw passkeyInvalid('the credential id is not the one that was attested');
  requireUsableKey(credential.publicKey);
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports: response.response.transports,
    aaguid,
    deviceType: credentialDeviceType,
    backedUp: credentialBackedUp,
  };
}

/**
 * The options request no attestation (§5.4.7), yet some authenticators and browser extensions send one. It is dropped
 * unread: whose authenticator it is does not matter here, and verifying a chain of certificates could fetch revocation
 * lists from a URL that the sender chose. Key, flags and RP ID are verified as without it.
 */
function withoutStatement(attestationObject: string): string {
  try {
    const attestation = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')));
    const members = { fmt: 'none', attStmt: new Map<string, never>(), authData: attestation.get('authData') };
    return Buffer.from(isoCBOR.encode(new Map(Object.entries(members)))).toString('base64url');
  } catch (error) {
    throw passkeyInvalid(error);
  }
}

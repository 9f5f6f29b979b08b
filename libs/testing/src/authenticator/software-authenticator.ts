import { createHash, randomBytes } from 'node:crypto';
import { encodeCbor, type Cbor } from './cbor.js';
import { coseNumbers, keyAlgorithms, newKey, type KeyAlgorithm, type PasskeyKey } from './keys.js';

export interface AuthenticatorOptions {
  /** By default the site's first choice. */
  algorithm?: KeyAlgorithm;
  /** Zeros by default. */
  aaguid?: string;
  /** Synced passkeys: backup flags set, counter always 0. */
  synced?: boolean;
}

/** Options of a ceremony. All but `origin` make it deviate from a correct one. */
export interface CeremonyOptions {
  /** Origin of the page in which it runs. */
  origin: string;
  /** Another RP ID than in the options. */
  rpId?: string;
  /** False: the authenticator did not verify its user. */
  userVerified?: boolean;
  userPresent?: boolean;
  /** Signs with another key. */
  badSignature?: boolean;
  /** Another challenge than in the options. */
  challenge?: string;
  crossOrigin?: boolean;
  /** `webauthn.create` or `webauthn.get`. */
  type?: string;
  /** Sets the counter. */
  counter?: number;
  /** At registration, by default random. */
  credentialId?: Buffer;
  /** At registration: another COSE key than the one that it signs with. */
  publicKey?: Buffer;
  /** At registration: format and statement of an attestation, by default none. */
  attestation?: [format: string, statement: Map<string, Cbor>];
  /** At authentication: id of the passkey, by default the newest one for the RP ID. */
  passkey?: string;
  /** At authentication: another handle than the registered one. */
  userHandle?: string;
}

export interface AuthenticatorPasskey {
  id: string;
  rpId: string;
  userHandle: string;
  /** As shown when the user selects a passkey. */
  userName: string;
}

interface StoredPasskey extends AuthenticatorPasskey {
  key: PasskeyKey;
  counter: number;
}

interface CreationOptions {
  challenge: string;
  rp: { id?: string };
  user: { id: string; name: string };
  pubKeyCredParams: { alg: number }[];
}

interface RequestOptions {
  challenge: string;
  rpId?: string;
  allowCredentials?: { id: string }[];
}

/**
 * A software authenticator with the browser's part: it responds to the options of a ceremony as `navigator.credentials`
 * would (WebAuthn Level 3 §6), or deviates as requested. It keeps one passkey per RP ID and user handle, as real ones
 * do.
 */
export class SoftwareAuthenticator {
  private stored: StoredPasskey[] = [];
  private readonly options: AuthenticatorOptions;

  // Not a parameter property: the black-box tests run this with types stripped.
  constructor(options: AuthenticatorOptions = {}) {
    this.options = options;
  }

  /** Its passkeys, oldest first. */
  get passkeys(): readonly AuthenticatorPasskey[] {
    return this.stored.map(({ id, rpId, userHandle, userName }) => ({ id, rpId, userHandle, userName }));
  }

  /** PublicKeyCredentialCreationOptionsJSON → RegistrationResponseJSON. */
  register(optionsJson: object, ceremony: CeremonyOptions): Record<string, unknown> {
    const { challenge, rp, user, pubKeyCredParams } = optionsJson as CreationOptions;
    const rpId = rp.id ?? new URL(ceremony.origin).hostname;
    const algorithm =
      this.options.algorithm ?? keyAlgorithms.find((a) => pubKeyCredParams[0]?.alg === coseNumbers[a]) ?? 'ES256';
    const id = ceremony.credentialId ?? randomBytes(16);
    const passkey: StoredPasskey = {
      id: id.toString('base64url'),
      rpId,
      userHandle: user.id,
      userName: user.name,
      key: newKey(algorithm),
      counter: ceremony.counter ?? 0,
    };
    this.stored = [...this.stored.filter((p) => p.rpId !== rpId || p.userHandle !== user.id), passkey];

    const aaguid = Buffer.from((this.options.aaguid ?? '').replaceAll('-', '').padEnd(32, '0'), 'hex');
    const attested = Buffer.concat([aaguid, uint16(id.length), id, ceremony.publicKey ?? passkey.key.cose]);
    const authData = Buffer.concat([this.authenticatorData(rpId, passkey.counter, ceremony, true), attested]);
    const [format, statement] = ceremony.attestation ?? ['none', new Map<string, Cbor>()];
    const attestation = new Map<string, Cbor>([
      ['fmt', format],
      ['attStmt', statement],
      ['authData', authData],
    ]);
    return toResponse(passkey.id, {
      clientDataJSON: clientData('webauthn.create', challenge, ceremony).toString('base64url'),
      attestationObject: encodeCbor(attestation).toString('base64url'),
      transports: ['internal'],
    });
  }

  /** PublicKeyCredentialRequestOptionsJSON → AuthenticationResponseJSON. Throws without a passkey for the RP ID. */
  authenticate(optionsJson: object, ceremony: CeremonyOptions): Record<string, unknown> {
    const {
      challenge,
      rpId = new URL(ceremony.origin).hostname,
      allowCredentials = [],
    } = optionsJson as RequestOptions;
    const matches = (p: StoredPasskey) =>
      p.rpId === rpId &&
      (!ceremony.passkey || p.id === ceremony.passkey) &&
      (allowCredentials.length === 0 || allowCredentials.some((a) => a.id === p.id));
    const passkey = this.stored.findLast(matches);
    if (!passkey) throw new Error(`the authenticator has no passkey for ${rpId}`);
    passkey.counter = ceremony.counter ?? (this.options.synced ? 0 : passkey.counter + 1);

    const data = clientData('webauthn.get', challenge, ceremony);
    const authData = this.authenticatorData(rpId, passkey.counter, ceremony, false);
    const signed = Buffer.concat([authData, sha256(data)]);
    return toResponse(passkey.id, {
      clientDataJSON: data.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: (ceremony.badSignature ? newKey('ES256') : passkey.key).sign(signed).toString('base64url'),
      userHandle: ceremony.userHandle ?? passkey.userHandle,
    });
  }

  /** §6.1: hash of the RP ID, flags, counter. */
  private authenticatorData(rpId: string, counter: number, ceremony: CeremonyOptions, attested: boolean): Buffer {
    const { userPresent = true, userVerified = true } = ceremony;
    const flags =
      (userPresent ? 0x01 : 0) | (userVerified ? 0x04 : 0) | (this.options.synced ? 0x18 : 0) | (attested ? 0x40 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(Buffer.from(ceremony.rpId ?? rpId)), Buffer.from([flags]), count]);
  }
}

/** §5.8.1: the browser's data of the ceremony, which is signed. */
function clientData(type: string, challenge: string, ceremony: CeremonyOptions): Buffer {
  const { origin, crossOrigin = false } = ceremony;
  return Buffer.from(
    JSON.stringify({ type: ceremony.type ?? type, challenge: ceremony.challenge ?? challenge, origin, crossOrigin }),
  );
}

function toResponse(id: string, response: object): Record<string, unknown> {
  return {
    id,
    rawId: id,
    type: 'public-key',
    response,
    clientExtensionResults: {},
    authenticatorAttachment: 'platform',
  };
}

function uint16(n: number): Buffer {
  return Buffer.from([n >> 8, n & 255]);
}

function sha256(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { passkeyUserName } from '@holdfast/platform';
import {
  encodeCbor,
  SoftwareAuthenticator,
  type AuthenticatorOptions,
  type Cbor,
  type CeremonyOptions,
} from '@holdfast/testing';
import {
  authenticationOptions,
  checkCounter,
  readAuthentication,
  verifyAuthentication,
  type StoredPasskey,
} from './authentication.js';
import { providerName } from './provider-name.js';
import { readRegistration, registrationOptions, verifyRegistration } from './registration.js';
import { relyingParty, relyingPartyOf } from './relying-party.js';

Logger.overrideLogger(false);

const rp = relyingParty('https://id.example:8443');
const origin = 'https://id.example:8443';
const handle = randomBytes(32);
const invalid = expect.objectContaining({ code: 'passkey_invalid', status: 422 });

const options = () => registrationOptions(rp, 'Acme', handle, randomBytes(32));
async function register(authenticator: SoftwareAuthenticator, ceremony: Partial<CeremonyOptions> = {}) {
  return verifyRegistration(rp, readRegistration(authenticator.register(await options(), { origin, ...ceremony })));
}
async function signIn(
  authenticator: SoftwareAuthenticator,
  passkey: StoredPasskey,
  ceremony: Partial<CeremonyOptions> = {},
) {
  return verifyAuthentication(
    rp,
    readAuthentication(
      authenticator.authenticate(await authenticationOptions(rp, randomBytes(32)), { origin, ...ceremony }),
    ),
    passkey,
  );
}

describe('the relying party', () => {
  it('has the host and the origin of the base URL', () => expect(rp).toEqual({ id: 'id.example', origin }));
  it('may be a domain above the host', () =>
    expect(relyingParty('https://id.acme.example/', 'acme.example').id).toBe('acme.example'));
  it.each(['other.example', 'd.example', 'x.id.example'])('cannot be %s', (id) =>
    expect(() => relyingParty(origin, id)).toThrow('RP_ID'),
  );
  it('of an organization defaults to the deployment’s', () => {
    expect(relyingPartyOf(rp)).toEqual(rp);
    expect(relyingPartyOf(rp, { rpId: 'acme.example', earlier: {} })).toEqual({
      id: 'acme.example',
      earlierId: 'id.example',
      origin,
    });
    expect(relyingPartyOf(rp, { earlier: { rpId: 'acme.example' } })).toEqual({
      id: 'id.example',
      earlierId: 'acme.example',
      origin,
    });
    expect(relyingPartyOf(rp, { rpId: 'id.example', earlier: {} })).toEqual(rp);
  });
});

describe('options', () => {
  it('of a registration ask for a discoverable, user-verified passkey without attestation', async () => {
    expect(await options()).toMatchObject({
      rp: { id: 'id.example', name: 'Acme' },
      user: { id: handle.toString('base64url'), name: passkeyUserName('Acme', handle), displayName: '' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      pubKeyCredParams: [{ alg: -8 }, { alg: -7 }, { alg: -257 }],
      excludeCredentials: [],
    });
  });

  it('of a sign-in name no passkey', async () => {
    const challenge = randomBytes(32);
    expect(await authenticationOptions(rp, challenge)).toEqual({
      rpId: 'id.example',
      challenge: challenge.toString('base64url'),
      timeout: 600_000,
      userVerification: 'required',
    });
  });
});

describe.each<[string, AuthenticatorOptions]>([
  ['ES256', { algorithm: 'ES256' }],
  ['EdDSA', { algorithm: 'EdDSA' }],
  ['RS256', { algorithm: 'RS256' }],
  ['synced', { synced: true }],
])('a passkey (%s)', (_, given) => {
  it('can be registered and used for several sign-ins', async () => {
    const authenticator = new SoftwareAuthenticator({ ...given, aaguid: 'bada5566-a7aa-401f-bd96-45619a55120d' });
    const passkey = await register(authenticator);
    expect(passkey).toMatchObject({
      deviceType: given.synced ? 'multiDevice' : 'singleDevice',
      backedUp: given.synced ?? false,
      aaguid: 'bada5566-a7aa-401f-bd96-45619a55120d',
      counter: 0,
      transports: ['internal'],
    });
    let counter = passkey.counter;
    for (const expected of given.synced ? [0, 0] : [1, 2]) {
      ({ counter } = await signIn(authenticator, { ...passkey, handle, rpId: 'id.example', counter }));
      expect(counter).toBe(expected);
    }
  });
});

const wrong: [string, Partial<CeremonyOptions>][] = [
  ['another origin', { origin: 'https://evil.example' }],
  ['the same host on another port', { origin: 'https://id.example' }],
  ['another RP ID', { rpId: 'evil.example' }],
  ['an unverified user', { userVerified: false }],
  ['no user', { userPresent: false }],
  ['the type of the other ceremony', { type: 'webauthn.payment' }],
  ['a malformed challenge', { challenge: 'short' }],
  ['an embedded page', { crossOrigin: true }],
];

describe('a registration is rejected with', () => {
  it.each(wrong)('%s', async (_, ceremony) =>
    expect(register(new SoftwareAuthenticator(), ceremony)).rejects.toEqual(invalid),
  );

  it('another credential id than the attested one', async () => {
    const registration = new SoftwareAuthenticator().register(await options(), { origin });
    const renamed = { ...registration, id: 'AAAA', rawId: 'AAAA' };
    await expect(verifyRegistration(rp, readRegistration(renamed))).rejects.toEqual(invalid);
  });
});

// The options ask for none. The statements have the members of their formats (WebAuthn Level 3 §8), and verify nowhere.
describe('a registration with an attestation that nobody asked for', () => {
  const bytes = (size: number) => randomBytes(size);
  const certificates = [bytes(800), bytes(700)];
  const statements: [format: string, members: Record<string, Cbor>][] = [
    ['packed', { alg: -7, sig: bytes(71) }],
    ['packed', { alg: -7, sig: bytes(71), x5c: certificates }],
    ['tpm', { alg: -65535, sig: bytes(256), ver: '2.0', x5c: certificates, pubArea: bytes(310), certInfo: bytes(161) }],
    ['android-key', { alg: -7, sig: bytes(71), x5c: certificates }],
    ['android-safetynet', { ver: '14366018', response: bytes(5000) }],
    ['fido-u2f', { sig: bytes(71), x5c: certificates.slice(0, 1) }],
    ['apple', { x5c: certificates }],
    ['compound', {}],
    ['none', { alg: -7 }],
  ];
  it.each(statements)('of the format %s is accepted without reading it', async (format, members) => {
    const authenticator = new SoftwareAuthenticator();
    const passkey = await register(authenticator, { attestation: [format, new Map(Object.entries(members))] });
    const stored = { ...passkey, handle, rpId: 'id.example' };
    expect((await signIn(authenticator, stored)).counter).toBe(1);
  });

  it('is rejected when anything else is wrong', async () => {
    const attestation = ['apple', new Map([['x5c', certificates]])] as NonNullable<CeremonyOptions['attestation']>;
    for (const [, ceremony] of wrong)
      await expect(register(new SoftwareAuthenticator(), { ...ceremony, attestation })).rejects.toEqual(invalid);
  });
});

describe('a public key that nobody could use, or anybody', () => {
  const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  const [x, y] = [jwk.x, jwk.y].map((member) => Buffer.from(member!, 'base64url')) as [Buffer, Buffer];
  const exponent = Buffer.from([1, 0, 1]);
  const modulus = (bytes: number) => Buffer.concat([Buffer.from([0xc1]), randomBytes(bytes - 2), Buffer.from([1])]);
  const ec = (members: [number, Cbor][] = []) =>
    new Map<number, Cbor>([[1, 2], [3, -7], [-1, 1], [-2, x], [-3, y], ...members]);
  const okp = (members: [number, Cbor][] = []) =>
    new Map<number, Cbor>([[1, 1], [3, -8], [-1, 6], [-2, randomBytes(32)], ...members]);
  const rsa = (n: Buffer, e = exponent) =>
    new Map<number, Cbor>([
      [1, 3],
      [3, -257],
      [-1, n],
      [-2, e],
    ]);
  const registerWith = (key: Map<number, Cbor>) =>
    register(new SoftwareAuthenticator(), { publicKey: encodeCbor(key) });

  it.each<[string, Map<number, Cbor>]>([
    ['EC: a point off the curve', ec([[-3, Buffer.from(y.map((byte, i) => (i === 31 ? byte ^ 1 : byte)))]])],
    [
      'EC: the point at infinity',
      ec([
        [-2, Buffer.alloc(32)],
        [-3, Buffer.alloc(32)],
      ]),
    ],
    [
      'EC: coordinates beyond the field',
      ec([
        [-2, Buffer.alloc(32, 0xff)],
        [-3, Buffer.alloc(32, 0xff)],
      ]),
    ],
    ['EC: a short coordinate', ec([[-2, x.subarray(1)]])],
    ['EC: another curve', ec([[-1, 2]])],
    ['EC: a compressed point', ec([[-3, 1]])],
    ['EC: the type of another algorithm', ec([[1, 1]])],
    ['Ed25519: 31 bytes', okp([[-2, randomBytes(31)]])],
    ['Ed25519: 33 bytes', okp([[-2, randomBytes(33)]])],
    ['Ed25519: nothing', okp([[-2, Buffer.alloc(0)]])],
    ['Ed25519: another curve', okp([[-1, 4]])],
    ['RSA: n = 1', rsa(Buffer.from([1]))],
    ['RSA: 1024 bits', rsa(modulus(128))],
    ['RSA: 4104 bits', rsa(modulus(513))],
    ['RSA: 16,384 bits', rsa(modulus(2048))],
    ['RSA: e = 1', rsa(modulus(256), Buffer.from([1]))],
    ['RSA: an even exponent', rsa(modulus(256), Buffer.from([1, 0, 0]))],
    ['RSA: an exponent of 64 bits', rsa(modulus(256), Buffer.alloc(8, 0xff))],
    [
      'an algorithm that was not requested',
      new Map<number, Cbor>([
        [1, 2],
        [3, -35],
        [-1, 2],
        [-2, randomBytes(48)],
        [-3, randomBytes(48)],
      ]),
    ],
    [
      'no key type',
      new Map<number, Cbor>([
        [3, -7],
        [-1, 1],
        [-2, x],
        [-3, y],
      ]),
    ],
    ['padded with a member of a kilobyte', ec([[-700, randomBytes(1024)]])],
  ])('is rejected at registration (%s)', async (_, key) => {
    await expect(registerWith(key)).rejects.toEqual(invalid);
  });

  it.each<[string, Map<number, Cbor>]>([
    ['EC', ec()],
    ['Ed25519', okp()],
    ['RSA with 2048 bits', rsa(modulus(256))],
    ['RSA with 4096 bits', rsa(modulus(512))],
  ])('is none that authenticators create (%s)', async (_, key) => {
    await expect(registerWith(key)).resolves.toMatchObject({ publicKey: encodeCbor(key) });
  });
});

describe('an assertion is rejected with', () => {
  it.each([
    ...wrong,
    ['a signature of another key', { badSignature: true }],
    ["another customer's handle", { userHandle: randomBytes(32).toString('base64url') }],
  ] as typeof wrong)('%s', async (_, ceremony) => {
    const authenticator = new SoftwareAuthenticator();
    const passkey = await register(authenticator);
    await expect(
      signIn(authenticator, { ...passkey, handle, rpId: 'id.example', counter: 5 }, { counter: 6, ...ceremony }),
    ).rejects.toEqual(invalid);
    await expect(
      signIn(authenticator, { ...passkey, handle, rpId: 'id.example', counter: 5 }, { counter: 6 }),
    ).resolves.toMatchObject({ counter: 6 });
  });

  it('a passkey of an RP ID that is not accepted, but not with one of the earlier RP ID', async () => {
    const authenticator = new SoftwareAuthenticator();
    const passkey = { ...(await register(authenticator)), handle, rpId: 'id.example' };
    const moved = relyingPartyOf(rp, { rpId: 'acme.example' });
    const moving = relyingPartyOf(rp, { rpId: 'acme.example', earlier: {} });
    const signedIn = async () =>
      readAuthentication(authenticator.authenticate(await authenticationOptions(rp, randomBytes(32)), { origin }));
    await expect(verifyAuthentication(moved, await signedIn(), passkey)).rejects.toEqual(invalid);
    await expect(verifyAuthentication(moving, await signedIn(), passkey)).resolves.toMatchObject({ backedUp: false });
    // It was created for one RP ID, so a signature for the new one is not accepted.
    await expect(
      verifyAuthentication(
        moving,
        readAuthentication(
          authenticator.authenticate(
            { ...(await authenticationOptions(rp, randomBytes(32))) },
            { origin, rpId: 'acme.example' },
          ),
        ),
        passkey,
      ),
    ).rejects.toEqual(invalid);
  });

  it('another backup eligibility than at its creation', async () => {
    const authenticator = new SoftwareAuthenticator();
    const passkey = await register(authenticator);
    await expect(
      signIn(authenticator, { ...passkey, handle, rpId: 'id.example', deviceType: 'multiDevice' }),
    ).rejects.toEqual(invalid);
  });

  it('no user handle', () => {
    expect(() =>
      readAuthentication({
        id: 'AAAA',
        rawId: 'AAAA',
        type: 'public-key',
        response: { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' },
      }),
    ).toThrow(invalid);
  });
});

it('rejects malformed responses', async () => {
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.record({ id: fc.string(), rawId: fc.string(), type: fc.constant('public-key'), response: fc.jsonValue() }),
  );
  fc.assert(
    fc.property(anything, (json) => {
      expect(() => readRegistration(json)).toThrow(invalid);
      expect(() => readAuthentication(json)).toThrow(invalid);
    }),
  );
  // With any single byte of the attestation changed it is rejected or, if the byte belongs to the key or id, another
  // key. It never fails with an internal error.
  const registration = new SoftwareAuthenticator().register(await options(), { origin }) as {
    response: { attestationObject: string };
  };
  const bytes = Buffer.from(registration.response.attestationObject, 'base64url');
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
      const changed = Buffer.from(bytes);
      changed[at]! ^= by;
      const result = await verifyRegistration(
        rp,
        readRegistration({
          ...registration,
          response: { ...registration.response, attestationObject: changed.toString('base64url') },
        }),
      ).catch((e: { code?: string }) => e);
      expect(result).toEqual(
        expect.objectContaining('code' in result ? { code: 'passkey_invalid' } : { credentialId: expect.any(String) }),
      );
    }),
  );
});

describe('a counter', () => {
  const check = (deviceType: StoredPasskey['deviceType'], stored: number, received: number) =>
    checkCounter({ deviceType, counter: stored }, received);
  const anyDevice = fc.constantFrom<StoredPasskey['deviceType'][]>('singleDevice', 'multiDevice');

  it('increases, or stays at 0', () => {
    fc.assert(
      fc.property(anyDevice, fc.nat(), fc.nat(), (device, stored, received) => {
        const expected = received > stored || (received === 0 && stored === 0);
        expect(check(device, stored, received) === 'increased').toBe(expected);
      }),
    );
  });

  it('that went back to another value than 0 is refused for a passkey that is bound to its device', () => {
    fc.assert(
      fc.property(anyDevice, fc.integer({ min: 1 }), fc.nat(), (device, stored, below) => {
        const received = Math.max(0, stored - below);
        const refused = device === 'singleDevice' && received > 0;
        expect(check(device, stored, received)).toBe(refused ? 'went_back' : 'tolerated');
      }),
    );
  });

  it('is compared for a response that is right otherwise', async () => {
    const stored = async (authenticator: SoftwareAuthenticator) => ({
      ...(await register(authenticator)),
      handle,
      rpId: 'id.example',
      counter: 5,
    });
    const bound = new SoftwareAuthenticator();
    const synced = new SoftwareAuthenticator({ synced: true });
    const results = [];
    for (const authenticator of [bound, synced])
      for (const counter of [6, 5, 3, 0])
        results.push((await signIn(authenticator, await stored(authenticator), { counter })).counterCheck);
    expect(results).toEqual([
      ...['increased', 'went_back', 'went_back', 'tolerated'],
      ...['increased', 'tolerated', 'tolerated', 'tolerated'],
    ]);
  });
});

it('returns the names of known providers', () => {
  expect(providerName('fbfc3007-154e-4ecc-8c0b-6e020557d7bd')).toBe('iCloud Keychain');
  expect(providerName('00000000-0000-0000-0000-000000000000')).toBeUndefined();
  expect(providerName('constructor')).toBeUndefined();
});

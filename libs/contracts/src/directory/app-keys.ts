import { z } from 'zod';

/** How a confidential app authenticates at token endpoints; public apps do not. */
export const authMethods = ['client_secret_basic', 'private_key_jwt'] as const;
export const accessTokenFormats = ['opaque', 'jwt'] as const;

/** Signature algorithms of client assertions and DPoP proofs. All are asymmetric: `none` and HS* are refused. */
export const proofAlgorithms = ['EdDSA', 'Ed25519', 'ES256', 'PS256', 'RS256'] as const;

const part = (description: string) => z.string().max(1400).optional().describe(description);
/** The members of a public key that are stored. Others, such as certificates, are left out. */
const storedJwk = z.strictObject({
  kty: z.enum(['OKP', 'EC', 'RSA']).describe('Kind of key'),
  kid: part('Its id, which assertions name'),
  alg: part('The one algorithm that it is for'),
  crv: part('Curve of an OKP or EC key'),
  x: part('X coordinate'),
  y: part('Y coordinate of an EC key'),
  n: part('Modulus of an RSA key'),
  e: part('Exponent of an RSA key'),
});
export type PublicJwk = z.infer<typeof storedJwk>;

const maxKeys = 10;
const storedJwks = z.strictObject({ keys: z.array(storedJwk).min(1).max(maxKeys).describe('The keys') });
/**
 * Any members pass the schema: the handler says what is wrong with a key, and above all that a private one must not be
 * sent.
 */
const givenJwks = z.strictObject({
  keys: z
    .array(z.record(z.string().max(100), z.json()))
    .min(1)
    .max(maxKeys)
    .describe('The keys, without private members'),
});
/** Fetched by auth only. Whether the address may be called is checked at registration and at every call. */
const jwksUri = z
  .string()
  .max(2000)
  .refine((text) => URL.canParse(text) && !/[\s\p{Cc}#]/u.test(text), 'must be a whole https address')
  .meta({ format: 'uri' });

const about = {
  tokenEndpointAuthMethod:
    'How it authenticates at token endpoints: with a client secret, or with a key of its own (RFC 7523); public apps ' +
    'have none',
  jwks: 'Public keys (RFC 7517) that verify its client assertions',
  jwksUri: 'Where auth fetches these keys instead',
  requireDpop: 'Whether it gets only tokens that are bound to a key of it (RFC 9449)',
  accessTokenFormat: "Format of the access tokens from its organization's issuer: `jwt` is RFC 9068",
};

/** Members of an app about its keys and tokens. */
export const appKeyFields = {
  tokenEndpointAuthMethod: z.enum(authMethods).optional().describe(about.tokenEndpointAuthMethod),
  jwks: storedJwks.optional().describe(about.jwks),
  jwksUri: z.string().optional().describe(about.jwksUri),
  requireDpop: z.boolean().optional().describe(about.requireDpop),
  accessTokenFormat: z.enum(accessTokenFormats).optional().describe(about.accessTokenFormat),
};

/** The same in a command that creates or changes an app. */
export const newAppKeyFields = {
  tokenEndpointAuthMethod: z.enum(authMethods).optional().describe(about.tokenEndpointAuthMethod),
  jwks: givenJwks.optional().describe(about.jwks),
  jwksUri: jwksUri.optional().describe(about.jwksUri),
  requireDpop: z.boolean().optional().describe(about.requireDpop),
  accessTokenFormat: z.enum(accessTokenFormats).optional().describe(about.accessTokenFormat),
};

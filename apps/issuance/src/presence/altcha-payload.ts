import { z } from 'zod';

const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`));

/** What a challenge is signed for. All of it is in the open, and none of it can be changed. */
const bindingSchema = z.strictObject({
  answer: hex(32),
  client_id: z.string(),
  id: z.string(),
  org: z.string(),
  purpose: z.literal('offer'),
});

const parametersSchema = z.strictObject({
  algorithm: z.literal('PBKDF2/SHA-256'),
  cost: z.int(),
  data: bindingSchema,
  /** Unix time, in seconds. */
  expiresAt: z.int(),
  keyLength: z.int(),
  keyPrefix: z.string(),
  keySignature: hex(32),
  nonce: z.string(),
  salt: z.string(),
});
export type ChallengeParameters = z.output<typeof parametersSchema>;

/** As the ALTCHA widget sends it. `time` is what the browser says that it took; nothing depends on it. */
const payloadSchema = z.strictObject({
  challenge: z.strictObject({ parameters: parametersSchema, signature: hex(32) }),
  solution: z.strictObject({
    counter: z.int().min(0).max(0xffff_ffff),
    derivedKey: hex(32),
    time: z.number().optional(),
  }),
});
export type AltchaPayload = z.output<typeof payloadSchema>;

/**
 * Base64 of JSON (RFC 4648 §4) with these members and no others; undefined for all else, one changed letter included.
 */
export function readPayload(text: string): AltchaPayload | undefined {
  const bytes = Buffer.from(text, 'base64');
  // Node.js passes over what is no base64.
  if (bytes.toString('base64') !== text) return undefined;
  const json = bytes.toString('utf8');
  // Changed padding would read as a blank at the end.
  if (!json.endsWith('}')) return undefined;
  try {
    return payloadSchema.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}

/** What the signature is over: the members in the order of their names, at both levels, as altcha-lib writes them. */
export function signedText({ data, ...rest }: ChallengeParameters): string {
  const sorted = (object: object) => Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify(sorted({ ...rest, data: sorted(data) }));
}

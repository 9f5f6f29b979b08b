import { z } from 'zod';

const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`));

/** What a challenge is bound to. The members are public, and signed. */
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

/** As the ALTCHA widget sends it. `time` is the duration as the browser measured it; nothing depends on it. */
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
 * Reads Base64 of JSON (RFC 4648 §4) with these members and no others. Undefined for everything else, so that no second
 * text stands for the same payload.
 */
export function readPayload(text: string): AltchaPayload | undefined {
  const bytes = Buffer.from(text, 'base64');
  // Node.js ignores characters that are not Base64.
  if (bytes.toString('base64') !== text) return undefined;
  const json = bytes.toString('utf8');
  // Changed padding would add a blank at the end, which JSON allows.
  if (!json.endsWith('}')) return undefined;
  try {
    return payloadSchema.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}

/** The text that is signed: the members in the order of their names, at both levels, as altcha-lib writes them. */
export function signedText({ data, ...rest }: ChallengeParameters): string {
  const sorted = (object: object) => Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify(sorted({ ...rest, data: sorted(data) }));
}

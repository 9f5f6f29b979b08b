import { z } from 'zod';
import { instant, uuid } from '../fields.js';
import { makerSchema } from '../maker.js';
import { formula } from '../readable-text.js';
import { roleNames } from '../roles.js';

/**
 * The pattern of `<input type=email>` (HTML, "valid e-mail address"): ASCII only, so no two addresses look alike. RFC
 * 5321 §4.5.3.1 limits the local part to 64 characters, and an address to 254.
 */
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const emailPattern = new RegExp(`^[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~-]{1,64}@${label}(?:\\.${label})*$`);

export const personEmail = z
  .string()
  .max(254, 'must have 254 characters at most')
  .regex(emailPattern, 'must be an e-mail address of ASCII characters')
  .refine((email) => !formula.test(email), 'must not begin with =, + or -')
  .meta({ examples: ['ann@example.com'] });

/**
 * Control characters, invisible ones and those that change the direction of text (all but the two that join letters),
 * separators of lines and paragraphs, and code points that are no characters.
 */
const forbiddenInNames = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/u;

export const personName = z
  .string()
  .max(1000, 'must have 200 characters at most')
  .trim()
  .normalize('NFC')
  .min(1, 'must not be empty')
  .max(200, 'must have 200 characters at most')
  .refine((name) => !forbiddenInNames.test(name), 'must have no control, formatting or invisible characters')
  .refine((name) => /[\p{L}\p{N}]/u.test(name), 'must have a letter or digit')
  .refine((name) => !formula.test(name), 'must not begin with =, +, @ or -')
  .meta({ examples: ['Ann Lee'] });

export const personRoles = z
  .array(z.enum(roleNames))
  .max(roleNames.length)
  .refine((roles) => new Set(roles).size === roles.length, 'must name each role once');

export const personStatuses = ['invited', 'active', 'deactivated'] as const;

/** A person of the organization, as the Admin API shows them. */
export const userSchema = z
  .strictObject({
    id: uuid.describe('The person'),
    email: z.string().describe('E-mail address; unique in the organization, whatever its case'),
    name: z.string().describe('Their name'),
    status: z
      .enum(personStatuses)
      .describe('`invited`: they have not accepted their invitation yet; `deactivated`: they cannot sign in'),
    roles: z.array(z.enum(roleNames)).describe('Sorted as in the table of roles'),
    createdAt: instant.describe('When they were invited'),
    lastSignInAt: instant.optional().describe('Absent before their first sign-in'),
    invitation: z
      .strictObject({
        expiresAt: instant.describe('When the link expires'),
        recovery: z.boolean().describe('Accepting it replaces all passkeys of the person'),
        issuedBy: makerSchema.optional().describe('Who issued it; the link ends when they could not issue it any more'),
      })
      .optional()
      .describe('The open invitation link, which may have expired; absent when there is none'),
  })
  .meta({ id: 'User' });
export type User = z.infer<typeof userSchema>;

/** The name of a passkey, which its person or an administrator chose. */
export const passkeyName = z
  .string()
  .max(200, 'must have 60 characters at most')
  .trim()
  .normalize('NFC')
  .min(1, 'must not be empty')
  .max(60, 'must have 60 characters at most')
  .refine((name) => !forbiddenInNames.test(name), 'must have no control, formatting or invisible characters')
  .refine((name) => !formula.test(name), 'must not begin with =, +, @ or -')
  .meta({ examples: ['Work laptop'] });

export const passkeySchema = z
  .strictObject({
    id: uuid.describe('The passkey'),
    name: z.string().describe("At first that of the passkey's provider, if it is known"),
    synced: z.boolean().describe('Whether the provider may copy it to other devices'),
    createdAt: instant.describe('When it was added'),
    lastUsedAt: instant.optional().describe('Absent before its first sign-in'),
  })
  .meta({ id: 'UserPasskey' });
export type UserPasskey = z.infer<typeof passkeySchema>;

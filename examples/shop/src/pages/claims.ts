import type { SignedIn } from '../holdfast/sign-in.ts';
import { formatTime } from '../server/views.ts';

const meanings: Record<string, string> = {
  iss: 'The issuer: your organization at Holdfast.',
  sub: 'You: a random identifier that never changes. An account is stored under iss and sub.',
  'credential.id': 'Your credential. It stays the same when it is renewed.',
  'credential.type': 'The credential type. This shop signs in customers with a credential of this type.',
  'credential.document_number': 'Changes on every renewal, so nothing may be stored under it.',
  'credential.issued_at': 'When it was first issued to you.',
  'credential.expires_at': 'When it expires, unless it is renewed.',
  email: 'Your e-mail address, which can change.',
  name: 'Your name.',
  groups: 'The groups of the organization that you are in. An app can decide by them what you may do.',
  acr: 'How strong the sign-in was: with a passkey.',
  amr: 'How you proved that it was you.',
  auth_time: 'When you signed in.',
};

interface ClaimRow {
  name: string;
  value: string;
  meaning: string | undefined;
}

/** The claims that the shop shows, each with its meaning. Customers have a credential; staff have name and groups. */
export function claimRows({ claims }: SignedIn): ClaimRow[] {
  const { iss, sub, email, name, groups, credential, acr, amr, auth_time: authTime } = claims;
  const values: Record<string, unknown> = {
    iss,
    sub,
    email,
    name,
    groups,
    ...Object.fromEntries(Object.entries(credential ?? {}).map(([key, value]) => [`credential.${key}`, value])),
    acr,
    amr,
    auth_time: typeof authTime === 'number' ? formatTime(new Date(authTime * 1000).toISOString()) : undefined,
  };
  return Object.entries(values).flatMap(([key, value]) => {
    const text = Array.isArray(value) ? value.join(', ') : value;
    return typeof text === 'string' ? { name: key, value: text, meaning: meanings[key] } : [];
  });
}

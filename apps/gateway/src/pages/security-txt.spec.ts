import { describe, expect, it } from '@jest/globals';
import { configSchema } from '../config.js';
import { securityTxt } from './security-txt.js';

const { SECURITY_CONTACT, SECURITY_EXPIRES } = configSchema.shape;
const now = new Date('2026-11-21T09:30:00.000Z');
const fileOf = (contact: string | undefined, expires?: string) =>
  securityTxt(
    {
      BASE_URL: 'https://id.example',
      SECURITY_CONTACT: SECURITY_CONTACT.parse(contact),
      SECURITY_EXPIRES: SECURITY_EXPIRES.parse(expires),
    },
    now,
  );

describe('security.txt', () => {
  it('names each contact in its order, and expires in 30 days', () => {
    expect(fileOf('mailto:security@id.example, https://id.example/report')).toBe(
      [
        'Contact: mailto:security@id.example',
        'Contact: https://id.example/report',
        'Expires: 2026-12-21T00:00:00Z',
        'Preferred-Languages: en',
        'Canonical: https://id.example/.well-known/security.txt',
        '',
      ].join('\n'),
    );
  });

  it('expires when the operator says', () => {
    expect(fileOf('mailto:a@id.example', '2027-01-01T00:00:00Z')).toContain('\nExpires: 2027-01-01T00:00:00Z\n');
  });

  it('does not exist without a contact', () => {
    expect(fileOf(undefined)).toBeUndefined();
    expect(fileOf('')).toBeUndefined();
  });

  it.each([
    'security@id.example',
    'http://id.example',
    'mailto:',
    'mailto:a@b\nPolicy: https://x.example',
    'javascript:1',
  ])('refuses the contact %j', (contact) => {
    expect(SECURITY_CONTACT.safeParse(contact).success).toBe(false);
  });
});

import { describe, expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '@holdfast/platform';
import { ClaimBrowser } from './claim-browser.js';

const browser = new ClaimBrowser('https://id.example', 'claim');
const secret = 'A'.repeat(43);
const hash = sha256(secret).toString('base64url');

const requestWith = (cookie?: string) => ({ headers: { cookie } }) as FastifyRequest;

function begin(request: FastifyRequest, of = browser): { hash: string; cookie: string } {
  let cookie = '';
  const reply = { header: (_name: string, value: string) => void (cookie = value) } as unknown as FastifyReply;
  return { hash: of.begin(request, reply, 'acme'), cookie };
}

describe('ClaimBrowser', () => {
  it('sets a cookie that scripts, other sites and subdomains cannot use', () => {
    expect(begin(requestWith()).cookie).toMatch(
      /^__Host-holdfast-acme-claim=[\w-]{43}; Path=\/; Max-Age=900; HttpOnly; SameSite=Strict; Secure$/,
    );
  });

  it('sets a cookie that works without TLS at a base URL without TLS', () => {
    expect(begin(requestWith(), new ClaimBrowser('http://localhost:3000', 'claim')).cookie).toMatch(
      /^holdfast-acme-claim=[\w-]{43}; Path=\/; Max-Age=900; HttpOnly; SameSite=Strict$/,
    );
  });

  it('returns the hash of the secret at both ends of a ceremony', () => {
    const { hash: first, cookie } = begin(requestWith());
    expect(browser.end(requestWith(cookie.split(';')[0]), 'acme')).toBe(first);
    expect(cookie).not.toContain(first);
  });

  it('keeps the secret of a browser that begins again', () => {
    const begun = begin(requestWith(`theme=dark; __Host-holdfast-acme-claim=${secret}`));
    expect(begun.hash).toBe(hash);
    expect(begun.cookie).toContain(`=${secret};`);
  });

  it.each([
    ['no cookie', undefined],
    ['the cookie of another organization', `__Host-holdfast-globex-claim=${secret}`],
    ['a cookie without the prefix', `holdfast-acme-claim=${secret}`],
    ['a secret of another form', '__Host-holdfast-acme-claim=short'],
    ['two cookies', `__Host-holdfast-acme-claim=${secret}; __Host-holdfast-acme-claim=${'B'.repeat(43)}`],
  ])('returns no hash for %s', (_, cookie) => {
    expect(browser.end(requestWith(cookie), 'acme')).toBeUndefined();
  });
});

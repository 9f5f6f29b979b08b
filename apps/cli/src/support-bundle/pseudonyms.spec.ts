import { expect, test } from '@jest/globals';
import { Pseudonyms } from './pseudonyms.js';

const pseudonyms = new Pseudonyms(['nats://bus-1.internal:4222,bus-2.internal', 'postgres://u:p@db.internal/x']);
const id = '7d8f3a52-4a0e-4f0b-9d0c-2f6b1c9e5a34';

test.each([
  ['the id of a customer or person', id],
  ['the id of an app', 'app_2VwAbCdEfGhIjKlMnOpQrS'],
  ['the id of a secret', 'sec_2VwAbCdEfGhIjKlMnOpQrS'],
  ['an e-mail address', 'ann.lee+work@example.com'],
  ['a URL with a password', 'postgres://owner:s3cret@10.1.2.3:5432/holdfast?sslmode=require'],
  ['a claim link', 'https://id.example.com/o/acme/claim#AbC_d-3'],
  ['an IPv4 address', '10.20.30.40'],
  ['an IPv6 address', 'fd00:12::7'],
  ['a host of NATS', 'bus-2.internal'],
  ['the host of PostgreSQL', 'db.internal'],
])('replaces %s', (_, value) => {
  const text = pseudonyms.in(`connect to ${value} failed, "${value}"`);
  expect(text).not.toContain(value);
  expect(text).toMatch(/^connect to <\w+:[0-9a-f]{12}> failed, "<\w+:[0-9a-f]{12}>"$/);
});

test('equal values are equal in a bundle, and differ in another', () => {
  const [one, two] = [pseudonyms.in(id), pseudonyms.in(`again ${id}`)];
  expect(two).toBe(`again ${one}`);
  expect(new Pseudonyms([]).in(id)).not.toBe(one);
});

test.each([
  'nats-server 2.10.27 responds in 0.4 ms',
  'issuance lacks Create1763700000000',
  '2026-11-23T00:30:20.123Z',
  'holdfast_http_requests_total{route="/o/{shortId}/api/credentials/offers",status="201"} 12',
  'process_cpu_seconds_total 1.25e-7 1763857820123',
  'at 12:34:56',
])('leaves %s as it is', (text) => expect(pseudonyms.in(text)).toBe(text));

test('replaces the organizations of metrics, and nothing else of them', () => {
  const text = 'holdfast_http_requests_total{status="200",organization="acme"} 7\nx{organization="other"} 1\n';
  expect(pseudonyms.inMetrics(text).replace(/<organization:[0-9a-f]{12}>/, 'replaced')).toBe(
    text.replace('acme', 'replaced'),
  );
});

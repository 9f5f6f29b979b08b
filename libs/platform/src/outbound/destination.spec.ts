import { describe, expect, test } from '@jest/globals';
import { requireDestination } from './destination.js';

const rules = { allow: ['http://localhost:8090', 'https://10.0.0.7:9443'], ports: [443, 8443] };
const resultOf = (url: string) => {
  try {
    return requireDestination(url, rules).href;
  } catch (error) {
    return (error as Error).message;
  }
};

describe('rejected without a lookup', () => {
  test.each([
    'https://127.0.0.1/',
    'https://127.0.0.1./',
    'https://2130706433/',
    'https://017700000001/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://①②⑦.0.0.1/',
    'https://0/',
    'https://[::1]/',
    'https://[::ffff:169.254.169.254]/',
    'https://[::ffff:a9fe:a9fe]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[fd00::1]/',
    'https://[2002:7f00:1::]/',
    'https://[::]/',
    'https://169.254.169.254/latest/meta-data',
    'https://100.64.0.1/',
    'https://192.0.2.1/',
    'https://0.0.0.0/',
    'https://10.0.0.7/',
    'https://10.0.0.7:8443/',
  ])('%s is not public', (url) =>
    expect(resultOf(url)).toBe('address not allowed: it is not an address of the public internet.'),
  );

  test.each([
    'https://localhost/',
    'https://LOCALHOST/',
    'https://localhost./',
    'https://a.localhost/',
    'https://db/',
    'https://db./',
    'https://metadata.google.internal/',
    'https://printer.local/',
    'https://nas.home.arpa./',
    'https://postgres.holdfast.svc/',
    'https://postgres.holdfast.svc./',
    'https://postgres.holdfast.svc.cluster.local/',
    'https://postgres.holdfast.svc.prod.example/',
    'https://db.service.consul/',
    'https://fritz.box.lan/',
    'https://wiki.corp/',
    'https://1.0.0.127.in-addr.arpa/',
    'https://../',
    'https://.../',
    'https://db../',
  ])('%s is a name of a network', (url) => expect(resultOf(url)).toContain('inside of a network'));

  test.each([
    ['http://shop.example/', 'https'],
    ['ftp://shop.example/', 'https'],
    ['file:///etc/passwd', 'https'],
    ['javascript:alert(1)', 'https'],
    ['https://shop.example:22/', 'port must be 443 or 8443'],
    ['https://shop.example:80/', 'port'],
    ['https://user@shop.example/', 'user name'],
    ['https://user:secret@shop.example/', 'user name'],
    ['https://shop.example@10.0.0.1/', 'user name'],
    ['https://[fe80::1%25eth0]/', 'not a URL'],
    ['shop.example', 'not a URL'],
    ['', 'not a URL'],
    ['http://localhost:8091/', 'https'],
    ['http://localhost/', 'https'],
    ['http://127.0.0.1:8090/', 'https'],
    ['https://10.0.0.7:9444/', 'port'],
    ['http://user@localhost:8090/', 'user name'],
  ])('%s', (url, why) => expect(resultOf(url)).toContain(why));

  test.each(['https://shop.example./', 'https://shop..example/', 'https://.shop.example/', 'https://shop.example../'])(
    '%s has an empty label',
    (url) => expect(resultOf(url)).toMatch(/dot|not a URL/),
  );

  test('the error does not contain the URL', () =>
    expect(resultOf('https://user:secret@shop.example/')).not.toContain('secret'));
});

describe('with all loopback addresses allowed', () => {
  const check = (url: string) => () => requireDestination(url, { ...rules, loopback: true });

  test.each([
    'http://localhost:3000/logged-out',
    'https://localhost:3001/',
    'http://127.0.0.1:9/keys',
    'http://127.8.9.10/',
    'http://[::1]:8090/',
    'http://2130706433:81/',
  ])('%s may be called', (url) => expect(check(url)).not.toThrow());

  test.each([
    'http://localhost.:3000/',
    'http://a.localhost:3000/',
    'http://localhost.example:3000/',
    'http://10.0.0.8/',
    'http://169.254.169.254/latest/meta-data',
    'http://0.0.0.0:3000/',
    'http://[::ffff:127.0.0.1]:3000/',
    'http://user@localhost:3000/',
    'ftp://localhost/',
  ])('%s may not', (url) => expect(check(url)).toThrow('address not allowed'));
});

test.each([
  'https://shop.example/logout?x=1',
  'https://shop.example:8443/',
  'https://8.8.8.8/',
  'https://[2606:4700::1111]/',
  'http://localhost:8090/acme/logout',
  'https://10.0.0.7:9443/x',
])('%s may be called', (url) => expect(resultOf(url)).toBe(url));

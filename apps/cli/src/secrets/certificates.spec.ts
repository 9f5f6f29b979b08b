import { X509Certificate } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { describe, expect, test } from '@jest/globals';
import { createCertificates } from './certificates.js';
import { memoryStore } from './memory-store.fixture.js';

const dayMs = 86_400_000;
const now = new Date();
const later = (days: number) => new Date(now.getTime() + days * dayMs);
const wanted = [
  { component: 'auth', names: ['holdfast-auth', 'holdfast-auth.prod.svc'] },
  { component: 'gateway', names: ['holdfast-gateway'] },
];

describe('the certificates of a deployment', () => {
  test('let gateway and auth verify each other', async () => {
    const store = memoryStore();
    const names = ['hf-ca', 'hf-auth-tls', 'hf-gateway-tls'];
    expect(await createCertificates(store, 'hf', wanted, 90)).toEqual(names);
    const [auth, gateway] = ['hf-auth-tls', 'hf-gateway-tls'].map(store.secret) as [
      Record<string, string>,
      Record<string, string>,
    ];
    const options = (own: Record<string, string>) => ({ ca: own['ca.crt'], cert: own['tls.crt'], key: own['tls.key'] });
    const server = createServer({ ...options(auth), requestCert: true, rejectUnauthorized: true });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const handshake = (more: object) =>
      new Promise<string>((resolve) => {
        const accepted = new Promise<TLSSocket>((done) => server.once('secureConnection', done));
        const refused = new Promise<Error>((done) => server.once('tlsClientError', done));
        const socket = connect({ host: '127.0.0.1', port, servername: 'holdfast-auth', ca: auth['ca.crt'], ...more });
        socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
        void Promise.race([accepted.then(() => 'accepted'), refused.then(() => 'refused')]).then(resolve);
      });
    expect(await handshake(options(gateway))).toBe('accepted');
    expect(await handshake({})).toBe('refused');
    expect(await handshake({ ...options(gateway), servername: 'other' })).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    server.close();
  });

  test('stay the same while more than a third of their lifetime is left', async () => {
    const store = memoryStore();
    await createCertificates(store, 'hf', wanted, 90, now);
    const before = store.secret('hf-auth-tls');
    expect(await createCertificates(store, 'hf', wanted, 90, later(59))).toEqual([]);
    expect(store.secret('hf-auth-tls')).toEqual(before);
  });

  test('are renewed by the same CA when less is left', async () => {
    const store = memoryStore();
    await createCertificates(store, 'hf', wanted, 90, now);
    const ca = store.secret('hf-ca');
    expect(await createCertificates(store, 'hf', wanted, 90, later(61))).toEqual(['hf-auth-tls', 'hf-gateway-tls']);
    const renewed = new X509Certificate(store.secret('hf-auth-tls')['tls.crt']!);
    expect(renewed.verify(new X509Certificate(ca['ca.crt']!).publicKey)).toBe(true);
    expect(renewed.validToDate.getTime()).toBeGreaterThan(later(150).getTime());
    expect(store.secret('hf-ca')).toEqual(ca);
  });

  test('are renewed when a name is added', async () => {
    const store = memoryStore();
    await createCertificates(store, 'hf', wanted, 90, now);
    const more = [{ component: 'gateway', names: ['holdfast-gateway', 'another'] }];
    expect(await createCertificates(store, 'hf', more, 90, now)).toEqual(['hf-gateway-tls']);
    expect(new X509Certificate(store.secret('hf-gateway-tls')['tls.crt']!).subjectAltName).toContain('DNS:another');
  });
});

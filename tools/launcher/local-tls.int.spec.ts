import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { prepareTls, spkiOf, trustedFile } from './local-tls.ts';

const newFolder = (): string => mkdtempSync(join(process.env.TEST_TMP ?? '', 'tls-'));
const certificateIn = (file: string): X509Certificate => new X509Certificate(readFileSync(file));
const baseUrl = 'https://id.example.test:8443';

test('the certificate is for the host and this machine, and its CA has signed it', async () => {
  const tls = (await prepareTls(newFolder(), baseUrl, {}))!;
  const certificate = certificateIn(tls.certFile);
  expect(['id.example.test', 'localhost'].map((name) => certificate.checkHost(name))).not.toContain(undefined);
  expect(['127.0.0.1', '::1'].map((address) => certificate.checkIP(address))).not.toContain(undefined);
  expect(certificate.checkHost('other.example.test')).toBeUndefined();
  const authority = certificateIn(tls.caFile!);
  expect([certificate.verify(authority.publicKey), certificate.ca, authority.ca]).toEqual([true, false, true]);
  expect(Buffer.from(spkiOf(tls.caFile!), 'base64')).toHaveLength(32);
});

test('only their owner can read the keys', async () => {
  const folder = newFolder();
  await prepareTls(folder, baseUrl, {});
  expect(['ca.key', 'server.key'].map((name) => statSync(join(folder, name)).mode & 0o077)).toEqual([0, 0]);
});

test('the next start uses the same files, and another host gets a certificate of the same CA', async () => {
  const folder = newFolder();
  const first = (await prepareTls(folder, baseUrl, {}))!;
  const [certificate, authority] = [first.certFile, first.caFile!].map((file) => readFileSync(file, 'utf8'));
  await prepareTls(folder, baseUrl, {});
  expect(readFileSync(first.certFile, 'utf8')).toBe(certificate);
  await prepareTls(folder, 'https://login.example.test', {});
  expect(certificateIn(first.certFile).checkHost('login.example.test')).toBe('login.example.test');
  expect(readFileSync(first.caFile!, 'utf8')).toBe(authority);
});

test('a lost or foreign CA gets another certificate, so that both belong together', async () => {
  const folder = newFolder();
  const { caFile, certFile } = (await prepareTls(folder, baseUrl, {}))!;
  const other = (await prepareTls(newFolder(), baseUrl, {}))!;
  writeFileSync(caFile!, readFileSync(other.caFile!));
  writeFileSync(join(folder, 'ca.key'), readFileSync(other.caFile!.replace(/crt$/, 'key')));
  await prepareTls(folder, baseUrl, {});
  expect(certificateIn(certFile).verify(certificateIn(caFile!).publicKey)).toBe(true);
});

test('a certificate of the user is used, and refused when it is for another host or without its key', async () => {
  const { certFile, keyFile } = (await prepareTls(newFolder(), baseUrl, {}))!;
  const own = { HTTP_CERT_FILE: certFile, HTTP_KEY_FILE: keyFile };
  const folder = newFolder();
  expect(await prepareTls(folder, baseUrl, own)).toEqual({ certFile, keyFile, caFile: undefined });
  await expect(prepareTls(folder, 'https://other.example.test', own)).rejects.toThrow('is not for other.example.test');
  await expect(prepareTls(folder, baseUrl, { HTTP_CERT_FILE: certFile })).rejects.toThrow('Set both');
  await expect(prepareTls(folder, baseUrl, { ...own, HTTP_CERT_FILE: keyFile })).rejects.toThrow('cannot be read');
  await expect(prepareTls(folder, 'http://localhost:8080', own)).rejects.toThrow('need an https address');
  expect(await prepareTls(folder, 'http://localhost:8080', {})).toBeUndefined();
});

test('programs trust the CA beside what their caller trusts', async () => {
  const folder = newFolder();
  const tls = (await prepareTls(folder, baseUrl, {}))!;
  const other = (await prepareTls(newFolder(), baseUrl, {}))!.caFile!;
  expect(trustedFile(folder, tls, {})).toBe(tls.caFile);
  const both = readFileSync(trustedFile(folder, tls, { NODE_EXTRA_CA_CERTS: other })!, 'utf8');
  for (const file of [tls.caFile!, other]) expect(both).toContain(readFileSync(file, 'utf8').trim());
});

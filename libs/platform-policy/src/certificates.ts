import 'reflect-metadata';
import { X509Certificate as ParsedCertificate, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

const dayMs = 86_400_000;
const caLifetimeDays = 3650;
/** Clocks of machines differ a little. */
const backdatedMs = 300_000;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Certificate and private key, both in PEM. */
export interface KeyPair {
  certificate: string;
  key: string;
}

export interface CertificateRequest {
  /** DNS names and IP addresses. */
  names: readonly string[];
  lifetimeDays: number;
}

/** A CA that is valid for ten years and cannot sign a further CA. */
export async function newAuthority(name: string, now = new Date()): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [name] }],
    notBefore: new Date(now.getTime() - backdatedMs),
    notAfter: new Date(now.getTime() + caLifetimeDays * dayMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await privateKeyPem(keys) };
}

export async function issueCertificate(
  authority: KeyPair,
  { names, lifetimeDays }: CertificateRequest,
  now = new Date(),
): Promise<KeyPair> {
  const keys = await newKeys();
  const issuer = new x509.X509Certificate(authority.certificate);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [names[0]!] }],
    issuer: issuer.subjectName,
    notBefore: new Date(now.getTime() - backdatedMs),
    notAfter: new Date(now.getTime() + lifetimeDays * dayMs),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: await signingKey(authority.key),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      // The servers of NATS are clients of each other.
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }) as const),
      ),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await privateKeyPem(keys) };
}

/**
 * Whether a certificate of the authority is for all of these names and more than a third of its lifetime is left.
 * @param certificate in PEM
 * @param authority its certificate in PEM
 */
export function isUsableCertificate(
  certificate: string,
  authority: string,
  names: readonly string[],
  now = new Date(),
): boolean {
  const parsed = new ParsedCertificate(certificate);
  const [from, to] = [parsed.validFromDate.getTime(), parsed.validToDate.getTime()];
  return (
    to - now.getTime() > (to - from) / 3 &&
    names.every((name) => (isIP(name) ? parsed.checkIP(name) : parsed.checkHost(name)) !== undefined) &&
    parsed.verify(new ParsedCertificate(authority).publicKey)
  );
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function privateKeyPem({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', privateKey));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n');
}

async function signingKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = Buffer.from(pem.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64');
  return webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
}

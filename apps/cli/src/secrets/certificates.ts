import 'reflect-metadata';
import { X509Certificate as ParsedCertificate, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { changeData, type KubernetesObject, type ObjectStore } from './kubernetes-api.js';
import { decoded, emptySecret, encoded } from './kubernetes-secret.js';

const dayMs = 86_400_000;
const caLifetimeDays = 3650;
/** Clocks of machines differ a little. */
const backdatedMs = 300_000;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** A certificate of a component, and the names that it is for. */
export interface WantedCertificate {
  component: string;
  names: string[];
}

/**
 * Creates a CA once, and with it the certificates of the components, each in a Secret of its own. Renews those of which
 * less than a third of the lifetime is left, or whose names have changed.
 *
 * @param prefix of the names of the Secrets: `<prefix>-ca`, `<prefix>-<component>-tls`
 * @returns the names of the Secrets that were created or renewed
 */
export async function createCertificates(
  store: ObjectStore,
  prefix: string,
  wanted: WantedCertificate[],
  lifetimeDays: number,
  now = new Date(),
): Promise<string[]> {
  const ca = await certificateAuthority(store, `${prefix}-ca`, now);
  const changed = ca.isNew ? [`${prefix}-ca`] : [];
  for (const { component, names } of wanted) {
    const empty: KubernetesObject = { ...emptySecret(`${prefix}-${component}-tls`), type: 'kubernetes.io/tls' };
    // Kubernetes refuses a Secret of this type without both.
    empty.data = { 'tls.crt': '', 'tls.key': '' };
    const added = await changeData(store, empty, async (data) =>
      isUsable(decoded(data), ca.certificate, names, now) ? {} : encoded(await issue(ca, names, lifetimeDays, now)),
    );
    if (Object.keys(added).length > 0) changed.push(empty.metadata.name);
  }
  return changed;
}

interface CertificateAuthority {
  certificate: string;
  key: string;
  isNew: boolean;
}

async function certificateAuthority(store: ObjectStore, name: string, now: Date): Promise<CertificateAuthority> {
  const added = await changeData(store, emptySecret(name), async (data) =>
    data['ca.key'] ? {} : encoded(await newAuthority(name, now)),
  );
  const { 'ca.crt': certificate = '', 'ca.key': key = '' } = decoded((await store.get(name))?.data ?? {});
  return { certificate, key, isNew: Object.keys(added).length > 0 };
}

async function newAuthority(name: string, now: Date): Promise<Record<string, string>> {
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
  return { 'ca.crt': certificate.toString('pem'), 'ca.key': await privateKeyPem(keys) };
}

async function issue(
  ca: CertificateAuthority,
  names: string[],
  lifetimeDays: number,
  now: Date,
): Promise<Record<string, string>> {
  const keys = await newKeys();
  const issuer = new x509.X509Certificate(ca.certificate);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [names[0]!] }],
    issuer: issuer.subjectName,
    notBefore: new Date(now.getTime() - backdatedMs),
    notAfter: new Date(now.getTime() + lifetimeDays * dayMs),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: await caKey(ca.key),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      // The servers of NATS are clients of each other.
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value }))),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return { 'tls.crt': certificate.toString('pem'), 'tls.key': await privateKeyPem(keys), 'ca.crt': ca.certificate };
}

function isUsable(secret: Record<string, string>, ca: string, names: string[], now: Date): boolean {
  if (!secret['tls.crt'] || !secret['tls.key'] || secret['ca.crt'] !== ca) return false;
  const certificate = new ParsedCertificate(secret['tls.crt']);
  const [from, to] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()];
  const known = (certificate.subjectAltName ?? '').split(', ').map((name) => name.replace(/^DNS:/, ''));
  return to - now.getTime() > (to - from) / 3 && names.every((name) => known.includes(name));
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function privateKeyPem({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', privateKey));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n');
}

async function caKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = Buffer.from(pem.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64');
  return webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
}

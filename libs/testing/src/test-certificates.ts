import { webcrypto } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newTestFolder } from './environment.js';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 86_400_000;

/** Few suites need certificates, and all would load the library otherwise. */
async function loadX509() {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

/** Names of PEM files. */
export interface TestCertificate {
  certFile: string;
  keyFile: string;
}

/** A certificate authority of a test, whose certificates are valid for a day. */
export class TestAuthority {
  readonly caFile: string;
  private serial = 1;

  private constructor(
    private readonly keys: webcrypto.CryptoKeyPair,
    readonly folder: string,
  ) {
    this.caFile = join(folder, 'ca.pem');
  }

  static async create(folder = newTestFolder('certificates')): Promise<TestAuthority> {
    const { BasicConstraintsExtension, KeyUsageFlags, KeyUsagesExtension, X509CertificateGenerator } = await loadX509();
    const authority = new TestAuthority(await newKeys(), folder);
    const certificate = await X509CertificateGenerator.createSelfSigned({
      ...authority.common(),
      name: 'CN=test authority',
      keys: authority.keys,
      extensions: [new BasicConstraintsExtension(true), new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true)],
    });
    writeFileSync(authority.caFile, certificate.toString('pem'));
    return authority;
  }

  /** Writes a certificate for a DNS name, over earlier ones of the same name. */
  async issue(name: string): Promise<TestCertificate> {
    const { SubjectAlternativeNameExtension, X509CertificateGenerator } = await loadX509();
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.create({
      ...this.common(),
      subject: `CN=${name}`,
      issuer: 'CN=test authority',
      publicKey: keys.publicKey,
      signingKey: this.keys.privateKey,
      extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: name }])],
    });
    const [certFile, keyFile] = [join(this.folder, `${name}.crt`), join(this.folder, `${name}.key`)];
    const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
    writeFileSync(keyFile, `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`, { mode: 0o600 });
    writeFileSync(certFile, certificate.toString('pem'));
    return { certFile, keyFile };
  }

  private common() {
    return {
      serialNumber: (this.serial++).toString(16).padStart(4, '0'),
      notBefore: new Date(Date.now() - dayMs),
      notAfter: new Date(Date.now() + dayMs),
      signingAlgorithm: algorithm,
    };
  }
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

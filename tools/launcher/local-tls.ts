import { hash, X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { issueCertificate, isUsableCertificate, newAuthority } from '@holdfast/platform-policy/certificates';
import { displayPath, print, ReportedError } from '../infra/console.ts';
import { writeWhole } from '../infra/files.ts';

/** Apple's clients accept no server certificate that is valid for longer than 398 days. */
const lifetimeDays = 365;
/** Names of every certificate, besides the host of the base address. */
const loopbackNames = ['localhost', '127.0.0.1', '::1'];

/** The certificate of the gateway and of the example shop, as names of PEM files. */
export interface StackTls {
  certFile: string;
  keyFile: string;
  /** The certificate of the stack's own CA; undefined for a certificate of the user. */
  caFile: string | undefined;
}

/**
 * The certificate for the host of an https base address: that of the user, or one that a CA of this stack signs. The
 * CA stays the same at each start, so that it is trusted once.
 *
 * @param folder of the stack's own CA and certificate
 * @throws ReportedError when the certificate of the user cannot be used
 */
export async function prepareTls(
  folder: string,
  baseUrl: string,
  { HTTP_CERT_FILE: certFile, HTTP_KEY_FILE: keyFile }: NodeJS.ProcessEnv,
): Promise<StackTls | undefined> {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol !== 'https:') {
    if (!certFile && !keyFile) return undefined;
    throw new ReportedError(
      'HTTP_CERT_FILE and HTTP_KEY_FILE need an https address, such as: BASE_URL=https://localhost:8443 npm start',
    );
  }
  if (certFile || keyFile) return ownCertificate(certFile, keyFile, hostname);
  return localCertificate(folder, hostname);
}

function ownCertificate(certFile: string | undefined, keyFile: string | undefined, hostname: string): StackTls {
  if (!certFile || !keyFile) throw new ReportedError('Set both HTTP_CERT_FILE and HTTP_KEY_FILE, or none of them.');
  const certificate = parsed(certFile);
  if (!certificate.checkHost(hostname))
    throw new ReportedError(
      `The certificate in ${certFile} is not for ${hostname}, the host of BASE_URL ` +
        `(${certificate.subjectAltName ?? 'it has no names'}). Use another one, or unset HTTP_CERT_FILE and ` +
        'HTTP_KEY_FILE: then "npm start" makes one.',
    );
  return { certFile, keyFile, caFile: undefined };
}

function parsed(certFile: string): X509Certificate {
  try {
    return new X509Certificate(readFileSync(certFile));
  } catch (error) {
    throw new ReportedError(`HTTP_CERT_FILE cannot be read as a certificate (PEM): ${(error as Error).message}`);
  }
}

/** Only their owner can read the keys: with the CA's one could impersonate any site to clients that trust it. */
async function localCertificate(folder: string, hostname: string): Promise<StackTls> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const [caFile, caKeyFile] = [join(folder, 'ca.crt'), join(folder, 'ca.key')];
  const [certFile, keyFile] = [join(folder, 'server.crt'), join(folder, 'server.key')];
  if (!existsSync(caFile) || !existsSync(caKeyFile)) {
    const made = await newAuthority('Holdfast local CA');
    writeWhole(caKeyFile, made.key);
    writeWhole(caFile, made.certificate);
  }
  const authority = { certificate: readFileSync(caFile, 'utf8'), key: readFileSync(caKeyFile, 'utf8') };
  const names = [...new Set([hostname, ...loopbackNames])];
  const current = existsSync(certFile) && existsSync(keyFile) ? readFileSync(certFile, 'utf8') : undefined;
  if (current === undefined || !isUsableCertificate(current, authority.certificate, names)) {
    const made = await issueCertificate(authority, { names, lifetimeDays });
    writeWhole(keyFile, made.key);
    // With its CA, so that a browser can be told to accept what this CA has signed.
    writeWhole(certFile, made.certificate.trimEnd() + '\n' + authority.certificate);
    print(`  The certificate for ${names.join(', ')} is in ${displayPath(certFile)}`);
  }
  return { certFile, keyFile, caFile };
}

/** Makes this process trust the CA as well. */
export function trustAuthority({ caFile }: StackTls): void {
  if (caFile) setDefaultCACertificates([...getCACertificates('default'), readFileSync(caFile, 'utf8')]);
}

/**
 * A file for NODE_EXTRA_CA_CERTS with the CA of the stack and the certificates that the caller trusts: Node.js reads
 * one file only.
 */
export function trustedFile(
  folder: string,
  { caFile }: StackTls,
  { NODE_EXTRA_CA_CERTS: callers }: NodeJS.ProcessEnv,
): string | undefined {
  if (!caFile) return callers;
  if (!callers || !existsSync(callers)) return caFile;
  // One service may be started with other certificates than the rest.
  const file = join(folder, `trusted-${hash('sha256', callers).slice(0, 12)}.crt`);
  writeWhole(file, `${readFileSync(caFile, 'utf8').trimEnd()}\n${readFileSync(callers, 'utf8')}`);
  return file;
}

/** SHA-256 of the CA's public key, in base64: what Chromium calls its SPKI. */
export function spkiOf(caFile: string): string {
  const { publicKey } = new X509Certificate(readFileSync(caFile));
  return hash('sha256', publicKey.export({ type: 'spki', format: 'der' }), 'base64');
}

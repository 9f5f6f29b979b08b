import { readFileSync } from 'node:fs';
import { observeCertificates } from './certificate-ends.js';

/** Names of PEM files. */
export interface DatabaseTlsFiles {
  /** What the server must prove itself by; a public authority when left out. */
  caFile?: string | undefined;
  /** What this process proves itself by, with its key. */
  certFile?: string | undefined;
  keyFile?: string | undefined;
}

/** The variables of connections to PostgreSQL with TLS. */
export interface DatabaseTlsSettings {
  DATABASE_CA_FILE?: string | undefined;
  DATABASE_CERT_FILE?: string | undefined;
  DATABASE_KEY_FILE?: string | undefined;
}

/** @throws Error when only one of certificate and key is configured */
export function databaseTlsFiles(settings: DatabaseTlsSettings): DatabaseTlsFiles {
  const { DATABASE_CA_FILE: caFile, DATABASE_CERT_FILE: certFile, DATABASE_KEY_FILE: keyFile } = settings;
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new Error('Set both DATABASE_CERT_FILE and DATABASE_KEY_FILE: a certificate is of no use without its key.');
  return { caFile, certFile, keyFile };
}

/** Options of a TLS connection. Absent members are those of Node.js: public authorities, no certificate. */
export interface DatabaseTls {
  ca?: string;
  cert?: string;
  key?: string;
}

/**
 * Options of a TLS connection that verifies the server's certificate and name, as libpq's `verify-full`; false without
 * files.
 *
 * @throws Error when a file cannot be read
 */
export function databaseTls({ caFile, certFile, keyFile }: DatabaseTlsFiles): DatabaseTls | false {
  if (caFile === undefined && certFile === undefined) return false;
  const tls: DatabaseTls = {};
  if (caFile !== undefined) {
    tls.ca = readFileSync(caFile, 'utf8');
    observeCertificates('postgresql_ca', tls.ca);
  }
  if (certFile !== undefined && keyFile !== undefined) {
    tls.cert = readFileSync(certFile, 'utf8');
    tls.key = readFileSync(keyFile, 'utf8');
    observeCertificates('postgresql_client', tls.cert);
  }
  return tls;
}

/** pg would use these parameters of an address in place of all options of `databaseTls`. */
const tlsParameters = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat'];

/** The address for a connection with these files: they decide about TLS, and not the address. */
export function databaseUrl(url: string, files: DatabaseTlsFiles): string {
  const address = URL.parse(url);
  if (!address || (files.caFile === undefined && files.certFile === undefined)) return url;
  const given = tlsParameters.filter((name) => address.searchParams.has(name));
  for (const name of given) address.searchParams.delete(name);
  return given.length > 0 ? address.href : url;
}

import { readFileSync } from 'node:fs';
import { observeCertificates } from './certificate-ends.js';

/**
 * Options of a TLS connection that verifies the server's certificate and name, as libpq's `verify-full`; false without
 * a file.
 *
 * @throws Error when the file cannot be read
 */
export function databaseTls(caFile: string | undefined): { ca: string } | false {
  if (caFile === undefined) return false;
  const ca = readFileSync(caFile, 'utf8');
  observeCertificates('postgresql_ca', ca);
  return { ca };
}

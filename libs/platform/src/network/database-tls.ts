import { readFileSync } from 'node:fs';

/**
 * Options of a TLS connection that verifies the server's certificate and name, as libpq's `verify-full`; false without
 * a file.
 *
 * @throws Error when the file cannot be read
 */
export function databaseTls(caFile: string | undefined): { ca: string } | false {
  return caFile === undefined ? false : { ca: readFileSync(caFile, 'utf8') };
}

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { databaseTls, databaseTlsFiles, databaseUrl } from './database-tls.js';

const folder = mkdtempSync(join(tmpdir(), 'database-tls-'));
const file = (name: string): string => {
  writeFileSync(join(folder, name), `content of ${name}`);
  return join(folder, name);
};
const [caFile, certFile, keyFile] = [file('ca'), file('cert'), file('key')];

describe('TLS of connections to PostgreSQL', () => {
  it('is off without files', () => expect(databaseTls(databaseTlsFiles({}))).toBe(false));

  it.each([
    [{ DATABASE_CA_FILE: caFile }, { ca: 'content of ca' }],
    [
      { DATABASE_CERT_FILE: certFile, DATABASE_KEY_FILE: keyFile },
      { cert: 'content of cert', key: 'content of key' },
    ],
    [
      { DATABASE_CA_FILE: caFile, DATABASE_CERT_FILE: certFile, DATABASE_KEY_FILE: keyFile },
      { ca: 'content of ca', cert: 'content of cert', key: 'content of key' },
    ],
  ])('has what the files have: %p', (settings, expected) =>
    expect(databaseTls(databaseTlsFiles(settings))).toEqual(expected),
  );

  it.each([{ DATABASE_CERT_FILE: certFile }, { DATABASE_CA_FILE: caFile, DATABASE_KEY_FILE: keyFile }])(
    'refuses a certificate without its key, and a key without its certificate: %p',
    (settings) => expect(() => databaseTlsFiles(settings)).toThrow('Set both DATABASE_CERT_FILE and DATABASE_KEY_FILE'),
  );

  it('reads renewed files', () => {
    const renewed = file('renewed');
    expect(databaseTls({ caFile: renewed })).toEqual({ ca: 'content of renewed' });
    writeFileSync(renewed, 'other');
    expect(databaseTls({ caFile: renewed })).toEqual({ ca: 'other' });
  });
});

describe('the address of PostgreSQL', () => {
  const url = 'postgresql://a:b%40c@db.example:5432/holdfast?sslmode=disable&statement_timeout=100&sslrootcert=/x';

  it('has no parameters of TLS beside the files, which pg would ignore otherwise', () => {
    const expected = 'postgresql://a:b%40c@db.example:5432/holdfast?statement_timeout=100';
    expect(databaseUrl(url, { caFile })).toBe(expected);
    expect(databaseUrl(url, { certFile, keyFile })).toBe(expected);
  });

  it('stays as it is without files or without such parameters', () => {
    expect(databaseUrl(url, {})).toBe(url);
    const plain = "postgresql://a@db.example/holdfast?options=-c%20search_path=a'b";
    expect(databaseUrl(plain, { caFile })).toBe(plain);
  });
});

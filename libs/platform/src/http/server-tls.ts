import { readFileSync } from 'node:fs';
import type { Server } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import { observeCertificates } from '../network/certificate-ends.js';

/** Names of PEM files. */
export interface ServerTlsFiles {
  certFile: string;
  keyFile: string;
  /** What a client must prove itself by: mutual TLS. */
  clientCaFile?: string | undefined;
}

const checkIntervalMs = 10_000;

/** The variables of a listener with TLS. */
export interface ServerTlsSettings {
  HTTP_CERT_FILE?: string | undefined;
  HTTP_KEY_FILE?: string | undefined;
  HTTP_CLIENT_CA_FILE?: string | undefined;
}

/**
 * The files of a listener; undefined when it serves plain HTTP.
 * @throws Error when only some of the files are configured
 */
export function serverTlsFiles(service: string, settings: ServerTlsSettings): ServerTlsFiles | undefined {
  const { HTTP_CERT_FILE: certFile, HTTP_KEY_FILE: keyFile, HTTP_CLIENT_CA_FILE: clientCaFile } = settings;
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile, clientCaFile };
  if (certFile === undefined && keyFile === undefined && clientCaFile === undefined) return undefined;
  throw new Error(
    `Without both HTTP_CERT_FILE and HTTP_KEY_FILE, ${service} would serve plain HTTP although TLS is configured. ` +
      'Set both.',
  );
}

/** @throws Error when a file cannot be read */
export function readServerTls({ certFile, keyFile, clientCaFile }: ServerTlsFiles): SecureContextOptions {
  const cert = readFileSync(certFile, 'utf8');
  observeCertificates('http', cert);
  return {
    minVersion: 'TLSv1.2',
    cert,
    key: readFileSync(keyFile, 'utf8'),
    ...(clientCaFile !== undefined && { ca: readFileSync(clientCaFile, 'utf8') }),
  };
}

/**
 * Loads renewed files into a running server, for new connections. Files that cannot be used, such as a certificate
 * whose key is not written yet, leave the previous ones in use.
 *
 * @param report gets what happened, for the log; an error comes once until the files change
 * @returns stops looking
 */
export function reloadServerTls(
  server: Pick<Server, 'setSecureContext'>,
  files: ServerTlsFiles,
  report: (error?: Error) => void,
  intervalMs = checkIntervalMs,
): () => void {
  let loaded = JSON.stringify(readServerTls(files));
  const timer = setInterval(() => {
    let seen = '';
    try {
      const context = readServerTls(files);
      seen = JSON.stringify(context);
      if (seen === loaded) return;
      server.setSecureContext(context);
      report();
    } catch (error) {
      if (seen !== loaded) report(error as Error);
    }
    loaded = seen;
  }, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}

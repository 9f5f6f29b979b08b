import { X509Certificate } from 'node:crypto';
import { Gauge } from 'prom-client';

/** What the certificates of a file are for. */
type CertificateUse = 'http' | 'auth_client' | 'nats_ca' | 'postgresql_ca' | 'postgresql_client';

const ends = new Gauge({
  name: 'holdfast_certificate_end_timestamp_seconds',
  help:
    'Unix time at which certificates end: those that this process serves (`http`) or proves itself by ' +
    '(`auth_client`, `postgresql_client`), and the CAs by which it verifies NATS (`nats_ca`) and PostgreSQL ' +
    '(`postgresql_ca`)',
  labelNames: ['use'],
});

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Shows when certificates (PEM) that were read end: of a chain the first one, of several CAs the last one. A text
 * without certificates changes nothing, since the caller fails when it uses it.
 */
export function observeCertificates(use: CertificateUse, pem: string): void {
  const endsAtMs = (pem.match(certificate) ?? []).flatMap((one) => {
    try {
      return [Date.parse(new X509Certificate(one).validTo)];
    } catch {
      return [];
    }
  });
  if (endsAtMs.length === 0) return;
  ends.set({ use }, (use.endsWith('_ca') ? Math.max(...endsAtMs) : Math.min(...endsAtMs)) / 1000);
}

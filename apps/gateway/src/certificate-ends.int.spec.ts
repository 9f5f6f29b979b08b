import { readFileSync } from 'node:fs';
import { beforeEach, expect, it } from '@jest/globals';
import { register, type Gauge } from 'prom-client';
import { observeCertificates } from '@holdfast/platform';
import { TestAuthority } from '@holdfast/testing';

const daySeconds = 86_400;
const metric = () => register.getSingleMetric('holdfast_certificate_end_timestamp_seconds') as Gauge<'use'>;
const ends = async (): Promise<Partial<Record<string, number>>> =>
  Object.fromEntries((await metric().get()).values.map(({ labels, value }) => [String(labels.use), value]));

beforeEach(() => metric().reset());

it('are those of the first certificate of a chain, and of the last one of several CAs', async () => {
  const authority = await TestAuthority.create();
  const { certFile } = await authority.issue('auth.example');
  const [ca, leaf] = [readFileSync(authority.caFile, 'utf8'), readFileSync(certFile, 'utf8')];
  observeCertificates('http', leaf + ca);
  observeCertificates('nats_ca', leaf + ca);
  const { http = 0, nats_ca: natsCa } = await ends();
  expect(http).toBeGreaterThan(Date.now() / 1000);
  expect(http).toBeLessThan(Date.now() / 1000 + 2 * daySeconds);
  expect(natsCa).toBeGreaterThanOrEqual(http);
});

it('stay what they were after a text without certificates', async () => {
  const authority = await TestAuthority.create();
  observeCertificates('postgresql_ca', readFileSync(authority.caFile, 'utf8'));
  const before = await ends();
  observeCertificates('postgresql_ca', 'no certificate');
  observeCertificates('postgresql_ca', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  observeCertificates('http', '');
  expect(await ends()).toEqual(before);
});

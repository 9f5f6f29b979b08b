import type { Analytics, AuditEvent } from '@holdfast/contracts';
import type { Client } from '../clients/client.ts';

const succeeded = ({ outcome }: AuditEvent) => outcome.result === 'success' && !outcome.replay;

/** Which events a metric counts (docs/analytics.md). */
const counted: Record<string, (event: AuditEvent) => boolean> = {
  offers: (e) => e.action === 'offer.create' && succeeded(e),
  claims: (e) => e.action === 'credential.claim' && succeeded(e),
  recoveries: (e) => e.action === 'credential.claim' && succeeded(e) && e.changes?.status?.from === 'issued',
  'sign-ins': (e) => e.action === 'customer.sign_in' && succeeded(e),
  'failed-sign-ins': (e) => e.action === 'customer.sign_in' && e.outcome.result !== 'success',
  'api-calls': (e) => e.actor.type === 'app',
  'denied-requests': (e) => e.outcome.result === 'denied',
};

/**
 * Recounts the log of an organization of this test.
 * @returns every metric whose sum differs from that of the log up to its `asOf`
 */
export async function differencesFromLog(client: Client): Promise<string[]> {
  const readings: Analytics[] = [];
  for (const metric of Object.keys(counted)) {
    const reply = await client.call<Analytics>('GET', `${client.api}/admin/analytics/${metric}`);
    if (reply.status !== 200) throw new Error(`${metric} returned ${reply.status}: ${reply.text}`);
    readings.push(reply.body);
  }
  const log = await client.wholeLog();
  return readings.flatMap(({ metric, asOf, series }) => {
    const values = series[0]!.values as { count: number }[];
    const found = values.reduce((sum, { count }) => sum + count, 0);
    const events = log.filter((event) => event.seq <= asOf.seq && counted[metric]!(event));
    const expected = events.reduce((sum, { outcome }) => sum + (outcome.count ?? 1), 0);
    return found === expected ? [] : [`${metric} are ${found}, and the log has ${expected} up to ${asOf.seq}`];
  });
}

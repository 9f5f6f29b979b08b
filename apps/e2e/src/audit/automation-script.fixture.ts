import type { AuditEvent } from '@holdfast/contracts';
import { callApi, type Page } from '../clients/client.ts';
import { stack } from '../clients/under-test.ts';
import type { Step } from './shop-script.fixture.ts';

const events = '/admin/audit/events';

/** The requests of a service app: it reads the log, its proofs and the feed, with good and bad parameters. */
export function automationSteps(otherOrganization: string): Step[] {
  return [
    (r) => r.api('audit.list', 'GET', events),
    (r) => r.api('audit.list', 'GET', events, {}, { query: '?limit=3&outcome=denied' }),
    (r) => r.api('audit.list', 'GET', events, {}, { query: '?action=canary' }),
    (r) => r.api('audit.list', 'GET', events, {}, { query: '?next_page_token=canary' }),
    async (r) => {
      const { body } = await r.api('audit.list', 'GET', events, {}, { query: '?limit=1' });
      const { id } = (body as unknown as Page<AuditEvent>).items[0]!;
      await r.api('audit.read', 'GET', `${events}/{id}`, { id });
      await r.api('audit.prove', 'GET', `${events}/{id}/proof`, { id });
    },
    (r) => r.api('audit.read', 'GET', `${events}/{id}`),
    (r) => r.api('audit.prove', 'GET', `${events}/{id}/proof`),
    (r) => r.api('audit.prove', 'GET', '/admin/audit/checkpoint'),
    (r) => r.api('audit.prove', 'GET', '/admin/audit/keys'),
    (r) => r.api('audit.prove', 'GET', '/admin/audit/consistency', {}, { query: '?from=1&to=2' }),
    (r) => r.api('audit.prove', 'GET', '/admin/audit/consistency', {}, { query: '?from=2&to=1' }),
    (r) => r.api('audit.export', 'GET', '/admin/audit/entries'),
    (r) => r.api('event.list', 'GET', '/admin/events'),
    (r) => r.api('event.list', 'GET', '/admin/events', {}, { query: '?limit=0' }),
    (r) => r.api('subject.list', 'GET', '/credentials/subjects'),
    (r) => r.api('offer.create', 'POST', '/credentials/offers', {}, { json: {} }),
    (r) => r.call('audit.list', 'GET', `/o/${otherOrganization}/api${events}`, `/o/{shortId}/api${events}`),
    async (r) => {
      r.id();
      const reply = await callApi(stack, 'GET', `${r.client.api}${events}`);
      r.expectCount(
        { action: 'request.denied', actor: 'anonymous', method: 'GET', route: `/o/{shortId}/api${events}` },
        reply as never,
      );
    },
  ];
}

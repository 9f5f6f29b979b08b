import type { AuditEvent } from '@holdfast/contracts';
import { callApi, type Page } from '../client.ts';
import { stack } from '../under-test.ts';
import type { Step } from './shop-script.fixture.ts';

const events = '/admin/audit/events';

/** What a service app does: it reads the log, its proofs and the feed, well and badly. */
export function automationSteps(elsewhere: string): Step[] {
  return [
    (s) => s.api('audit.list', 'GET', events),
    (s) => s.api('audit.list', 'GET', events, {}, { query: '?limit=3&outcome=denied' }),
    (s) => s.api('audit.list', 'GET', events, {}, { query: '?action=canary' }),
    (s) => s.api('audit.list', 'GET', events, {}, { query: '?next_page_token=canary' }),
    async (s) => {
      const { body } = await s.api('audit.list', 'GET', events, {}, { query: '?limit=1' });
      const { id } = (body as unknown as Page<AuditEvent>).items[0]!;
      await s.api('audit.read', 'GET', `${events}/{id}`, { id });
      await s.api('audit.prove', 'GET', `${events}/{id}/proof`, { id });
    },
    (s) => s.api('audit.read', 'GET', `${events}/{id}`),
    (s) => s.api('audit.prove', 'GET', `${events}/{id}/proof`),
    (s) => s.api('audit.prove', 'GET', '/admin/audit/checkpoint'),
    (s) => s.api('audit.prove', 'GET', '/admin/audit/keys'),
    (s) => s.api('audit.prove', 'GET', '/admin/audit/consistency', {}, { query: '?from=1&to=2' }),
    (s) => s.api('audit.prove', 'GET', '/admin/audit/consistency', {}, { query: '?from=2&to=1' }),
    (s) => s.api('audit.export', 'GET', '/admin/audit/entries'),
    (s) => s.api('event.list', 'GET', '/admin/events'),
    (s) => s.api('event.list', 'GET', '/admin/events', {}, { query: '?limit=0' }),
    (s) => s.api('subject.list', 'GET', '/credentials/subjects'),
    (s) => s.api('offer.create', 'POST', '/credentials/offers', {}, { json: {} }),
    (s) => s.call('audit.list', 'GET', `/o/${elsewhere}/api${events}`, `/o/{shortId}/api${events}`),
    async (s) => {
      s.id();
      const reply = await callApi(stack, 'GET', `${s.client.api}${events}`);
      s.count(
        { action: 'request.denied', actor: 'anonymous', method: 'GET', route: `/o/{shortId}/api${events}` },
        reply as never,
      );
    },
  ];
}

import { on } from 'node:events';
import { Readable } from 'node:stream';
import type { FastifyPluginAsync } from 'fastify';
import type { SecurityEvent, SecurityEvents } from '../holdfast/security-events.ts';
import { scriptSecurityPolicy } from '../server/content-security-policy.ts';
import { renderPage } from '../server/page.ts';
import { formatTime } from '../server/views.ts';
import type { Shop } from '../shop.ts';

/** A browser connects again after this time, and is only answered while its session is valid. */
const streamMs = 20_000;
const reconnectMs = 500;
/** Each holds a connection. */
const maxWatchers = 50;

const meanings: Record<string, string> = {
  'account-disabled': 'Has no valid credential any more',
  'account-enabled': 'Has a valid credential again',
  'account-purged': 'Was erased',
  'credential-change': 'Credential changed',
  'credential-compromise': 'Credential was compromised',
  'recovery-activated': 'Got a link for a new passkey',
  'session-revoked': 'All sessions have ended',
  'stream-updated': 'The stream of events was changed',
  'token-claims-change': 'Claims of the next ID token changed',
  verification: 'The stream of events was tested',
};
const changes: Record<string, string> = {
  create: 'Credential was claimed',
  revoke: 'Credential was revoked',
};

/** The security events of the organization, sent to the browser as they arrive (server-sent events). */
export const staffEventRoutes: FastifyPluginAsync<{ securityEvents: SecurityEvents }> = async (
  app,
  { securityEvents },
) => {
  const { shop } = app;
  const path = `${app.area.path}/events`;
  const helmet = { contentSecurityPolicy: scriptSecurityPolicy(shop.settings) };
  let watchers = 0;

  app.get('/', { helmet }, (_, reply) =>
    renderPage(reply, 'staff-events', {
      title: 'Events',
      isWide: true,
      script: '/events.js',
      source: `${path}/stream`,
    }),
  );

  securityEvents.setMaxListeners(maxWatchers);

  app.get('/stream', (request, reply) => {
    if (watchers >= maxWatchers) return reply.code(503).header('retry-after', '30').send();
    const last = request.headers['last-event-id'];
    return reply.type('text/event-stream').send(Readable.from(messages(last)));
  });

  /** What has arrived since the event that the browser has seen last, and then what arrives. */
  async function* messages(last: unknown): AsyncGenerator<string> {
    watchers += 1;
    const signal = AbortSignal.timeout(streamMs);
    try {
      const arriving = on(securityEvents, 'event', { signal }) as AsyncIterable<[SecurityEvent]>;
      const { recent } = securityEvents;
      // Taken with the subscription: no event is left out in between, and none comes twice.
      const missed = recent.slice(recent.findIndex(({ jti }) => jti === last) + 1);
      yield `retry: ${reconnectMs}\n\n`;
      for (const event of missed) yield messageOf(event);
      for await (const [event] of arriving) yield messageOf(event);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      watchers -= 1;
    }
  }

  function messageOf(event: SecurityEvent): string {
    return `id: ${event.jti}\ndata: ${JSON.stringify(viewOf(shop, event))}\n\n`;
  }
};

interface EventView {
  time: string;
  meaning: string;
  /** The name of the customer, when they have an account here. */
  customer: string;
  /** The page of the customer. */
  href?: string;
  token: string;
}

function viewOf({ accounts, settings, staff }: Shop, event: SecurityEvent): EventView {
  const [[uri = '', content = {}] = []] = Object.entries(event.events);
  const name = uri.split('/').at(-1)!;
  const changed = changes[String(content.change_type)];
  const { sub } = event.sub_id;
  const account = sub === undefined ? undefined : accounts.find(settings.issuer, sub);
  return {
    time: formatTime(new Date((event.iat ?? 0) * 1000).toISOString()),
    meaning: (name === 'credential-change' && changed) || (meanings[name] ?? name),
    customer: account?.name ?? (sub === undefined ? '–' : 'No account in this shop'),
    ...(account && { href: `${staff!.path}/customers/${sub}` }),
    token: JSON.stringify(event, undefined, 2),
  };
}

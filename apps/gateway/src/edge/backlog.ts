import type { RequestListener, Server } from 'node:http';
import { Counter } from 'prom-client';
import { loadOf } from '@holdfast/messaging';
import { unavailable } from '@holdfast/platform';
import type { HttpObserver } from '@holdfast/service';
import type { Endpoint } from '../endpoints/endpoint.js';
import { isProbe } from '../health/health.controller.js';
import { isNavigation } from './problems/error-page.js';
import type { RawErrorWriter } from './problems/raw-error.js';
import { newRequestContext } from './request-context.js';

const tickMs = 20;
/** With fewer concurrent requests, a late event loop means that the machine is busy otherwise, not an overload. */
const minConcurrentRequests = 64;

const shed = new Counter({
  name: 'holdfast_backlog_refused_total',
  help: 'Requests refused with 503 because the event loop was late by more than MAX_BACKLOG_MS',
});

/**
 * Measures how far the event loop is behind: a timer is due every 20 ms, and while it is late, bytes that have arrived
 * on sockets wait just as long. Nothing else tells the age of a request before work is done for it.
 */
export class Backlog {
  private dueAt: number;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.dueAt = now() + tickMs;
  }

  tick(): void {
    this.dueAt = this.now() + tickMs;
  }

  ageMs(): number {
    return Math.max(0, this.now() - this.dueAt);
  }
}

/**
 * Sheds requests that have waited too long, before Fastify handles them: their callers are about to give up, every
 * request behind them waits too, and an error that passes hooks and filters costs a third of a response. Probes and
 * navigations of people are never shed.
 */
export function shedBacklog(
  server: Server,
  maxMs: number,
  shedRequest: RequestListener,
  backlog = new Backlog(),
): void {
  let concurrentRequests = 0;
  const load = loadOf('event loop');
  const ticking = setInterval(() => backlog.tick(), tickMs).unref();
  server.once('close', () => clearInterval(ticking));
  const handlers = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    // Fewer requests are never shed, however late the event loop is.
    const share = concurrentRequests < minConcurrentRequests ? 0 : backlog.ageMs() / maxMs;
    if (
      share > 1 &&
      !isProbe(request.url!.split('?', 1)[0]!) &&
      !isNavigation({ url: request.url!, headers: request.headers })
    ) {
      shed.inc();
      load.reject();
      return shedRequest(request, response);
    }
    load.accept(Math.min(1, share));
    concurrentRequests += 1;
    response.once('close', () => (concurrentRequests -= 1));
    for (const handle of handlers) handle(request, response);
  });
}

/** Responds 503 without a route or a hook: an error under overload must cost as little as possible. */
export function overloadListener(
  endpoints: readonly Endpoint[],
  writeError: RawErrorWriter,
  observer: HttpObserver,
): RequestListener {
  const error = unavailable('This server is overloaded; try again in a moment.', 1, {
    dependency: 'admission',
    cause: 'overloaded',
  });
  const { code, origin, status } = error;
  // No route has been looked up, so the path alone determines the form of the error.
  const oauthTemplates = endpoints
    .filter(({ errorForm }) => errorForm === 'oauth')
    .map(({ path }) => path.replaceAll('.', '\\.').replace(/\{[^}]+\}/g, '[^/?]+'));
  const oauthPaths = new RegExp(`^(${oauthTemplates.join('|')})(\\?|$)`);
  return (request, response) => {
    const requestContext = newRequestContext(
      { headers: request.headers, ip: '' },
      oauthPaths.test(request.url!) ? 'oauth' : 'problem',
    );
    // A body that is left unread would be parsed as the next request.
    request.resume();
    writeError(error, requestContext, response);
    observer.observe({
      requestId: requestContext.requestId,
      method: request.method!,
      route: 'shed',
      status,
      seconds: 0,
      code,
      origin,
    });
  };
}

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Counter } from 'prom-client';
import { unavailable } from '@holdfast/platform';
import type { HttpObserver } from '@holdfast/service';
import type { Endpoint } from '../endpoints/endpoint.js';
import { isProbe } from '../health/health.controller.js';
import { isNavigation } from './problems/error-page.js';
import { renderError } from './problems/render-error.js';
import { newRequestContext, type HttpRequestContext } from './request-context.js';

const tickMs = 20;
/** With fewer under way a late loop says that the machine was busy elsewhere, and not that too much was asked of us. */
const minConcurrentRequests = 64;

const shed = new Counter({
  name: 'holdfast_backlog_refused_total',
  help: 'Requests answered 503 at once, since the event loop was behind for longer than MAX_BACKLOG_MS',
});

/**
 * How far the event loop is behind: a timer is due every 20 ms, and as long as it has not come, what is read from
 * sockets had to wait as long. Before any work is done for a request nothing else says how old it is.
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

/** Answers without a route, a hook or a caller: what would be refused anyway must cost as little as can be. */
export type Refuse = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Refuses what has waited too long already, before Fastify sees it: its caller is about to leave, all behind it wait
 * too, and a refusal that goes through hooks and filters costs a third of an answer. A person who navigates is let
 * through.
 */
export function refuseBacklog(server: Server, maxMs: number, refuse: Refuse, backlog = new Backlog()): void {
  let underWay = 0;
  const ticking = setInterval(() => backlog.tick(), tickMs).unref();
  server.once('close', () => clearInterval(ticking));
  const handlers = server.listeners('request') as Refuse[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (
      underWay >= minConcurrentRequests &&
      backlog.ageMs() > maxMs &&
      !isProbe(request.url!.split('?', 1)[0]!) &&
      !isNavigation({ url: request.url!, headers: request.headers })
    ) {
      shed.inc();
      return refuse(request, response);
    }
    underWay += 1;
    response.once('close', () => (underWay -= 1));
    for (const handle of handlers) handle(request, response);
  });
}

/** 503 in the form of the endpoint that was called, told by its path alone: no route was looked up. */
export function overloaded(
  endpoints: readonly Endpoint[],
  baseUrl: string,
  headersOf: (requestContext: HttpRequestContext) => Record<string, string>,
  observer: HttpObserver,
): Refuse {
  const error = unavailable('More is asked for than can be answered; try again in a moment.', 1, {
    dependency: 'admission',
    cause: 'overloaded',
  });
  const { code, origin, status } = error;
  const templates = endpoints
    .filter(({ errorForm }) => errorForm === 'oauth')
    .map(({ path }) => path.replaceAll('.', '\\.').replace(/\{[^}]+\}/g, '[^/?]+'));
  const oauthPaths = new RegExp(`^(${templates.join('|')})(\\?|$)`);
  return (request, response) => {
    const requestContext = newRequestContext(
      { headers: request.headers, ip: '' },
      oauthPaths.test(request.url!) ? 'oauth' : 'problem',
    );
    const { headers, body } = renderError(error, requestContext, baseUrl);
    // Unread, a body would be taken for the next request.
    request.resume();
    response
      .writeHead(status, { ...headersOf(requestContext), ...headers, 'content-length': Buffer.byteLength(body) })
      .end(body);
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

import { unavailable } from '@holdfast/kit';
import type { FastifyInstance } from 'fastify';
import { Counter } from 'prom-client';
import { routeTemplate } from '../routing/call.js';

const tickMs = 20;
/** With fewer under way a late loop says that the machine was busy elsewhere, and not that too much was asked of us. */
const minUnderWay = 64;
/** Whoever runs us asks these whether we live. */
const probes = new Set(['/healthz', '/readyz']);

const shed = new Counter({ name: 'holdfast_backlog_refused_total', help: 'Requests answered 503 at once, since the event loop was behind for longer than MAX_BACKLOG_MS' });

/**
 * How far the event loop is behind: a timer is due every 20 ms, and as long as it has not come, what is read from sockets
 * had to wait as long. Before any work is done for a request nothing else says how old it is.
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

/** Refuses what has waited too long already, before it costs anything: its caller is about to leave, and all behind it wait too. */
export function refuseBacklog(fastify: FastifyInstance, maxMs: number, backlog = new Backlog()): void {
  let underWay = 0;
  const ticking = setInterval(() => backlog.tick(), tickMs).unref();
  fastify.addHook('onClose', (_instance, done) => {
    clearInterval(ticking);
    done();
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    const refused = underWay >= minUnderWay && backlog.ageMs() > maxMs && !probes.has(routeTemplate(request));
    underWay += 1;
    reply.raw.once('close', () => (underWay -= 1));
    if (!refused) return done();
    shed.inc();
    done(unavailable('More is asked for than can be answered; try again in a moment.', 1, { dependency: 'admission', cause: 'overloaded' }));
  });
}

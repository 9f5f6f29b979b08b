import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Gauge } from 'prom-client';

const tickMs = 20;
/** Clients have time limits of some seconds, and one that gives up opens another connection, which costs more. */
const maxHoldSeconds = 5;

const heldRejections = new Gauge({
  name: 'holdfast_held_rejections',
  help: 'Requests that have been rejected, and get their response later because of HTTP_REJECTIONS_PER_SECOND',
});

/**
 * Responds to rejected requests at a limited rate, in their order, and to more when one would wait for longer than five
 * seconds. A caller that has no response yet sends no further request on its connection, so this limits the requests
 * that arrive: each one costs CPU time that a request in progress needs, however early it is rejected. Each connection
 * has at most one held request, so the limits of connections limit the held requests too.
 */
export class PacedRejections {
  private readonly held = new Map<Socket, () => void>();
  /** Responses per second: as many as it takes to respond to all held requests in time. */
  private rate: number;
  private permits: number;
  private refilledAtMs: number;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.rate = this.permits = perSecond;
    this.refilledAtMs = now();
  }

  /** Calls `respond` at once, or later unless the client has closed the connection. */
  reject(socket: Socket, response: ServerResponse, respond: () => void): void {
    // Responses to pipelined requests that wait for each other would fill the memory.
    this.take(socket)?.();
    this.refill();
    if (this.stopped || (this.held.size === 0 && this.permits >= 1)) {
      this.permits -= 1;
      return respond();
    }
    this.held.set(socket, respond);
    heldRejections.set(this.held.size);
    // It falls only when none is held: the last one that arrived before would wait longer.
    this.rate = Math.max(this.rate, this.held.size / maxHoldSeconds);
    response.once('close', () => this.held.get(socket) === respond && this.take(socket));
    this.timer ??= setInterval(() => this.release(), tickMs);
  }

  /** Responds to all held requests; from now on none is held. */
  stop(): void {
    this.stopped = true;
    this.release();
  }

  private release(): void {
    this.refill();
    for (const [socket, respond] of this.held) {
      if (this.permits < 1 && !this.stopped) break;
      this.take(socket);
      this.permits -= 1;
      respond();
    }
  }

  private take(socket: Socket): (() => void) | undefined {
    const respond = this.held.get(socket);
    this.held.delete(socket);
    heldRejections.set(this.held.size);
    if (this.held.size === 0) {
      this.rate = this.perSecond;
      clearInterval(this.timer);
      this.timer = undefined;
    }
    return respond;
  }

  private refill(): void {
    const now = this.now();
    const added = ((now - this.refilledAtMs) / 1000) * this.rate;
    this.permits = Math.min(this.rate, Math.max(0, this.permits) + added);
    this.refilledAtMs = now;
  }
}

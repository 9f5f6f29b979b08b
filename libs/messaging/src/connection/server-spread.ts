import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection, Server } from '@nats-io/transport-node';
import { peerServerSchema, peerServerSubject, type PeerServer, type ServiceName } from '@holdfast/contracts';
import type { Logger } from '@holdfast/platform';
import { subscribeValidated } from '../subscriptions/validated-subscription.js';
import { publishHint } from './connection-status.js';

const intervalMs = 250;
/** Every replica that runs, or starts at the same time, says where it is at least twice in it. */
const listenMs = 700;
/** Two replicas that start together may choose the same server once more. */
const maxRounds = 3;
const forgottenAfterMs = 10_000;

interface Peer {
  server: string;
  isChoosing: boolean;
  heardAtMs: number;
}

/**
 * Lets the replicas of one service use different servers of a NATS cluster, so that the loss of one server does not
 * disconnect all of them at once. Each says four times a second to the others where it is.
 */
export class ServerSpread {
  private readonly peers = new Map<string, Peer>();
  private readonly subject: string;
  private isChoosing = true;
  private isRefused = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    service: ServiceName,
    private readonly id: string,
  ) {
    this.subject = peerServerSubject(service);
  }

  /**
   * Moves to a server with fewer other replicas, before anything uses the connection. Without an answer of other
   * replicas, and where the other servers do not respond, it stays.
   */
  async choose(
    first: NatsConnection,
    servers: readonly string[],
    connectTo: (server: string) => Promise<NatsConnection>,
    logger: Logger,
  ): Promise<NatsConnection> {
    let connection = first;
    this.follow(connection);
    for (let round = 0; round < maxRounds; round += 1) {
      await sleep(listenMs);
      const target = this.betterServer(connection.getServer(), servers);
      if (target === undefined) break;
      const next = await connectTo(target).catch(() => undefined);
      if (!next) break;
      logger.info(`other replicas use the NATS server ${connection.getServer()}, so this one moves to ${target}`);
      await this.leave(connection);
      connection = next;
      this.follow(connection);
    }
    this.isChoosing = false;
    return connection;
  }

  /** How many other replicas use a server. */
  peersAt(server: string): number {
    const now = performance.now();
    let count = 0;
    for (const peer of this.peers.values())
      if (peer.server === server && now - peer.heardAtMs < forgottenAfterMs) count += 1;
    return count;
  }

  /** Stops, after NATS has refused the subject: nats.conf is older than this version. */
  refused(subject: string): boolean {
    if (subject !== this.subject) return false;
    const isFirst = !this.isRefused;
    this.isRefused = true;
    clearInterval(this.timer);
    return !isFirst;
  }

  private follow(connection: NatsConnection): void {
    subscribeValidated(connection, this.subject, peerServerSchema, ({ replica, server, choosing = false }) => {
      if (replica === this.id) return;
      this.peers.set(replica, { server, isChoosing: choosing, heardAtMs: performance.now() });
      for (const [id, { heardAtMs }] of this.peers)
        if (performance.now() - heardAtMs > forgottenAfterMs) this.peers.delete(id);
    });
    const publish = (): void => {
      if (connection.isClosed()) return clearInterval(this.timer);
      const own = { replica: this.id, server: connection.getServer(), choosing: this.isChoosing };
      publishHint(connection, this.subject, own satisfies PeerServer);
    };
    clearInterval(this.timer);
    if (this.isRefused) return;
    publish();
    this.timer = setInterval(publish, intervalMs);
    this.timer.unref();
  }

  private async leave(connection: NatsConnection): Promise<void> {
    clearInterval(this.timer);
    await connection.close();
  }

  /**
   * The server with the fewest other replicas, if this one shares its server with more. Of several that choose at the
   * same time on one server, the one with the lowest id stays.
   */
  private betterServer(own: string, servers: readonly string[]): string | undefined {
    const here = this.peersAt(own);
    let best: string | undefined;
    for (const server of servers)
      if (this.peersAt(server) < (best === undefined ? here : this.peersAt(best))) best = server;
    if (best === undefined) return undefined;
    const sharing = [...this.peers].filter(([, { server }]) => server === own);
    const staysHere = sharing.every(([id, { isChoosing }]) => isChoosing && this.id < id);
    return staysHere ? undefined : best;
  }
}

/**
 * The server that was not tried for the longest time; of several, the one with the fewest other replicas. So the server
 * that was lost is the last one to be tried. The client itself would begin with it, and wait for a dead address.
 */
export function nextServer(pool: readonly Server[], spread: ServerSpread | undefined): Server {
  const rank = ({ listen }: Server): number => spread?.peersAt(listen) ?? 0;
  return pool.reduce((best, server) => {
    if (server.lastConnect !== best.lastConnect) return server.lastConnect < best.lastConnect ? server : best;
    return rank(server) < rank(best) ? server : best;
  });
}

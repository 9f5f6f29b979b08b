import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRemoteJWKSet, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { ClientTokens, type Client } from './client-token.ts';
import { apiErrorOf, send } from './errors.ts';
import { verifyToken } from './verify-token.ts';

export interface Receiver extends Client {
  issuer: string;
}

/** The claims of a security event token (RFC 8417, and the Shared Signals Framework 1.0). */
export interface SecurityEvent extends JWTPayload {
  jti: string;
  sub_id: { format: string; sub?: string };
  /** One event, under its URI. */
  events: Record<string, Record<string, unknown>>;
}

interface Transmitter {
  jwks_uri: string;
  configuration_endpoint: string;
}
interface Stream {
  delivery: { endpoint_url: string };
}

const scope = 'ssf.manage ssf.read';
/** Holdfast responds to a poll after twenty seconds when nothing has happened. */
const pollTimeoutMs = 40_000;
const pauseAfterErrorMs = 5000;
const keptEvents = 50;

/**
 * Polls the security events of the organization (RFC 8936), and keeps the latest of them. Emits `event` for each.
 *
 * A real app acknowledges a token after it has stored it: what it has not acknowledged comes again.
 */
export class SecurityEvents extends EventEmitter<{ event: [SecurityEvent] }> {
  /** The latest, oldest first. */
  readonly recent: SecurityEvent[] = [];
  readonly #receiver: Receiver;
  readonly #tokens: ClientTokens;
  readonly #stopped = new AbortController();
  #stream: { keys: JWTVerifyGetKey; pollUrl: string } | undefined;
  #acknowledged: string[] = [];

  constructor(receiver: Receiver) {
    super();
    this.#receiver = receiver;
    this.#tokens = new ClientTokens(receiver);
  }

  /** Polls until it is stopped. After an error it waits for five seconds, and acknowledges what it had to again. */
  async run(warn: (message: string) => void): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted)
      try {
        await this.poll();
      } catch (error) {
        if (signal.aborted) return;
        warn(`Security events cannot be received: ${String(error)}`);
        await sleep(pauseAfterErrorMs, undefined, { signal, ref: false }).catch(() => undefined);
      }
  }

  stop(): void {
    this.#stopped.abort();
  }

  /** One poll: acknowledges what the last one brought, and waits for more. */
  async poll(): Promise<void> {
    this.#stream ??= await this.#openStream();
    const { keys, pollUrl } = this.#stream;
    const { sets } = await this.#call<{ sets: Record<string, string> }>('POST', pollUrl, { ack: this.#acknowledged });
    this.#acknowledged = [];
    for (const [jti, token] of Object.entries(sets)) {
      const event = await this.#verify(token, keys);
      // A token that is not valid is not for this app: to receive it again does not help.
      this.#acknowledged.push(jti);
      if (event && !this.recent.some((known) => known.jti === event.jti)) this.#keep(event);
    }
  }

  #keep(event: SecurityEvent): void {
    this.recent.push(event);
    if (this.recent.length > keptEvents) this.recent.shift();
    this.emit('event', event);
  }

  /** Finds the transmitter (SSF 1.0 §7.2), and the stream of an earlier start. Without one it creates the stream. */
  async #openStream(): Promise<{ keys: JWTVerifyGetKey; pollUrl: string }> {
    const { origin, pathname } = new URL(this.#receiver.issuer);
    const discovered = await send(`${origin}/.well-known/ssf-configuration${pathname}`, {});
    if (!discovered.ok) throw await apiErrorOf(discovered);
    const { jwks_uri: keysUrl, configuration_endpoint: streamsUrl } = (await discovered.json()) as Transmitter;
    const [existing] = await this.#call<Stream[]>('GET', streamsUrl);
    const stream = existing ?? (await this.#call<Stream>('POST', streamsUrl, { description: 'Live view of the shop' }));
    return { keys: createRemoteJWKSet(new URL(keysUrl)), pollUrl: stream.delivery.endpoint_url };
  }

  /** @returns undefined for a token that is not valid */
  async #verify(token: string, keys: JWTVerifyGetKey): Promise<SecurityEvent | undefined> {
    const { issuer, clientId } = this.#receiver;
    const claims = await verifyToken(token, keys, {
      issuer,
      audience: clientId,
      typ: 'secevent+jwt',
      algorithms: ['RS256'],
      requiredClaims: ['jti', 'iat', 'sub_id', 'events'],
    });
    return claims as SecurityEvent | undefined;
  }

  async #call<Body>(method: string, url: string, json?: object): Promise<Body> {
    const response = await send(
      url,
      {
        method,
        headers: {
          authorization: `Bearer ${await this.#tokens.get(scope)}`,
          ...(json && { 'content-type': 'application/json' }),
        },
        ...(json && { body: JSON.stringify(json) }),
        signal: this.#stopped.signal,
      },
      pollTimeoutMs,
    );
    if (response.ok) return (await response.json()) as Body;
    const error = await apiErrorOf(response);
    this.#recover(error);
    throw error;
  }

  /** The token or the stream is not valid any more, so the next poll gets another. */
  #recover({ status }: { status: number }): void {
    if (status === 401 || status === 403) this.#tokens.clear(scope);
    if (status === 404) this.#stream = undefined;
  }
}

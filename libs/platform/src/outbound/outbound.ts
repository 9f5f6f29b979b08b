import { Agent, request, type Dispatcher } from 'undici';
import type { Logger } from '../logger.js';
import { guardedConnector, resolveWithNameServers, type Resolve } from './connector.js';
import { requireDestination, type OutboundRules } from './destination.js';
import { OutboundError } from './outbound-error.js';

export interface OutboundRequest {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Milliseconds for all of it: name, connection, answer. */
  timeoutMs?: number;
  /** Bytes of the answer that are read; one that has more is refused. */
  maxBytes?: number;
}

export interface OutboundResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

const defaultTimeoutMs = 10_000;
const defaultMaxBytes = 65_536;

/**
 * The only client for addresses that an outsider chose: https to public addresses only, no
 * redirects, no cookies, no proxy of the environment, a limit of time and of size. `OUTBOUND_ALLOW` names the
 * exceptions.
 */
export class Outbound {
  private readonly agent: Agent;

  constructor(
    private readonly rules: OutboundRules,
    logger: Logger,
    resolve: Resolve = resolveWithNameServers,
  ) {
    for (const origin of rules.allow)
      logger.warn(
        { origin },
        `OUTBOUND_ALLOW lets this service call ${origin}, whatever it leads to: right for tests and self-hosting, and for nothing else`,
      );
    this.agent = new Agent({ connect: guardedConnector(rules, resolve), maxHeaderSize: 16_384 });
  }

  /**
   * Whether the URL may be called, as far as can be told without calling: for when it is registered. @throws
   * OutboundError
   */
  check(url: string): void {
    requireDestination(url, this.rules);
  }

  /** @throws OutboundError, also for every answer that is not 2xx */
  async request(
    url: string,
    { timeoutMs = defaultTimeoutMs, ...call }: OutboundRequest = {},
  ): Promise<OutboundResponse> {
    const signal = AbortSignal.timeout(timeoutMs);
    // The library looks at the signal once it is connected: a name or a server that keeps silent would be waited for
    // longer.
    const over = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    );
    try {
      return await Promise.race([this.call(url, call, signal), over]);
    } catch (error) {
      throw toOutboundError(error, signal);
    }
  }

  private async call(
    url: string,
    { method = 'POST', headers, body, maxBytes = defaultMaxBytes }: OutboundRequest,
    signal: AbortSignal,
  ): Promise<OutboundResponse> {
    const answer = await request(requireDestination(url, this.rules), {
      dispatcher: this.agent,
      method,
      signal,
      body: body ?? null,
      headers: { 'user-agent': 'Holdfast', accept: '*/*', 'accept-encoding': 'identity', ...headers },
    });
    const { statusCode: status } = answer;
    if (status < 200 || status > 299) {
      answer.body.on('error', () => undefined).destroy();
      throw new OutboundError(
        'status',
        status >= 300 && status < 400 ? `status ${status}: redirects are not followed.` : `status ${status}.`,
        status,
      );
    }
    return { status, headers: answer.headers, body: await readBody(answer.body, maxBytes) };
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

async function readBody(body: Dispatcher.ResponseData['body'], most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop destroys the stream, and with it the connection.
    if (size > most) throw new OutboundError('too large', `too large: the answer has more than ${most} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What went wrong on the way to a connection may say much about a network: only its kind is passed on. */
function toOutboundError(error: unknown, signal: AbortSignal): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (signal.aborted || /TIMEOUT/.test(code)) return new OutboundError('timed out', 'timed out.');
  return new OutboundError('no answer', 'no answer.');
}

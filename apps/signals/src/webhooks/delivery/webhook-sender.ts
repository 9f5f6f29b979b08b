import { createPrivateKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { MakerRights } from '@holdfast/access';
import { webhookMessageOf } from '@holdfast/contracts';
import { CLOCK, LogBudget, OutboundError, secondsSince, type Clock, type Outbound } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { SignalsConfig } from '../../config.js';
import { makerOfRow } from '../../makers/maker-columns.js';
import { Outbounds } from '../../sending/outbounds.js';
import { signatureHeaders } from '../../standard-webhooks/signature.js';
import { EndpointMakers, operationOfMakers } from '../endpoint-makers.js';
import type { EndpointRow } from '../endpoint.js';
import { attempts, firstAttemptLag } from '../metrics.js';
import { WebhookSecrets } from '../secrets.js';
import { WebhookKeys } from '../webhook-keys.js';
import { attemptTimeoutMs, type Claim, type Outcome } from './claim.js';
import { WebhookDeliveries } from './deliveries.js';
import { Outcomes } from './outcomes.js';

/** How long a message waits when it is unknown whether it may be sent. That is no fault of the endpoint. */
const unknownRightsPauseMs = 2000;
/** After this time a process may have been paused, and what it claimed erased or taken over meanwhile. */
const trustedMs = 1000;
/** Of the response: read so much at most, and keep its beginning for the people who look for a fault. */
const maxResponseBytes = 65_536;
const keptResponseLength = 1024;

/** What an attempt needs of an endpoint. */
export type Target = Pick<EndpointRow, 'url' | 'headers' | 'secrets' | 'signatures'> & {
  endpoint: string;
  org: string;
};
export type Attempt = Pick<Outcome, 'latencyMs' | 'status' | 'response' | 'error' | 'retryAfterMs'>;

/** Sends messages, and stores what came of it. */
@Injectable()
export class WebhookSender {
  private readonly logger = new Logger('webhooks');
  private readonly failureLines = new LogBudget(1);
  private readonly outbound: Outbound;

  constructor(
    private readonly deliveries: WebhookDeliveries,
    private readonly outcomes: Outcomes,
    private readonly secrets: WebhookSecrets,
    private readonly keys: WebhookKeys,
    private readonly rights: MakerRights,
    private readonly makers: EndpointMakers,
    outbounds: Outbounds,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: SignalsConfig,
  ) {
    this.outbound = outbounds.ofOrganizations;
  }

  /** Never throws. When the outcome cannot be stored, the message is sent again after the lease. */
  async send(claim: Claim, isStopping: () => boolean): Promise<void> {
    try {
      await this.sendOnce(claim, isStopping);
    } catch (error) {
      if (this.failureLines.take())
        this.logger.warn(`The attempt to send ${claim.event} to ${claim.endpoint} is repeated later: ${String(error)}`);
    }
  }

  private async sendOnce(claim: Claim, isStopping: () => boolean): Promise<void> {
    const may = await this.maySend(claim);
    if (may === false) await this.makers.pauseOne(claim.endpoint, claim.endpoint_version);
    if (!may) return this.deliveries.release(claim, may === undefined ? unknownRightsPauseMs : 0);
    if (performance.now() - claim.leasedAtMs > trustedMs && !(await this.deliveries.holds(claim))) return;
    const at = this.clock.now();
    if (claim.tries === 0 && !claim.catches_up)
      firstAttemptLag.observe(Math.max(0, at.getTime() - claim.created_at.getTime()) / 1000);
    const attempt = claim.data
      ? await this.attempt(claim, claim.event, this.bodyOf(claim, claim.data))
      : { latencyMs: 0, error: 'the feed does not keep the event any more.' };
    // The process has ended the attempt, not the receiver.
    if (attempt.error !== undefined && isStopping()) return;
    attempts.observe({ outcome: attempt.error === undefined ? 'succeeded' : 'failed' }, attempt.latencyMs / 1000);
    await this.outcomes.store({ claim, at, ...attempt });
  }

  /**
   * Whether the maker of the endpoint may still manage webhooks; undefined when that is unknown: then nothing is sent
   * (product §4). The event of the lost right may not have arrived yet.
   */
  private maySend(claim: Claim): Promise<boolean | undefined> {
    return this.rights.has(claim.org, makerOfRow(claim), operationOfMakers).catch(() => undefined);
  }

  private bodyOf({ org, event, seq, type, occurred_at, version }: Claim, data: Record<string, unknown>): string {
    const message = { id: event, seq, type, occurredAt: occurred_at.toISOString(), version, data };
    return JSON.stringify(webhookMessageOf(message, this.sourceOf(org)));
  }

  /** The organization's issuer: the source of its events. */
  sourceOf(org: string): string {
    return `${this.config.BASE_URL}/o/${org}`;
  }

  /** One attempt, signed now over exactly this body. Never throws. */
  async attempt(target: Target, messageId: string, body: string, timeoutMs = attemptTimeoutMs): Promise<Attempt> {
    const startedAtMs = performance.now();
    const latencyMs = () => Math.round(secondsSince(startedAtMs) * 1000);
    try {
      const {
        status,
        headers,
        body: response,
      } = await this.outbound.request(target.url, {
        headers: await this.headersOf(target, messageId, body),
        body,
        timeoutMs,
        maxBytes: maxResponseBytes,
        ignoresRest: true,
        acceptedStatuses: 'all',
      });
      const retryAfterMs = retryAfterMsOf(headers['retry-after'], this.clock.now());
      const answered = { latencyMs: latencyMs(), status, response: readable(response) };
      return status >= 200 && status < 300
        ? answered
        : { ...answered, error: errorOfStatus(status), ...(retryAfterMs !== undefined && { retryAfterMs }) };
    } catch (error) {
      return { latencyMs: latencyMs(), error: errorOf(error) };
    }
  }

  private async headersOf(target: Target, messageId: string, body: string): Promise<Record<string, string>> {
    const { endpoint: id, org, secrets, headers, signatures } = target;
    const own = this.secrets.headersOf({ id, headers });
    const isSignedBy = (name: Target['signatures'][number]) => signatures.includes(name);
    const keys: KeyObject[] = isSignedBy('v1a')
      ? (await this.keys.signingKeys(org)).map((key) => createPrivateKey(key))
      : [];
    const signed = { messageId, body, now: this.clock.now() };
    return {
      ...own,
      'content-type': 'application/cloudevents+json; charset=utf-8',
      ...signatureHeaders(signed, {
        ...(isSignedBy('v1') && { secrets: this.secrets.secretsOf({ id, secrets }) }),
        keys,
      }),
    };
  }
}

/** What people may see of a response: text without control characters. */
function readable(body: Buffer): string {
  const text = body.subarray(0, keptResponseLength).toString('utf8');
  return text.replace(/[^\P{Cc}\t\n\r]|\uFFFD/gu, '?');
}

function errorOfStatus(status: number): string {
  if (status === 410) return 'the receiver responded with status 410: the endpoint is gone.';
  if (status >= 300 && status < 400) return `the receiver responded with status ${status}: redirects are not followed.`;
  return `the receiver responded with status ${status}.`;
}

/** In words for the people who manage the endpoint: never what an internal address has answered. */
function errorOf(error: unknown): string {
  if (error instanceof OutboundError) return `the receiver cannot be reached: ${error.message}`;
  return 'the message could not be sent: its secret, headers or key cannot be decrypted. Rotate or replace them.';
}

/** RFC 9110 §10.2.3: seconds, or a date. */
function retryAfterMsOf(value: string | string[] | undefined, now: Date): number | undefined {
  if (typeof value !== 'string') return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}

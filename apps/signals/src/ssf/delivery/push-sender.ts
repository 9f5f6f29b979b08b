import { Injectable, Logger } from '@nestjs/common';
import { z } from 'zod';
import { MakerRights } from '@holdfast/access';
import { LogBudget, OutboundError, secondsSince, type Outbound } from '@holdfast/platform';
import { makerOfRow } from '../../makers/maker-columns.js';
import { Outbounds } from '../../sending/outbounds.js';
import { Authorizations } from '../authorizations.js';
import { pushes } from '../metrics.js';
import { operationOfMakers, scopeOfReceivers, StreamMakers } from '../stream-makers.js';
import { TokenSigner } from '../token-signer.js';
import { PushDeliveries, type Claim, type PushOutcome } from './push-deliveries.js';

/** Time for one push: lookup, connection and the response. */
const timeoutMs = 15_000;
const maxResponseBytes = 65_536;
/** How long a token waits when it is unknown whether it may be sent, or it cannot be signed now. */
const unknownPauseMs = 2000;
/** After this time a process may have been paused, and what it claimed erased or taken over meanwhile. */
const trustedMs = 1000;

/** RFC 8935 §2.3. */
const rejection = z.object({ err: z.string().max(100), description: z.string().optional() });

/** Pushes tokens (RFC 8935), and stores what came of it. */
@Injectable()
export class PushSender {
  private readonly logger = new Logger('ssf');
  private readonly failureLines = new LogBudget(1);
  private readonly outbound: Outbound;

  constructor(
    private readonly deliveries: PushDeliveries,
    private readonly signer: TokenSigner,
    private readonly authorizations: Authorizations,
    private readonly rights: MakerRights,
    private readonly makers: StreamMakers,
    outbounds: Outbounds,
  ) {
    this.outbound = outbounds.ofOrganizations;
  }

  /** Never throws. When the outcome cannot be stored, the token is sent again after the lease. */
  async send(claim: Claim, isStopping: () => boolean): Promise<void> {
    try {
      await this.sendOnce(claim, isStopping);
    } catch (error) {
      if (this.failureLines.take())
        this.logger.warn(`The push of ${claim.jti} to stream ${claim.stream} is repeated later: ${String(error)}`);
    }
  }

  private async sendOnce(claim: Claim, isStopping: () => boolean): Promise<void> {
    const may = await this.maySend(claim);
    if (may === false) await this.makers.pauseOne(claim.stream, claim.stream_version);
    const token = may ? await this.signer.sign(claim).catch(() => undefined) : undefined;
    if (token === undefined) return this.deliveries.release(claim, may === false ? 0 : unknownPauseMs);
    if (performance.now() - claim.leasedAtMs > trustedMs && !(await this.deliveries.holds(claim))) return;
    const startedAtMs = performance.now();
    const outcome = await this.push(claim, token);
    // The process has ended the attempt, not the receiver.
    if (outcome.result === 'failed' && isStopping()) return;
    pushes.observe({ outcome: outcome.result }, secondsSince(startedAtMs));
    await this.deliveries.store(claim, outcome);
  }

  /** Receiver and maker must have their rights now; undefined when that is unknown: then nothing is sent. */
  private async maySend(claim: Claim): Promise<boolean | undefined> {
    const { org, receiver } = claim;
    const maker = makerOfRow(claim);
    const isOfReceiver = maker?.type === 'app' && maker.id === receiver;
    try {
      const all = await Promise.all([
        this.rights.has(org, { type: 'app', id: receiver }, scopeOfReceivers),
        isOfReceiver || this.rights.has(org, maker, operationOfMakers),
      ]);
      return all.every(Boolean);
    } catch {
      return undefined;
    }
  }

  private async push(claim: Claim, token: string): Promise<PushOutcome> {
    try {
      const { stream, endpoint_url: url, authorization_header: sealed } = claim;
      const { status, headers, body } = await this.outbound.request(url, {
        headers: {
          'content-type': 'application/secevent+jwt',
          accept: 'application/json',
          ...(sealed && { authorization: this.authorizations.open(stream, sealed) }),
        },
        body: token,
        timeoutMs,
        maxBytes: maxResponseBytes,
        ignoresRest: true,
        acceptedStatuses: 'all',
      });
      if (status >= 200 && status < 300) return { result: 'delivered' };
      if (status === 400) return { result: 'rejected', error: rejectionOf(body) };
      const detail =
        status >= 300 && status < 400
          ? `the receiver responded with status ${status}: redirects are not followed.`
          : `the receiver responded with status ${status}.`;
      const retryAfterMs = /^\d{1,6}$/.exec(String(headers['retry-after']));
      return { result: 'failed', detail, ...(retryAfterMs && { retryAfterMs: Number(retryAfterMs[0]) * 1000 }) };
    } catch (error) {
      if (error instanceof OutboundError)
        return { result: 'failed', detail: `the receiver cannot be reached: ${error.message}` };
      return {
        result: 'failed',
        detail: 'its Authorization cannot be decrypted. Change the stream with a new one.',
      };
    }
  }
}

/** What the receiver says about a token that it does not accept; it may say nothing. */
function rejectionOf(body: Buffer): { err: string; description?: string } {
  try {
    const { err, description } = rejection.parse(JSON.parse(body.toString('utf8')));
    return { err: readable(err), ...(description !== undefined && { description: readable(description) }) };
  } catch {
    return { err: 'invalid_request', description: 'The receiver responded with status 400 and no error.' };
  }
}

function readable(text: string): string {
  return text.slice(0, 500).replace(/[\p{Cc}\uFFFD]/gu, '?');
}

import { randomBytes, randomUUID } from 'node:crypto';
import { jwtVerify, type JWTPayload, type JWTVerifyResult } from 'jose';
import {
  createOwnStream,
  deliveryMethods,
  pollStream,
  type CustomerEvent,
  type NewStream,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
  type SsfStream,
} from '@holdfast/contracts';
import { eventBase, testContext } from '@holdfast/testing';
import { signingKey } from '../audit-destinations/destinations-stack.fixture.js';
import { offered, WebhooksStack } from '../webhooks/webhooks-stack.fixture.js';

/** Claims of a security event token. */
export interface TokenClaims extends JWTPayload {
  txn?: string;
  sub_id: { format: string; sub?: string; id?: string };
  events: Record<string, Record<string, unknown>>;
}
type Poll = Partial<RequestOf<typeof pollStream>['poll']>;

/** A receiver: an app of an organization of its own. */
export class TestReceiver {
  readonly org = `org-${randomUUID().slice(0, 8)}`;
  readonly clientId: string;
  readonly context: RequestContext;

  constructor(
    readonly stack: WebhooksStack,
    { audience = 'customers', org }: { audience?: 'customers' | 'people'; org?: string } = {},
  ) {
    if (org !== undefined) this.org = org;
    const random = randomBytes(16).toString('base64url');
    this.clientId = `app_${audience === 'people' ? `people${random.slice(6)}` : random.replace(/people/, 'x')}`;
    this.context = testContext({ org: this.org, actor: { type: 'app', id: this.clientId, name: 'SIEM' } });
  }

  async create(given: Partial<NewStream> = {}): Promise<SsfStream> {
    const reply = await this.stack.bus.request(createOwnStream, { stream: { ...given } }, this.context);
    return reply.stream;
  }

  /** With tokens pushed to a path of the stack's receiver. */
  pushed(path: string, given: Partial<NewStream> = {}, authorization?: string): Promise<SsfStream> {
    return this.create({
      ...given,
      delivery: {
        method: deliveryMethods.push,
        endpoint_url: `${this.stack.receiver.origin}${path}`,
        ...(authorization !== undefined && { authorization_header: authorization }),
      },
    });
  }

  poll(id: string, poll: Poll = {}): Promise<ReplyOf<typeof pollStream>> {
    return this.stack.bus.request(
      pollStream,
      { stream_id: id, poll: { returnImmediately: true, ...poll } },
      this.context,
    );
  }
}

/** Verifies a token, whose receiver reads the current time. */
export async function verified(token: string): Promise<JWTVerifyResult<TokenClaims>> {
  return jwtVerify<TokenClaims>(token, signingKey, { typ: 'secevent+jwt', algorithms: ['RS256'] });
}

/** Name of the event of a token, such as `credential-change`. */
export function nameOf({ events }: TokenClaims): string {
  return Object.keys(events)[0]!.split('/').at(-1)!;
}

/** A customer whose events follow each other. */
export class TestCustomer {
  readonly subject = randomUUID();
  private readonly credentialId = randomUUID();
  private version = 0;

  constructor(private readonly org: string) {}

  /** The next event, with the state after it. */
  next(type: CustomerEvent['type'], live = 1, reason?: string): CustomerEvent {
    this.version += 1;
    const { subject, org, version, credentialId } = this;
    if (type === 'offer.created') return offered({ subject, org, version });
    const occurredAt = new Date().toISOString();
    const isErasure = type === 'subject.erasure_started' || type === 'subject.erased';
    const status = live > 0 ? 'issued' : type === 'credential.revoked' ? 'revoked' : 'suspended';
    return {
      ...eventBase(),
      ...{ id: randomUUID(), org, version, type, subject },
      ...(type !== 'subject.erasure_started' && {
        data: isErasure ? { subject } : { subject, credentialId, credentialType: 'customer' },
      }),
      ...(!isErasure && {
        state: {
          ...{ subject, app: 'app-1', createdAt: occurredAt, offers: [] },
          credentials: [
            {
              ...{ id: credentialId, credentialType: 'customer', status, revocable: true, holderId: subject },
              ...{
                createdAt: occurredAt,
                issuedAt: occurredAt,
                ...(reason !== undefined && { revokedReason: reason }),
              },
            },
          ],
        },
      }),
    };
  }
}

import { appAccess, type AccessEntry, type ServiceName } from '@holdfast/contracts';
import { systemContext, type Bus } from '@holdfast/messaging';
import { AppError, unavailable } from '@holdfast/platform';
import { revocationReason, type TokenOrigin } from './revocation-rule.js';

/** How long a reply is reused for the same app, so that a burst of requests becomes four queries a second. */
const ttlMs = 250;

/** Queries directory about single apps while the revocation feed has no heartbeat. */
export class IntrospectionFallback {
  private readonly replies = new Map<string, { expiresAt: number; entries: Promise<AccessEntry[]> }>();

  constructor(
    private readonly bus: Bus,
    private readonly service: ServiceName,
  ) {}

  /** @throws unavailable when directory does not reply */
  async check(token: TokenOrigin): Promise<'valid' | 'revoked'> {
    const entries = await this.entriesOf(token);
    const app = entries.find((e) => e.kind === 'app');
    const organization = entries.find((e) => e.kind === 'organization');
    // Unlike the feed, this reply has entries of both, or directory does not know the app or organization.
    if (!app || !organization) return 'revoked';
    return revocationReason(token, app, organization) ? 'revoked' : 'valid';
  }

  private entriesOf({ client_id, org }: TokenOrigin): Promise<AccessEntry[]> {
    const key = `${org} ${client_id}`;
    const now = performance.now();
    const cached = this.replies.get(key);
    if (cached && cached.expiresAt > now) return cached.entries;
    this.deleteExpired(now);
    const entries = this.request(client_id, org);
    this.replies.set(key, { expiresAt: now + ttlMs, entries });
    entries.catch(() => this.replies.delete(key));
    return entries;
  }

  private async request(clientId: string, org: string): Promise<AccessEntry[]> {
    try {
      return (await this.bus.request(appAccess, { clientId, org }, systemContext(this.service))).entries;
    } catch (error) {
      throw error instanceof AppError && error.code === 'unavailable'
        ? error
        : unavailable('directory sent no usable reply', 1, { dependency: 'directory', cause: 'unavailable' });
    }
  }

  private deleteExpired(now: number): void {
    for (const [key, { expiresAt }] of this.replies) if (expiresAt <= now) this.replies.delete(key);
  }
}

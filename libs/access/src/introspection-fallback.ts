import { appAccess, type AccessEntry, type RequestOf, type ServiceName } from '@holdfast/contracts';
import { systemContext, type Bus } from '@holdfast/messaging';
import { AppError, unavailable } from '@holdfast/platform';
import {
  personRevocationReason,
  revocationReason,
  type PersonTokenOrigin,
  type TokenOrigin,
} from './revocation-rule.js';

/** How long a reply is reused for the same app or person, so that a burst of requests becomes four queries a second. */
const ttlMs = 250;

type EntriesByKind = Partial<Record<AccessEntry['kind'], AccessEntry>>;

/** Queries directory about single apps and people while the revocation feed has no heartbeat. */
export class IntrospectionFallback {
  private readonly replies = new Map<string, { expiresAt: number; entries: Promise<AccessEntry[]> }>();

  constructor(
    private readonly bus: Bus,
    private readonly service: ServiceName,
  ) {}

  /** @throws unavailable when directory does not reply */
  async check(token: TokenOrigin): Promise<'valid' | 'revoked'> {
    const { app, organization } = await this.entriesOf(token.client_id, token.org);
    // Unlike the feed, this reply has entries of both, or directory does not know the app or organization.
    if (!app || !organization) return 'revoked';
    return revocationReason(token, app, organization) ? 'revoked' : 'valid';
  }

  /** @throws unavailable when directory does not reply */
  async checkPerson(token: PersonTokenOrigin): Promise<'valid' | 'revoked'> {
    const { app, organization, person } = await this.entriesOf(token.client_id, token.org, token.sub);
    if (!app || !organization || !person) return 'revoked';
    return personRevocationReason(token, person, app, organization) ? 'revoked' : 'valid';
  }

  private async entriesOf(clientId: string, org: string, person?: string): Promise<EntriesByKind> {
    const entries = await this.cached(clientId, org, person);
    return Object.fromEntries(entries.map((entry) => [entry.kind, entry]));
  }

  private cached(clientId: string, org: string, person: string | undefined): Promise<AccessEntry[]> {
    const key = `${org} ${clientId} ${person ?? ''}`;
    const now = performance.now();
    const cached = this.replies.get(key);
    if (cached && cached.expiresAt > now) return cached.entries;
    this.deleteExpired(now);
    const entries = this.request({ clientId, org, ...(person !== undefined && { person }) });
    this.replies.set(key, { expiresAt: now + ttlMs, entries });
    entries.catch(() => this.replies.delete(key));
    return entries;
  }

  private async request(subjects: RequestOf<typeof appAccess>): Promise<AccessEntry[]> {
    try {
      return (await this.bus.request(appAccess, subjects, systemContext(this.service))).entries;
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

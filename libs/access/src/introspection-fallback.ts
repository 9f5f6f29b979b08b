import { appAccess, type AccessEntry, type ServiceName } from '@holdfast/contracts';
import { systemContext, type Bus } from '@holdfast/messaging';
import { AppError, unavailable } from '@holdfast/platform';
import { revocationReason, type TokenOrigin } from './revocation-rule.js';

/**
 * For how long an answer serves further requests of the same app, in ms: an app's burst becomes four questions a
 * second.
 */
const ttlMs = 250;

/** Asks directory about each app while the feed is silent. */
export class IntrospectionFallback {
  private readonly answers = new Map<string, { until: number; answer: Promise<AccessEntry[]> }>();

  constructor(
    private readonly bus: Bus,
    private readonly service: ServiceName,
  ) {}

  /** @throws unavailable when directory does not answer */
  async check(token: TokenOrigin): Promise<'ok' | 'refused'> {
    const entries = await this.ask(token);
    const app = entries.find((e) => e.kind === 'app');
    const organization = entries.find((e) => e.kind === 'organization');
    // Here, unlike in the feed, directory tells of both or does not know them.
    if (!app || !organization) return 'refused';
    return revocationReason(token, app, organization) ? 'refused' : 'ok';
  }

  private ask({ client_id, org }: TokenOrigin): Promise<AccessEntry[]> {
    const key = `${org} ${client_id}`;
    const now = performance.now();
    const known = this.answers.get(key);
    if (known && known.until > now) return known.answer;
    this.forgetOld(now);
    const answer = this.request(client_id, org);
    this.answers.set(key, { until: now + ttlMs, answer });
    answer.catch(() => this.answers.delete(key));
    return answer;
  }

  private async request(clientId: string, org: string): Promise<AccessEntry[]> {
    try {
      return (await this.bus.request(appAccess, { clientId, org }, systemContext(this.service))).entries;
    } catch (error) {
      throw error instanceof AppError && error.code === 'unavailable'
        ? error
        : unavailable('directory cannot answer', 1, { dependency: 'directory', cause: 'unavailable' });
    }
  }

  private forgetOld(now: number): void {
    for (const [key, { until }] of this.answers) if (until <= now) this.answers.delete(key);
  }
}

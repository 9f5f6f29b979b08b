import { Injectable } from '@nestjs/common';
import { maxSignedEvents, signSecurityEvents, type SecurityEventClaims } from '@holdfast/contracts';
import { Bus, systemContext } from '@holdfast/messaging';
import { Batcher } from '@holdfast/platform';

interface Waiting {
  org: string;
  claims: SecurityEventClaims;
  resolve: (token: string) => void;
  reject: (error: unknown) => void;
}

/** What a token needs of its row. */
export interface Signable {
  org: string;
  receiver: string;
  jti: string;
  claims: Omit<SecurityEventClaims, 'jti' | 'aud'>;
}

/** A receiver that polls again at once gets the same tokens, and costs auth no further signatures. */
const keptMs = 60_000;
const maxKept = 10_000;

/**
 * Has auth sign security event tokens, those of one moment together. A token is signed when it leaves: so it is always
 * signed with a key that the issuer publishes, however long it has waited (ADR 0079).
 */
@Injectable()
export class TokenSigner {
  private readonly batcher = new Batcher<Waiting>((batch) => this.signBatch(batch), {
    maxItems: maxSignedEvents,
    maxInFlight: 4,
    slowAfterMs: 20,
  });

  /** By receiver and `jti`, in the order in which they were signed. */
  private readonly kept = new Map<string, { signedAtMs: number; token: string }>();

  constructor(private readonly bus: Bus) {}

  /** @throws unavailable when auth does not reply */
  async sign({ org, receiver, jti, claims }: Signable): Promise<string> {
    const key = `${receiver} ${jti}`;
    const known = this.kept.get(key);
    if (known && performance.now() - known.signedAtMs < keptMs) return known.token;
    const token = await new Promise<string>((resolve, reject) =>
      this.batcher.add({ org, claims: { ...claims, jti, aud: receiver }, resolve, reject }),
    );
    this.kept.delete(key);
    this.kept.set(key, { signedAtMs: performance.now(), token });
    this.forgetOld();
    return token;
  }

  private forgetOld(): void {
    const oldestMs = performance.now() - keptMs;
    for (const [key, { signedAtMs }] of this.kept) {
      if (signedAtMs > oldestMs && this.kept.size <= maxKept) return;
      this.kept.delete(key);
    }
  }

  private async signBatch(batch: Waiting[]): Promise<void> {
    const byOrganization = Map.groupBy(batch, ({ org }) => org);
    await Promise.all([...byOrganization].map(([org, all]) => this.signOf(org, all)));
  }

  private async signOf(org: string, all: Waiting[]): Promise<void> {
    try {
      const events = all.map(({ claims }) => claims);
      const { tokens } = await this.bus.request(signSecurityEvents, { events }, { ...systemContext('signals'), org });
      for (const [i, { resolve }] of all.entries()) resolve(tokens[i]!);
    } catch (error) {
      for (const { reject } of all) reject(error);
    }
  }
}

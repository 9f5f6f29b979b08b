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

/**
 * Has auth sign security event tokens, those of one moment together. A token is signed for each attempt: so it is
 * always signed with a key that the issuer publishes, however long it has waited (ADR 0079).
 */
@Injectable()
export class TokenSigner {
  private readonly batcher = new Batcher<Waiting>((batch) => this.signBatch(batch), {
    maxItems: maxSignedEvents,
    maxInFlight: 4,
    slowAfterMs: 20,
  });

  constructor(private readonly bus: Bus) {}

  /** @throws unavailable when auth does not reply */
  sign({ org, receiver, jti, claims }: Signable): Promise<string> {
    return new Promise((resolve, reject) =>
      this.batcher.add({ org, claims: { ...claims, jti, aud: receiver }, resolve, reject }),
    );
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

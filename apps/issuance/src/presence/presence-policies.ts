import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { PresencePolicy } from '@holdfast/contracts';
import { Database, statement, type Sql } from '@holdfast/data';
import { seal, unseal } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { IssuanceConfig } from '../config.js';

/** An organization's policy as it is stored; the Turnstile secret sealed. */
export interface StoredPolicy {
  policy: PresencePolicy['policy'];
  secret: Buffer | null;
  version: number;
}

const find = statement(
  'presence_policy',
  'SELECT policy, turnstile_secret AS secret, version FROM presence_policy WHERE org = $1',
);
/** What holds until somebody decides otherwise (product §5). */
const atFirst: StoredPolicy = { policy: 'optional', secret: null, version: 0 };
/** Below a second, so that a changed policy is in force everywhere within one. */
const ttlMs = 900;

/** The policies of organizations, kept in memory for just so long that a change is in force everywhere in a second. */
@Injectable()
export class PresencePolicies {
  private readonly kept = new LRUCache<string, StoredPolicy>({ max: 10_000, ttl: ttlMs });

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: IssuanceConfig,
  ) {}

  async of(org: string): Promise<StoredPolicy> {
    const kept = this.kept.get(org);
    if (kept) return kept;
    const policy = await storedPolicy(this.database, org);
    this.kept.set(org, policy);
    return policy;
  }

  /** The organization's Turnstile secret, in the clear; undefined when it has none. */
  async turnstileSecret(org: string): Promise<string | undefined> {
    const { secret } = await this.of(org);
    return secret ? unseal(this.config.KEY_ENCRYPTION_KEY, secret, sealedFor(org)).toString('utf8') : undefined;
  }

  sealed(org: string, secret: string): Buffer {
    return seal(this.config.KEY_ENCRYPTION_KEY, secret, sealedFor(org));
  }

  /** This replica has just changed it. */
  forget(org: string): void {
    this.kept.delete(org);
  }
}

export async function storedPolicy(sql: Sql, org: string): Promise<StoredPolicy> {
  const [row] = await sql.rows<StoredPolicy>(find, [org]);
  return row ?? atFirst;
}

/** What the operator is told: whether there is a secret, never which. */
export function shown({ policy, secret }: StoredPolicy): PresencePolicy {
  return { policy, turnstile: secret !== null };
}

function sealedFor(org: string): string {
  return `presence/turnstile/${org}`;
}

import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import type { PresencePolicy, RequestContext, RequestOf, setPresencePolicy } from '@holdfast/contracts';
import { sqlOf, takeLock } from '@holdfast/data';
import { ConfigurationCache, keysOf, seal, unseal, type Keys } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { IssuanceConfig } from '../config.js';
import { differences, Settings } from '../settings/settings.js';
import { PresencePolicyEntity, toPresencePolicy } from './presence-policy.entity.js';

/** The presence policies of organizations. */
@Injectable()
export class PresencePolicies {
  private readonly cache = new ConfigurationCache<PresencePolicyEntity>();
  private readonly keys: Keys;

  constructor(
    @InjectRepository(PresencePolicyEntity) private readonly policies: Repository<PresencePolicyEntity>,
    private readonly settings: Settings,
    @Inject(CONFIG) config: IssuanceConfig,
  ) {
    this.keys = keysOf(config.KEY_ENCRYPTION_KEY, config.KEY_ENCRYPTION_KEY_PREVIOUS);
  }

  /** From the cache. */
  async of(org: string): Promise<PresencePolicyEntity> {
    const cached = this.cache.get(org);
    if (cached) return cached;
    const policy = await storedPolicy(this.policies.manager, org);
    this.cache.set(org, policy);
    return policy;
  }

  /** From the database. */
  async get(org: string): Promise<PresencePolicy> {
    return toPresencePolicy(await storedPolicy(this.policies.manager, org));
  }

  /** The organization's Turnstile secret, unsealed; undefined when it has none. */
  async turnstileSecret(org: string): Promise<string | undefined> {
    const { turnstileSecret } = await this.of(org);
    return turnstileSecret ? unseal(this.keys, turnstileSecret, sealedFor(org)).toString('utf8') : undefined;
  }

  async set(
    context: RequestContext,
    { policy, turnstileSecret }: RequestOf<typeof setPresencePolicy>,
  ): Promise<PresencePolicy> {
    const { org } = context;
    const reply = await this.settings.commit(context, async (manager) => {
      await takeLock(sqlOf(manager), `presence policy ${org}`);
      const before = await storedPolicy(manager, org);
      const after: PresencePolicyEntity = {
        org,
        policy: policy ?? before.policy,
        turnstileSecret: this.secretAfter(before, turnstileSecret),
        version: before.version + 1,
      };
      await manager.upsert(PresencePolicyEntity, after, ['org']);
      // A new secret in place of an earlier one is a change too, though both read `true`.
      const audited = {
        action: 'presence.configure' as const,
        targets: [{ type: 'organization' as const, id: org }],
        changes: {
          ...differences(toPresencePolicy(before), toPresencePolicy(after)),
          ...(turnstileSecret && before.turnstileSecret && { turnstileSecret: { to: 'replaced' } }),
        },
      };
      const { version } = after;
      return {
        changes: [{ type: 'presence_policy.updated' as const, setting: 'presence_policy', version, audited }],
        reply: toPresencePolicy(after),
      };
    });
    this.cache.delete(org);
    return reply;
  }

  private secretAfter({ org, turnstileSecret }: PresencePolicyEntity, wanted: string | null | undefined) {
    if (wanted === undefined) return turnstileSecret;
    return wanted === null ? null : seal(this.keys[0], wanted, sealedFor(org));
  }
}

/** Without a row the policy of product §5 applies. */
async function storedPolicy(manager: EntityManager, org: string): Promise<PresencePolicyEntity> {
  const stored = await manager.findOneBy(PresencePolicyEntity, { org });
  return stored ?? { org, policy: 'optional', turnstileSecret: null, version: 0 };
}

export function sealedFor(org: string): string {
  return `presence/turnstile/${org}`;
}

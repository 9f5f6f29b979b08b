import { Controller } from '@nestjs/common';
import { setPresencePolicy, type PresencePolicy, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { statement, takeLock, type Sql } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { Organizations } from '../settings/organizations.js';
import { differences, Settings } from '../settings/settings.js';
import { PresencePolicies, shown, storedPolicy, type StoredPolicy } from './presence-policies.js';

const write = statement(
  'presence_policy_write',
  `INSERT INTO presence_policy (org, policy, turnstile_secret, version) VALUES ($1, $2, $3, $4)
   ON CONFLICT (org) DO UPDATE SET policy = excluded.policy, turnstile_secret = excluded.turnstile_secret, version = excluded.version`,
);

@Controller()
export class SetPresencePolicyHandler {
  constructor(
    private readonly settings: Settings,
    private readonly policies: PresencePolicies,
    private readonly organizations: Organizations,
  ) {}

  @Handles(setPresencePolicy)
  async handle(
    { policy, turnstileSecret }: RequestOf<typeof setPresencePolicy>,
    context: RequestContext,
  ): Promise<PresencePolicy> {
    const { org } = context;
    await this.organizations.require(context);
    const reply = await this.settings.commit(context, async (sql) => {
      await takeLock(sql, `presence policy ${org}`);
      const before = await storedPolicy(sql, org);
      const after: StoredPolicy = {
        policy: policy ?? before.policy,
        secret: this.secretAfter(before, org, turnstileSecret),
        version: before.version + 1,
      };
      await this.store(sql, org, after);
      // A new secret in place of an old one is a change too, though both read `true`.
      const audited = {
        action: 'presence.configure' as const,
        targets: [{ type: 'organization' as const, id: org }],
        changes: {
          ...differences(shown(before), shown(after)),
          ...(turnstileSecret && before.secret && { turnstileSecret: { to: 'replaced' } }),
        },
      };
      return {
        changes: [
          { type: 'presence_policy.updated' as const, setting: 'presence_policy', version: after.version, audited },
        ],
        reply: shown(after),
      };
    });
    this.policies.forget(org);
    return reply;
  }

  private secretAfter(before: StoredPolicy, org: string, wanted: string | null | undefined): Buffer | null {
    if (wanted === undefined) return before.secret;
    return wanted === null ? null : this.policies.sealed(org, wanted);
  }

  private async store(sql: Sql, org: string, { policy, secret, version }: StoredPolicy): Promise<void> {
    await sql.rows(write, [org, policy, secret, version]);
  }
}

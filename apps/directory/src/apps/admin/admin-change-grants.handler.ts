import { Controller } from '@nestjs/common';
import { adminChangeGrants, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { AppError } from '@holdfast/platform';
import type { AppRule } from '../apps.js';
import { grantTo, ungrantFrom } from '../grants/grants.js';
import { Secrets } from '../secrets/secrets.js';
import { ManagedApps, toManagedApp } from './managed-apps.js';

/**
 * POST …/admin/apps/{clientId}/grants and DELETE …/grants/{operation}, for people only: the operation that the gateway
 * requires is in no token of a program, and this does not depend on it.
 */
@Controller()
export class AdminChangeGrantsHandler {
  constructor(
    private readonly managed: ManagedApps,
    private readonly secrets: Secrets,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(adminChangeGrants)
  handle(
    request: RequestOf<typeof adminChangeGrants>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof adminChangeGrants>> {
    if (context.actor.type !== 'person' || !request.mayManageGrants)
      throw new AppError('app_protected', 'Only people who may manage grants, and the operator, change grants.', {
        targets: [{ type: 'app', id: request.clientId }],
      });
    return this.idempotency.once(adminChangeGrants, request, context, (keyed) =>
      this.managed.change(
        'change',
        { ...request, right: 'apps:manage' },
        context,
        this.ruleOf(request),
        (app) => ({ app: toManagedApp(app) }),
        keyed,
      ),
    );
  }

  private ruleOf({ clientId, granted, operations }: RequestOf<typeof adminChangeGrants>): AppRule {
    if (!granted) return (app) => ungrantFrom(app, operations);
    return async (app, manager) => {
      const change = grantTo(app, operations);
      await this.secrets.requireUnseen(manager, clientId);
      return change;
    };
  }
}

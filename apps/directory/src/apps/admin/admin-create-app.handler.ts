import { Controller } from '@nestjs/common';
import { adminCreateApp, makerOf, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { sqlOf } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { Idempotency, type KeyedRequest } from '@holdfast/outbox';
import { Outbound } from '@holdfast/platform';
import { givenBranding } from '../../branding/given-branding.js';
import { columnsOf, recordedOf, storeLogo } from '../app-branding.js';
import { hasSecret } from '../app.entity.js';
import { Apps } from '../apps.js';
import { defaultKeySettings } from '../keys/key-settings.js';
import { createdChange, newApp } from '../new-app.js';
import { requireCallable } from '../require-callable.js';
import { requireUsable } from '../require-usable.js';
import { generateSecret, Secrets } from '../secrets/secrets.js';
import { creatorOf, requireUnprotected, toManagedApp } from './managed-apps.js';
import { toManagedSecret } from './managed-secrets.js';

type Request = RequestOf<typeof adminCreateApp>;
type Reply = ReplyOf<typeof adminCreateApp>;

/** POST …/admin/apps. The app holds no scope: nothing in the request could name one. */
@Controller()
export class AdminCreateAppHandler {
  constructor(
    private readonly apps: Apps,
    private readonly secrets: Secrets,
    private readonly outbound: Outbound,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(adminCreateApp)
  handle(request: Request, context: RequestContext): Promise<Reply> {
    return this.idempotency.once(adminCreateApp, request, context, (keyed) => this.create(request, context, keyed));
  }

  private create(
    { app: given, right, mayManageGrants }: Request,
    context: RequestContext,
    keyed?: KeyedRequest,
  ): Promise<Reply> {
    const createdBy = creatorOf(context);
    const asNew = { kind: given.kind, scopes: [], builtIn: false, createdBy, takenOver: false };
    requireUnprotected(context, { right, mayManageGrants }, asNew, 'create');
    requireUsable(given.kind, given);
    requireCallable(this.outbound, given);
    const settings = givenBranding(given);
    const app = newApp({ ...columnsOf(settings), org: context.org, createdBy }, defaultKeySettings);
    const secret = hasSecret(app) ? generateSecret() : undefined;
    return this.apps.create(
      app,
      context,
      async (manager) => {
        const stored = secret && (await this.secrets.store(manager, app.clientId, secret, makerOf(context.actor)));
        await storeLogo(sqlOf(manager), app, settings.logo);
        return {
          change: createdChange(recordedOf(settings, app.org), defaultKeySettings, secret?.secretId),
          reply: {
            app: {
              ...toManagedApp(app),
              ...(secret && stored && { secret: { ...toManagedSecret(stored), clientSecret: secret.clientSecret } }),
            },
          },
        };
      },
      keyed,
    );
  }
}

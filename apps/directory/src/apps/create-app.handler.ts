import { Controller } from '@nestjs/common';
import { createApp, makerOf, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { sqlOf } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { Outbound } from '@holdfast/platform';
import { givenBranding } from '../branding/given-branding.js';
import { Organizations } from '../organizations/organizations.js';
import { columnsOf, recordedOf, storeLogo } from './app-branding.js';
import { hasSecret, toApp } from './app.entity.js';
import { Apps } from './apps.js';
import { addGrants } from './grants/grants.js';
import { requireGrantable } from './grants/require-grantable.js';
import { changeKeySettings, defaultKeySettings } from './keys/key-settings.js';
import { createdChange, newApp } from './new-app.js';
import { requireCallable } from './require-callable.js';
import { requireUsable } from './require-usable.js';
import { generateSecret, Secrets } from './secrets/secrets.js';

type Input = RequestOf<typeof createApp>;

@Controller()
export class CreateAppHandler {
  constructor(
    private readonly organizations: Organizations,
    private readonly apps: Apps,
    private readonly secrets: Secrets,
    private readonly outbound: Outbound,
  ) {}

  @Handles(createApp)
  async handle(input: Input, context: RequestContext): Promise<ReplyOf<typeof createApp>> {
    requireUsable(input.kind, input);
    const keys = changeKeySettings(input.kind, defaultKeySettings, input);
    requireCallable(this.outbound, input);
    const scopes = requireGrantable(input.kind, input.scopes);
    await this.organizations.requireExists(input.org);
    const { scopes: _, ...settings } = givenBranding(input);
    const entity = newApp(columnsOf(settings), keys);
    addGrants(entity, scopes);
    const secret = hasSecret(entity) ? generateSecret() : undefined;
    return this.apps.create(entity, context, async (manager) => {
      if (secret) await this.secrets.store(manager, entity.clientId, secret, makerOf(context.actor));
      await storeLogo(sqlOf(manager), entity, settings.logo);
      const { org, ...given } = { ...settings, scopes };
      return {
        change: createdChange(recordedOf(given, org), keys, secret?.secretId),
        reply: { app: toApp(entity), ...secret },
      };
    });
  }
}

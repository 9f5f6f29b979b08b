import { Controller } from '@nestjs/common';
import { createApp, makerOf, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Outbound } from '@holdfast/platform';
import { Organizations } from '../organizations/organizations.js';
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
    const { scopes: _, ...settings } = input;
    const entity = newApp(settings, keys);
    addGrants(entity, scopes);
    const secret = hasSecret(entity) ? generateSecret() : undefined;
    return this.apps.create(entity, context, async (manager) => {
      if (secret) await this.secrets.store(manager, entity.clientId, secret, makerOf(context.actor));
      const { org: _, ...given } = { ...input, scopes };
      return { change: createdChange(given, keys, secret?.secretId), reply: { app: toApp(entity), ...secret } };
    });
  }
}

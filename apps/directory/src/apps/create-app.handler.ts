import { randomBytes } from 'node:crypto';
import { Controller } from '@nestjs/common';
import {
  createApp,
  currentApiVersion,
  type AuditRecord,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Outbound } from '@holdfast/platform';
import { Organizations } from '../organizations/organizations.js';
import { AppEntity, isPublicClient } from './app.entity.js';
import { Apps } from './apps.js';
import { addGrants } from './grants/grants.js';
import { requireGrantable } from './grants/require-grantable.js';
import { changeKeySettings, defaultKeySettings, keyIds, type KeySettings } from './keys/key-settings.js';
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
    const entity = newApp(input, keys);
    addGrants(entity, scopes);
    const hasSecret = !isPublicClient(input.kind) && keys.tokenEndpointAuthMethod === 'client_secret_basic';
    const secret = hasSecret ? generateSecret() : undefined;
    const app = await this.apps.create(entity, context, async (manager) => {
      if (secret) await this.secrets.store(manager, entity.clientId, secret);
      return {
        action: 'app.create',
        ...(secret && { targets: [{ type: 'secret', id: secret.secretId }] }),
        changes: createdFields({ ...input, scopes }, keys),
      };
    });
    return { app, ...secret };
  }
}

function newApp({ scopes: _, ...input }: Input, keys: KeySettings): AppEntity {
  return Object.assign(new AppEntity(), {
    displayName: null,
    credentialType: null,
    backchannelLogoutUri: null,
    idTokenAlg: null,
    ...input,
    ...keys,
    clientId: `app_${randomBytes(16).toString('base64url')}`,
    apiVersion: currentApiVersion,
    version: 1,
    grants: [],
  });
}

/** The fields of a new app in its audit record; the organization is the record's own. */
function createdFields({ org: _, ...given }: Input, { jwks }: KeySettings): AuditRecord['changes'] {
  const fields = { ...given, ...(jwks && { jwks: keyIds(jwks) }) };
  return Object.fromEntries(Object.entries(fields).map(([field, to]) => [field, { to }]));
}

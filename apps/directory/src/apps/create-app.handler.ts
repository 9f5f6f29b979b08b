import { randomBytes } from 'node:crypto';
import { Controller } from '@nestjs/common';
import { createApp, currentApiVersion, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { statement, type Sql } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError, Outbound } from '@holdfast/platform';
import { Changes } from '../changes/changes.js';
import { findApp, nameTaken } from './app.entity.js';
import { insertGrants } from './grants/grants.js';
import { requireGrantable } from './grants/require-grantable.js';
import { requireCallable } from './require-callable.js';
import { requireUsable } from './require-usable.js';
import { Secrets } from './secrets/app-secret.entity.js';

const organization = statement('app_organization', 'SELECT 1 FROM organization WHERE short_id = $1');
const insert = statement(
  'app_insert',
  `INSERT INTO app (client_id, org, name, kind, audience, credential_type, redirect_uris, api_version,
     post_logout_redirect_uris, origins, backchannel_logout_uri, refresh_tokens, pkce, id_token_alg, display_name)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
);

@Controller()
export class CreateAppHandler {
  constructor(
    private readonly changes: Changes,
    private readonly secrets: Secrets,
    private readonly outbound: Outbound,
  ) {}

  @Handles(createApp)
  handle(input: RequestOf<typeof createApp>, context: RequestContext): Promise<ReplyOf<typeof createApp>> {
    const {
      org,
      name,
      displayName,
      kind,
      audience,
      redirectUris,
      postLogoutRedirectUris,
      origins,
      backchannelLogoutUri,
      refreshTokens,
      pkce,
    } = input;
    requireUsable(kind, input);
    requireCallable(this.outbound, backchannelLogoutUri);
    const scopes = requireGrantable(kind, input.scopes);
    return this.changes.commit(context, async (sql) => {
      const clientId = `app_${randomBytes(16).toString('base64url')}`;
      await insertApp(sql, clientId, input);
      await insertGrants(sql, clientId, kind, scopes);
      // Public clients (spa, native) cannot keep a secret.
      const secret = kind === 'web' || kind === 'service' ? await this.secrets.create(sql, clientId) : undefined;
      const app = await findApp(sql, clientId);
      const to = {
        name,
        ...(displayName !== undefined && { displayName }),
        kind,
        audience,
        redirectUris,
        postLogoutRedirectUris,
        origins,
        ...(backchannelLogoutUri !== undefined && { backchannelLogoutUri }),
        refreshTokens,
        pkce,
        scopes,
      };
      return {
        change: {
          type: 'app.created',
          org,
          app: clientId,
          version: app.version,
          action: 'app.create',
          ...(secret && { targets: [{ type: 'secret', id: secret.secretId }] }),
          changes: Object.fromEntries(Object.entries(to).map(([field, value]) => [field, { to: value }])),
        },
        reply: { app, ...secret },
      };
    });
  }
}

async function insertApp(sql: Sql, clientId: string, input: RequestOf<typeof createApp>): Promise<void> {
  const {
    org,
    name,
    displayName,
    kind,
    audience,
    credentialType,
    redirectUris,
    postLogoutRedirectUris,
    origins,
    backchannelLogoutUri,
    refreshTokens,
    pkce,
    idTokenAlg,
  } = input;
  if ((await sql.rows(organization, [org])).length === 0)
    throw new AppError('unknown_organization', `There is no organization "${org}".`);
  try {
    await sql.rows(insert, [
      clientId,
      org,
      name,
      kind,
      audience,
      credentialType ?? null,
      redirectUris,
      currentApiVersion,
      postLogoutRedirectUris,
      origins,
      backchannelLogoutUri ?? null,
      refreshTokens,
      pkce,
      idTokenAlg ?? null,
      displayName ?? null,
    ]);
  } catch (error) {
    throw nameTaken(error, org, name);
  }
}

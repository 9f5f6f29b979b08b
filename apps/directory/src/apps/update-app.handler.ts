import { Controller } from '@nestjs/common';
import { updateApp, type App, type AuditRecord, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { statement, type Sql } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { Outbound } from '@holdfast/platform';
import { appUpdated, Changes } from '../changes/changes.js';
import { bumpApp, lockApp, nameTaken } from './app.entity.js';
import { requireCallable } from './require-callable.js';
import { requireUsable } from './require-usable.js';

type Changed = Omit<RequestOf<typeof updateApp>, 'clientId'>;
/** What null takes away. */
type Removable = 'backchannelLogoutUri' | 'displayName';

const update = statement(
  'app_update',
  `UPDATE app SET name = $2, credential_type = $3, redirect_uris = $4, post_logout_redirect_uris = $5, refresh_tokens = $6, pkce = $7, id_token_alg = $8,
     origins = $9, backchannel_logout_uri = $10, display_name = $11
   WHERE client_id = $1`,
);

@Controller()
export class UpdateAppHandler {
  constructor(
    private readonly changes: Changes,
    private readonly outbound: Outbound,
  ) {}

  @Handles(updateApp)
  handle({ clientId, ...wanted }: RequestOf<typeof updateApp>, context: RequestContext): Promise<App> {
    requireCallable(this.outbound, wanted.backchannelLogoutUri);
    return this.changes.commit(context, async (sql) => {
      const before = await lockApp(sql, clientId);
      const after = { ...before, ...wanted };
      requireUsable(before.kind, wanted);
      await write(sql, after);
      const app = await bumpApp(sql, clientId);
      return { change: appUpdated(app, 'app.update', { changes: differences(before, wanted) }), reply: app };
    });
  }
}

async function write(sql: Sql, app: Omit<App, Removable> & Pick<Changed, Removable>): Promise<void> {
  const {
    clientId,
    org,
    name,
    displayName,
    credentialType,
    redirectUris,
    postLogoutRedirectUris,
    origins,
    backchannelLogoutUri,
    refreshTokens,
    pkce,
    idTokenAlg,
  } = app;
  try {
    await sql.rows(update, [
      clientId,
      name,
      credentialType ?? null,
      redirectUris,
      postLogoutRedirectUris,
      refreshTokens,
      pkce,
      idTokenAlg ?? null,
      origins,
      backchannelLogoutUri ?? null,
      displayName ?? null,
    ]);
  } catch (error) {
    throw nameTaken(error, org, name);
  }
}

function differences(before: App, wanted: Changed): AuditRecord['changes'] {
  const changed = Object.entries(wanted).filter(
    ([field, to]) => JSON.stringify(before[field as keyof App]) !== JSON.stringify(to),
  );
  return Object.fromEntries(changed.map(([field, to]) => [field, { from: before[field as keyof App], to }]));
}

import { Controller } from '@nestjs/common';
import { getClient, type AppRateLimits, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { toApp, type StoredApp } from './app.entity.js';

interface ClientRow extends StoredApp {
  orgSuspended: boolean;
  orgRateLimits: AppRateLimits | null;
  secrets: { id: string; hash: string }[];
}

// Hot path: auth requests each client that is not in its cache. One statement, so that secrets, grants and state come
// from one snapshot. The columns are named like the members of the entity.
const select = statement(
  'client_by_id',
  `SELECT a.client_id AS "clientId", a.org, a.name, a.display_name AS "displayName", a.kind, a.audience,
     a.credential_type AS "credentialType", a.redirect_uris AS "redirectUris",
     a.post_logout_redirect_uris AS "postLogoutRedirectUris", a.origins,
     a.backchannel_logout_uri AS "backchannelLogoutUri", a.refresh_tokens AS "refreshTokens",
     a.device_authorization AS "deviceAuthorization", a.pkce,
     a.id_token_alg AS "idTokenAlg", a.token_endpoint_auth_method AS "tokenEndpointAuthMethod", a.jwks,
     a.jwks_uri AS "jwksUri", a.require_dpop AS "requireDpop", a.access_token_format AS "accessTokenFormat",
     a.start_uri AS "startUri", a.help_uri AS "helpUri", a.accent_color AS "accentColor", a.logo_id AS "logoId",
     a.rate_limits AS "rateLimits", a.disabled, a.api_version::text AS "apiVersion", a.version,
     a.created_at AS "createdAt", o.suspended AS "orgSuspended", o.rate_limits AS "orgRateLimits",
     (SELECT coalesce(json_agg(json_build_object('operation', g.operation)), '[]')
      FROM app_grant g WHERE g.client_id = a.client_id) AS grants,
     (SELECT coalesce(
        json_agg(json_build_object('id', s.id, 'hash', encode(s.hash, 'hex')) ORDER BY s.created_at), '[]')
      FROM app_secret s WHERE s.client_id = a.client_id AND s.revoked_at IS NULL) AS secrets
   FROM app a JOIN organization o ON o.short_id = a.org WHERE a.client_id = $1 AND a.deleted_at IS NULL`,
);

@Controller()
export class GetClientHandler {
  constructor(private readonly database: Database) {}

  @Handles(getClient)
  async handle({ clientId }: RequestOf<typeof getClient>): Promise<ReplyOf<typeof getClient>> {
    const [row] = await this.database.rows<ClientRow>(select, [clientId]);
    if (!row) throw new AppError('unknown_app', `There is no app "${clientId}".`);
    const secrets = row.secrets.map(({ id, hash }) => ({ id, hash: Buffer.from(hash, 'hex').toString('base64url') }));
    const rateLimits = { ...row.orgRateLimits, ...row.rateLimits };
    return {
      app: toApp(row),
      secrets,
      orgSuspended: row.orgSuspended,
      ...(Object.keys(rateLimits).length > 0 && { rateLimits }),
    };
  }
}

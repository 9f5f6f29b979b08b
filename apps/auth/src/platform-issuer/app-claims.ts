import type { ClientRecord } from '../clients/client-record.js';

/** The claims of an access token that are Holdfast's own (accessTokenClaimsSchema). */
export function appClaims({ app, rateLimits }: ClientRecord, secretId: string | undefined): Record<string, unknown> {
  const { org, name, version, apiVersion } = app;
  const { client: _, ...limits } = rateLimits;
  return {
    org,
    client_name: name,
    client_version: version,
    secret_id: secretId,
    api_version: apiVersion,
    ...(Object.keys(limits).length > 0 && { rate_limits: limits }),
  };
}

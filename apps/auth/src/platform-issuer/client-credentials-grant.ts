import { Injectable } from '@nestjs/common';
import { accessTokenLifetimeSeconds, type issueToken, type ReplyOf } from '@holdfast/contracts';
import { acceptSecret } from '../client-authentication/client-secrets.js';
import { SecretHashes } from '../client-authentication/secret-hashes.js';
import { ClientLimits, TooManyRequests } from '../clients/client-limits.js';
import { AppTokens } from './app-tokens.js';
import { scopeIssue } from './scope-rule.js';
import type { TokenRequest } from './token-audit.js';

type Reply = ReplyOf<typeof issueToken>;
type Refused = Extract<Reply, { outcome: 'refused' }>;

/**
 * Client credentials with a secret, by the rules of the platform's oidc-provider: the same functions in the same order.
 * client-credentials-grant.int.spec.ts compares the two.
 */
@Injectable()
export class ClientCredentialsGrant {
  constructor(
    private readonly limits: ClientLimits,
    private readonly secrets: SecretHashes,
    private readonly tokens: AppTokens,
  ) {}

  /** Notes the id of the secret in the request. The scope follows the grammar of RFC 6749 §3.3. */
  decide(request: TokenRequest, secret: string, scope: string | undefined): Reply {
    const { client } = request;
    // oidc-provider verifies proofs. It refuses a request without one before it looks at the secret.
    if (client?.app.requireDpop) return { outcome: 'proof_required' };
    try {
      if (!acceptSecret(secret, request, this.limits, this.secrets))
        return refused(401, 'invalid_client', 'client authentication failed');
    } catch (error) {
      if (!(error instanceof TooManyRequests)) throw error;
      return { ...refused(429, 'temporarily_unavailable', error.error_description!), headers: error.headers };
    }
    const { org } = client!.app;
    const issue = scopeIssue(scope, client!.scopes);
    if (issue !== undefined) return { ...refused(400, 'invalid_scope', issue), org };
    const granted = [...new Set(scope!.split(' '))].join(' ');
    return {
      outcome: 'issued',
      org,
      accessToken: this.tokens.issue(client!, request.secretId!, granted),
      expiresInSeconds: accessTokenLifetimeSeconds,
      scope: granted,
    };
  }
}

function refused(status: Refused['status'], error: Refused['error'], description: string): Refused {
  return { outcome: 'refused', status, error, description, headers: {} };
}

import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { issuerRequestOf } from '../request-context/issuer-request.js';
import { personDenials } from './person-denials.js';

const { base, Check, Prompt } = interactionPolicy;

/**
 * When a request requires a passkey: as OpenID Connect defines, and when the session's customer has no live credential
 * of the app's type. There is no consent; `prompt=consent`, which some clients send with offline_access, has no effect.
 *
 * A person who may not sign in to the app is refused without a page, since another passkey would not help them. Another
 * person of the same browser signs in with `prompt=login` or `prompt=select_account`.
 */
export function signInPolicy(): interactionPolicy.DefaultPolicy {
  const policy = base();
  const login = policy.get('login')!;
  const standardChecks = [...login.checks];
  const unknown = async (ctx: KoaContextWithOIDC) => {
    if (ctx.oidc.session?.accountId === undefined || ctx.oidc.account !== undefined) return false;
    const { denial } = issuerRequestOf(ctx);
    if (denial === undefined || denial === 'sign_in_ended') return true;
    if (ctx.oidc.prompts.has('none') || ctx.oidc.promptPending('select_account')) return true;
    // A passkey is required anyway, and may be another person's.
    for (const { check } of standardChecks) if (await check(ctx)) return true;
    throw new errors.AccessDenied(personDenials[denial]);
  };
  login.checks.add(
    new Check('no_live_credential', 'who is signed in may not sign in to this app', 'login_required', unknown),
  );
  // Choosing a passkey chooses the account.
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 1);
  policy.get('consent')!.checks.clear();
  return policy;
}

import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';

const { base, Check, Prompt } = interactionPolicy;

/**
 * When a request requires a passkey: as OpenID Connect defines, and when the session's customer has no live credential
 * of the app's type. There is no consent; `prompt=consent`, which some clients send with offline_access, has no effect.
 */
export function signInPolicy(): interactionPolicy.DefaultPolicy {
  const policy = base();
  const unknown = (ctx: KoaContextWithOIDC) =>
    ctx.oidc.session?.accountId !== undefined && ctx.oidc.account === undefined;
  policy
    .get('login')!
    .checks.add(
      new Check(
        'no_live_credential',
        'the customer of the session has no live credential of this type',
        'login_required',
        unknown,
      ),
    );
  // Choosing a passkey chooses the account.
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 1);
  policy.get('consent')!.checks.clear();
  return policy;
}

import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';

const { base, Check, Prompt } = interactionPolicy;

/**
 * When somebody has to show their passkey: as OpenID Connect says, and also when the session's customer has no live
 * credential of this app's type (any more). The organization's own apps need no consent; `prompt=consent`, which some
 * clients send with offline_access, is taken and asks nothing.
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
  // A passkey is a choice of the account.
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 1);
  policy.get('consent')!.checks.clear();
  return policy;
}

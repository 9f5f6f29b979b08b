import { Provider } from 'oidc-provider';

interface Saved {
  save: (this: object) => Promise<string>;
}
interface Issued {
  set: (claim: string, value: string) => void;
  issue: (options: { use?: string }) => Promise<string>;
}

/**
 * Adds `at_hash` to the ID tokens of the token endpoint, by which a client checks that the access token beside it was
 * issued with it (OpenID Connect Core §3.1.3.6). The library does so only at the authorization endpoint.
 */
export function addAccessTokenHash({ AccessToken, IdToken }: Provider): void {
  const ofRequests = new WeakMap<object, string>();
  const tokens = AccessToken.prototype as unknown as Saved;
  const { save } = tokens;
  tokens.save = async function () {
    const value = await save.call(this);
    ofRequests.set(Provider.ctx!, value);
    return value;
  };
  const idTokens = IdToken.prototype as unknown as Issued;
  const { issue } = idTokens;
  idTokens.issue = async function (options) {
    const accessToken = Provider.ctx && ofRequests.get(Provider.ctx);
    if (options.use === 'idtoken' && accessToken !== undefined) this.set('at_hash', accessToken);
    return issue.call(this, options);
  };
}

// The script for browsers has one global name; with a bundler you import { ErrorResponse, UserManager } instead.
const { ErrorResponse, UserManager } = /** @type {typeof import('oidc-client-ts')} */ (Reflect.get(globalThis, 'oidc'));

const { issuer, clientId } = await (await fetch('/settings.json')).json();
const manager = new UserManager({
  authority: issuer,
  client_id: clientId,
  redirect_uri: `${location.origin}/`,
  post_logout_redirect_uri: `${location.origin}/`,
  scope: 'openid',
});
const element = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
element('sign-in').onclick = () => manager.signinRedirect().catch(explain);
element('sign-out').onclick = () => manager.signoutRedirect().catch(explain);
// Renewed tokens end with the customer's credential, and with their session at Holdfast.
manager.events.addSilentRenewError(() => manager.removeUser());
manager.events.addUserUnloaded(() => show('Welcome', 'You are not signed in.', false));

const { href, search } = location;
const response = new URLSearchParams(search);
// Neither a reload nor a bookmark may send the code again.
if (search) history.replaceState({}, '', '/');
try {
  const user = response.has('code') || response.has('error') ? await finish() : await manager.getUser();
  if (user && !user.expired) show('Hello', `You are ${user.profile.sub}.`, true);
  else show('Welcome', 'You are not signed in.', false);
} catch (error) {
  explain(error);
}

/** Compares `state` with what this browser began, and `iss` (RFC 9207); then exchanges the code, with PKCE. */
async function finish() {
  if (response.get('iss') !== issuer) throw new Error('The response is not from our issuer.');
  return manager.signinCallback(href);
}

/** @param {unknown} error */
function explain(error) {
  const code = error instanceof ErrorResponse ? error.error : undefined;
  if (code === 'access_denied') return show('No access', 'Your passkey gives no access at the moment. Ask us.', false);
  if (code === 'login_required') return show('Welcome', 'You turned back before you were signed in.', false);
  if (error instanceof TypeError) return show('We cannot reach Holdfast', 'Wait a moment, and sign in again.', false);
  return show('Please sign in again', 'This sign-in was finished already, or began in another browser.', false);
}

/**
 * @param {string} title
 * @param {string} text
 * @param {boolean} isSignedIn
 */
function show(title, text, isSignedIn) {
  element('title').textContent = title;
  element('text').textContent = text;
  element('sign-in').hidden = isSignedIn;
  element('sign-out').hidden = !isSignedIn;
}

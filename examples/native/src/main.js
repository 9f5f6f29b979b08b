// Signs a customer in to a program on their own machine, in their browser (RFC 8252): npm start.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline/promises';
import * as oidc from 'openid-client';
import { config } from './config.js';

const { issuer, clientId } = config;
const isLocal = ['localhost', '127.0.0.1'].includes(new URL(issuer).hostname);
const holdfast = await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), {
  // Plain http is for a Holdfast on this machine only.
  execute: [oidc.enableNonRepudiationChecks, ...(isLocal ? [oidc.allowInsecureRequests] : [])],
});

const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
const [expectedState, expectedNonce] = [oidc.randomState(), oidc.randomNonce()];
const server = createServer();
// Any free port: the issuer accepts every one for the registered http://127.0.0.1/callback.
await once(server.listen(0, '127.0.0.1'), 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
const redirectUri = `http://127.0.0.1:${port}/callback`;
const address = oidc.buildAuthorizationUrl(holdfast, {
  redirect_uri: redirectUri,
  scope: 'openid',
  state: expectedState,
  nonce: expectedNonce,
  code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
  code_challenge_method: 'S256',
});
openBrowser(address);

try {
  const tokens = await redirectBack();
  process.stdout.write(`You are ${tokens.claims()?.sub}.\n`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  await terminal.question('Press Enter to sign out.\n');
  terminal.close();
  // This program's tokens end here; the browser asks the customer whether its session shall end as well.
  await oidc.tokenRevocation(holdfast, tokens.refresh_token ?? tokens.access_token);
  openBrowser(oidc.buildEndSessionUrl(holdfast, { client_id: clientId }));
} catch (error) {
  const code = error instanceof oidc.AuthorizationResponseError ? error.error : undefined;
  const text =
    code === 'access_denied' ? 'Your passkey gives no access at the moment.' : `You are not signed in: ${error}`;
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
} finally {
  server.close();
  // The page that says so has to arrive; a browser may keep further connections open.
  setTimeout(() => server.closeAllConnections(), 200);
}

/**
 * Waits for the browser to come back, and exchanges the code. Every program and page of this machine can send requests
 * here: those with another `state` change nothing.
 *
 * @returns {ReturnType<typeof oidc.authorizationCodeGrant>}
 */
function redirectBack() {
  let isPending = true;
  return new Promise((finish) => {
    server.on('request', (request, response) => {
      const [path, query] = (request.url ?? '').split('?');
      const url = new URL(`${redirectUri}?${query}`);
      response.setHeader('cache-control', 'no-store').setHeader('content-type', 'text/plain; charset=utf-8');
      const answer = (/** @type {number} */ status, /** @type {string} */ text) => response.writeHead(status).end(text);
      if (path !== '/callback') return answer(404, 'There is nothing here.');
      if (url.searchParams.get('state') !== expectedState)
        return answer(400, 'This sign-in did not begin in the program. Follow the link that the program shows.');
      if (!isPending)
        return answer(400, 'This sign-in was finished already. Close this page; to sign in again, start the program.');
      isPending = false;
      const checks = { pkceCodeVerifier, expectedState, expectedNonce };
      const signedIn = oidc.authorizationCodeGrant(holdfast, url, checks);
      signedIn.then(
        () => answer(200, 'You are signed in. Close this page, and go back to the program.'),
        () => answer(400, 'You are not signed in. Close this page, and start the program again.'),
      );
      return finish(signedIn);
    });
  });
}

/** The browser of the customer, never a window of this program: their passkeys and their sessions are there. */
function openBrowser(/** @type {URL} */ { href }) {
  process.stdout.write(`Open ${href}\n`);
  if (process.argv.includes('--no-browser')) return;
  /** @type {Record<string, string[]>} */
  const openers = { darwin: ['open'], win32: ['rundll32', 'url.dll,FileProtocolHandler'] };
  const [command = '', ...args] = openers[process.platform] ?? ['xdg-open'];
  // Without one the customer opens the printed address.
  spawn(command, [...args, href], { stdio: 'ignore', detached: true })
    .once('error', () => undefined)
    .unref();
}

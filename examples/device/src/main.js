// Signs a customer in to a device without a browser, by a code that they enter elsewhere (RFC 8628): npm start.
import { createInterface } from 'node:readline/promises';
import * as oidc from 'openid-client';
import { config } from './config.js';

const { issuer, clientId } = config;
const isLocal = ['localhost', '127.0.0.1'].includes(new URL(issuer).hostname);
const holdfast = await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), {
  // Plain http is for a Holdfast on this machine only.
  execute: [oidc.enableNonRepudiationChecks, ...(isLocal ? [oidc.allowInsecureRequests] : [])],
});

try {
  const codes = await oidc.initiateDeviceAuthorization(holdfast, { scope: 'openid' });
  // A screen shows verification_uri_complete as a QR code beside both.
  process.stdout.write(`Open ${codes.verification_uri} and enter ${codes.user_code}\n`);
  // Asks every few seconds until the customer has decided, ten minutes at most.
  const tokens = await oidc.pollDeviceAuthorizationGrant(holdfast, codes);
  process.stdout.write(`You are ${tokens.claims()?.sub}.\n`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  await terminal.question('Press Enter to sign out.\n');
  terminal.close();
  // The tokens of this device end. The browser in which the code was entered was never signed in.
  await oidc.tokenRevocation(holdfast, tokens.refresh_token ?? tokens.access_token);
} catch (error) {
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exitCode = 1;
}

function reasonOf(/** @type {unknown} */ error) {
  const code = error instanceof oidc.ResponseBodyError ? error.error : undefined;
  if (code === 'access_denied') return 'The sign-in was not allowed.';
  if (code === 'expired_token') return 'The code has expired. Start again to get a new one.';
  return `You are not signed in: ${error}`;
}

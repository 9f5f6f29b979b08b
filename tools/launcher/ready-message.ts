import { displayPath } from '../infra/console.ts';
import { demoFile, type Demo } from './demo.ts';
import { spkiOf } from './local-tls.ts';
import type { PublicAddress } from './public-address.ts';

/** The message after a start: addresses, and three commands that work when pasted. */
export function readyMessage(
  { baseUrl, services, organizations }: Demo,
  duration: string,
  address: PublicAddress,
): string {
  const lines = [
    '',
    `Holdfast is ready (${duration}).`,
    '',
    ...shopLines(services),
    ...ownerLine(organizations),
    `  API        ${baseUrl}`,
    `  Reference  ${baseUrl}/docs   (${baseUrl}/openapi.json)`,
    ...organizations.map(({ shortId, issuer }) => `  Issuer     ${issuer}   (organization ${shortId})`),
    `  Demo apps  ${displayPath(demoFile)}   (client ids, secrets, redirect URIs)`,
    '',
    ...trustLines(address),
    ...tryIt(address, organizations),
    'Ctrl-C stops everything and keeps the data. "npm run reset" deletes it.',
    'The command line: npm run holdfast -- --help',
    '',
  ];
  return lines.join('\n');
}

/** Come first, since new users should open the shop. Empty when it did not start. */
function shopLines(services: Demo['services']): string[] {
  const shop = services.find(({ name, pid }) => name === 'shop' && pid !== null);
  if (!shop) return [];
  return [
    `  Shop       ${new URL('/acme', shop.readyUrl).href} – sign up there`,
    `  Staff      ${new URL('/acme/staff', shop.readyUrl).href} – sign in there as the owner`,
  ];
}

function ownerLine(organizations: Demo['organizations']): string[] {
  const acme = organizations.find(({ shortId }) => shortId === 'acme');
  if (!acme) return [];
  const { owner, ownerInvitationUrl } = acme;
  return ownerInvitationUrl === undefined
    ? [`  Owner      ${owner.email} has accepted the invitation to acme`]
    : [`  Owner      ${ownerInvitationUrl} – the invitation of acme's owner, for one use`];
}

/** How programs and browsers trust the local CA, and find a host that no name server knows. */
function trustLines({ baseUrl, tls, isResolved }: PublicAddress): string[] {
  if (!tls?.caFile) return [];
  const { hostname } = new URL(baseUrl);
  const resolve = isResolved ? '' : ` --host-resolver-rules='MAP ${hostname} 127.0.0.1'`;
  return [
    'A local CA has signed the certificate. Programs that call it must trust it:',
    '',
    `export NODE_EXTRA_CA_CERTS=${quoted(tls.caFile)}   # Node.js; other programs: SSL_CERT_FILE`,
    `chromium --user-data-dir=/tmp/holdfast-browser --ignore-certificate-errors-spki-list=${spkiOf(tls.caFile)}` +
      `${resolve} ${baseUrl}/docs`,
    ...(isResolved ? [] : [`echo '127.0.0.1 ${hostname}' | sudo tee -a /etc/hosts   # for all programs`]),
    '',
  ];
}

/** What curl needs to reach the stack. */
function curlOptions({ baseUrl, tls, isResolved }: PublicAddress): string {
  const { hostname, port } = new URL(baseUrl);
  return [
    ...(tls?.caFile ? [` --cacert ${quoted(tls.caFile)}`] : []),
    ...(isResolved ? [] : [` --resolve ${hostname}:${port || 443}:127.0.0.1`]),
  ].join('');
}

/** For a shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

function tryIt(address: PublicAddress, organizations: Demo['organizations']): string[] {
  const organization = organizations.find((o) => o.shortId === 'acme') ?? organizations[0];
  const apps = organization?.apps.filter((app) => app.clientSecret && app.scopes.includes('offers:write')) ?? [];
  const app = apps.find((a) => a.name.toLowerCase().includes('shop')) ?? apps[0];
  if (!organization || !app) return [];
  const { baseUrl } = address;
  const curl = `curl -s${curlOptions(address)}`;
  const api = `${baseUrl}/o/${organization.shortId}/api/credentials`;
  const scope = app.scopes.join(' ');
  return [
    `Try it, as the app ${app.name} of ${organization.shortId}:`,
    '',
    `TOKEN=$(${curl} -u '${app.clientId}:${app.clientSecret}' -d grant_type=client_credentials ` +
      `--data-urlencode 'scope=${scope}' ${baseUrl}/oauth2/token ` +
      `| sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `${curl} -w '\\n' -X POST -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{}' ` +
      `${api}/offers`,
    `${curl} -w '\\n' -H "Authorization: Bearer $TOKEN" ${api}/subjects`,
    '',
  ];
}

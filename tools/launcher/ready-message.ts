import { shown } from '../infra/say.ts';
import { demoFile, type Demo } from './demo.ts';

/** The last screen of a start: where things are, and three commands that work as they stand. */
export function readyMessage({ baseUrl, services, organizations }: Demo, took: string): string {
  const lines = [
    '',
    `Holdfast is ready (${took}).`,
    '',
    ...shopLine(services),
    `  API        ${baseUrl}`,
    `  Reference  ${baseUrl}/docs   (${baseUrl}/openapi.json)`,
    ...organizations.map(({ shortId, issuer }) => `  Issuer     ${issuer}   (organization ${shortId})`),
    `  Demo apps  ${shown(demoFile)}   (client ids, secrets, redirect URIs)`,
    '',
    ...tryIt(baseUrl, organizations),
    'Ctrl-C stops everything and keeps the data; "npm run reset" forgets it; "npm run holdfast -- --help" is the command line.',
    '',
  ];
  return lines.join('\n');
}

/** First, since it is what a newcomer should open. Not named when it did not start. */
function shopLine(services: Demo['services']): string[] {
  const shop = services.find(({ name, pid }) => name === 'shop' && pid !== null);
  return shop ? [`  Shop       ${new URL('/acme', shop.readyUrl).href} – sign up there`] : [];
}

function tryIt(baseUrl: string, organizations: Demo['organizations']): string[] {
  const organization = organizations.find((o) => o.shortId === 'acme') ?? organizations[0];
  const apps = organization?.apps.filter((app) => app.clientSecret && app.scopes.includes('offers:write')) ?? [];
  const app = apps.find((a) => a.name.toLowerCase().includes('shop')) ?? apps[0];
  if (!organization || !app) return [];
  const api = `${baseUrl}/o/${organization.shortId}/api/credentials`;
  return [
    `Try it, as the app ${app.name} of ${organization.shortId}:`,
    '',
    `TOKEN=$(curl -s -u '${app.clientId}:${app.clientSecret}' -d grant_type=client_credentials --data-urlencode 'scope=${app.scopes.join(' ')}' ${baseUrl}/oauth2/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `curl -s -w '\\n' -X POST -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{}' ${api}/offers`,
    `curl -s -w '\\n' -H "Authorization: Bearer $TOKEN" ${api}/subjects`,
    '',
  ];
}

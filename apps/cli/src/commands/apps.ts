import { Option, type Command } from 'commander';
import {
  appKinds,
  createApp,
  disableApp,
  getApp,
  listApps,
  listCredentialTypes,
  updateApp,
  type App,
  type AppKind,
} from '@holdfast/contracts';
import { addCommand, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import { asOperator, type OperatorSession } from '../operator-session.js';
import { sheet, show, table } from '../output.js';
import { describeSecret } from './secrets.js';

interface CreateOptions extends Json {
  name: string;
  displayName?: string;
  kind: AppKind;
  audience: App['audience'];
  credentialType?: string;
  redirectUri: string[];
  postLogoutRedirectUri: string[];
  origin: string[];
  backchannelLogoutUri?: string;
  refreshTokens: boolean;
  pkce: App['pkce'];
  idTokenAlg?: NonNullable<App['idTokenAlg']>;
  grant: string[];
}

interface UpdateOptions extends Json {
  name?: string;
  displayName?: string | false;
  credentialType?: string;
  redirectUri?: string[];
  postLogoutRedirectUri?: string[];
  origin?: string[];
  backchannelLogoutUri?: string | false;
  refreshTokens?: boolean;
  pkce?: App['pkce'];
  idTokenAlg?: NonNullable<App['idTokenAlg']>;
}

const collect = (value: string, before: string[] = []) => [...before, value];
const pkce = () =>
  new Option(
    '--pkce <when>',
    'whether sign-in needs PKCE; only a web app may say optional, and must then send a nonce',
  ).choices(['required', 'optional']);
const idTokenAlg = () =>
  new Option('--id-token-alg <alg>', 'what its ID tokens are signed with').choices(['RS256', 'ES256']);

export function appCommands(program: Command): void {
  const app = program.command('app').description('apps of an organization, and their access');

  addCommand(app, 'create <org>', 'create an app; web and service apps get a client secret, shown once', [
    'app create acme --name shop --display-name "Acme Shop" --kind web --redirect-uri https://shop.example/callback --grant offers:write --grant issued:read',
    'app create acme --name automation --kind service --grant audit:read',
  ])
    .requiredOption('--name <name>', 'unique within the organization')
    .option('--display-name <name>', 'what customers read on the sign-in page (the name when left out)')
    .addOption(new Option('--kind <kind>', 'what it is').choices(appKinds).makeOptionMandatory())
    .addOption(
      new Option('--audience <audience>', 'whom it signs in').choices(['customers', 'people']).default('customers'),
    )
    .option('--credential-type <name>', "whose holders it signs in (the organization's default type when left out)")
    .option('--redirect-uri <uri>', 'where sign-in leads back to; may be repeated', collect, [])
    .option('--post-logout-redirect-uri <uri>', 'where sign-out may lead back to; may be repeated', collect, [])
    .option(
      '--origin <origin>',
      'a web origin besides those of the redirect URIs, whose pages may request for a proof of presence; may be repeated',
      collect,
      [],
    )
    .option('--backchannel-logout-uri <uri>', 'where it is told that a session or customer has ended')
    .option('--no-refresh-tokens', 'give it no refresh tokens')
    .addOption(pkce().default('required'))
    .addOption(idTokenAlg())
    .option('--grant <operation>', 'an operation that it may use; may be repeated', collect, [])
    .action((org: string, { json, redirectUri, postLogoutRedirectUri, origin, grant, ...rest }: CreateOptions) =>
      asOperator('app create', async ({ request }) => {
        await requireType(request, org, rest.credentialType);
        const reply = await request(
          createApp,
          {
            org,
            ...rest,
            redirectUris: redirectUri,
            postLogoutRedirectUris: postLogoutRedirectUri,
            origins: origin,
            scopes: grant,
          },
          org,
        );
        const { app: made, secretId, clientSecret } = reply;
        show(reply, json, () =>
          [appSheet(made), ...(secretId && clientSecret ? ['', describeSecret(secretId, clientSecret)] : [])].join(
            '\n',
          ),
        );
      }),
    );

  addCommand(app, 'list <org>', 'list the apps of an organization', ['app list acme']).action(
    (org: string, { json }: Json) =>
      asOperator('app list', async ({ request }) => {
        const { items } = await request(listApps, { org }, org);
        const rows = items.map((a) => [
          a.clientId,
          a.name,
          a.kind,
          a.disabled ? 'disabled' : 'enabled',
          a.scopes.join(' '),
        ]);
        show(items, json, () =>
          items.length === 0
            ? `${org} has no app yet; make one with: holdfast app create ${org} --help`
            : table(['CLIENT ID', 'NAME', 'KIND', 'STATE', 'GRANTS'], rows),
        );
      }),
  );

  addCommand(app, 'show <clientId>', 'show an app', ['app show app_2Vw…']).action((clientId: string, { json }: Json) =>
    asOperator('app show', async ({ request }) => {
      const reply = await request(getApp, { clientId });
      show(reply, json, () => appSheet(reply));
    }),
  );

  addCommand(app, 'update <clientId>', 'change what is given of an app; a list of URIs replaces the list before', [
    'app update app_2Vw… --redirect-uri https://shop.example/callback --post-logout-redirect-uri https://shop.example/',
    'app update app_2Vw… --backchannel-logout-uri https://shop.example/logged-out',
  ])
    .option('--name <name>', 'unique within the organization')
    .option('--display-name <name>', 'what customers read on the sign-in page')
    .option('--no-display-name', 'show the name in its place')
    .option('--credential-type <name>', 'whose holders it signs in')
    .option('--redirect-uri <uri>', 'where sign-in leads back to; may be repeated', collect)
    .option('--post-logout-redirect-uri <uri>', 'where sign-out may lead back to; may be repeated', collect)
    .option(
      '--origin <origin>',
      'a web origin besides those of the redirect URIs, whose pages may request for a proof of presence; may be repeated',
      collect,
    )
    .option('--backchannel-logout-uri <uri>', 'where it is told that a session or customer has ended')
    .option('--no-backchannel-logout-uri', 'tell it no longer')
    .option('--refresh-tokens', 'give it refresh tokens')
    .option('--no-refresh-tokens', 'give it no refresh tokens')
    .addOption(pkce())
    .addOption(idTokenAlg())
    .action(
      (
        clientId: string,
        { json, redirectUri, postLogoutRedirectUri, origin, backchannelLogoutUri, displayName, ...rest }: UpdateOptions,
      ) =>
        asOperator('app update', async ({ request }) => {
          if (rest.credentialType !== undefined)
            await requireType(request, (await request(getApp, { clientId })).org, rest.credentialType);
          const reply = await request(updateApp, {
            clientId,
            ...rest,
            ...(displayName !== undefined && { displayName: displayName || null }),
            ...(redirectUri && { redirectUris: redirectUri }),
            ...(postLogoutRedirectUri && { postLogoutRedirectUris: postLogoutRedirectUri }),
            ...(origin && { origins: origin }),
            ...(backchannelLogoutUri !== undefined && { backchannelLogoutUri: backchannelLogoutUri || null }),
          });
          show(reply, json, () => appSheet(reply));
        }),
    );

  const switching = (name: string, disabled: boolean, says: string, done: string) =>
    addCommand(app, `${name} <clientId>`, says, [`app ${name} app_2Vw…`]).action((clientId: string, { json }: Json) =>
      asOperator(`app ${name}`, async ({ request }) => {
        const reply = await request(disableApp, { clientId, disabled });
        show(reply, json, () => `${reply.name} of ${reply.org} is ${done}.`);
      }),
    );
  switching(
    'disable',
    true,
    'refuse an app and all of its tokens, within a second',
    'disabled: it and all of its tokens are refused',
  );
  switching('enable', false, 'let a disabled app in again', 'enabled: it can get new tokens');
}

/** Directory keeps the name and issuance the types: with a mistyped one nobody could ever sign in. */
async function requireType(request: OperatorSession['request'], org: string, name: string | undefined): Promise<void> {
  if (name === undefined) return;
  const known = (await request(listCredentialTypes, {}, org)).items.map((type) => type.name);
  if (!known.includes(name))
    throw new CommandError(`${org} has no credential type "${name}"; it has ${known.join(', ')}.`);
}

export function appSheet(app: App): string {
  return sheet({
    'Client ID': app.clientId,
    Organization: app.org,
    Name: app.name,
    'Display name': app.displayName,
    Kind: app.kind,
    Audience: app.audience,
    'Credential type': app.credentialType,
    'Redirect URIs': app.redirectUris.join(' ') || 'none',
    'Post-logout URIs': app.postLogoutRedirectUris.join(' ') || 'none',
    Origins: app.origins.join(' ') || undefined,
    'Back-channel logout': app.backchannelLogoutUri,
    'Refresh tokens': app.refreshTokens ? 'yes' : 'no',
    PKCE: app.pkce,
    'ID token alg': app.idTokenAlg ?? 'RS256',
    Grants: app.scopes.join(' ') || 'none',
    State: app.disabled ? 'disabled' : 'enabled',
    'API version': app.apiVersion,
    Created: app.createdAt,
  });
}

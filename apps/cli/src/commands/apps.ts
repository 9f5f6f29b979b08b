import { Option, type Command } from 'commander';
import {
  appKinds,
  createApp,
  deleteApp,
  disableApp,
  getApp,
  listApps,
  listCredentialTypes,
  pkceModes,
  updateApp,
  type App,
  type AppKind,
} from '@holdfast/contracts';
import { addCommand, collect, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import { asOperator, type OperatorSession } from '../operator-session.js';
import { sheet, show, table } from '../output.js';
import { addKeyOptions, keySettingsOf, type KeyOptions } from './app-key-options.js';
import {
  addBrandingChanges,
  addBrandingOptions,
  brandingChangesOf,
  readLogo,
  type BrandingOptions,
} from './branding-options.js';
import { addAppLimits, describeRateLimits } from './rate-limits.js';
import { describeSecret } from './secrets.js';

interface CreateOptions extends Json, KeyOptions, BrandingOptions {
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
  deviceAuthorization?: boolean;
  pkce: App['pkce'];
  idTokenAlg?: NonNullable<App['idTokenAlg']>;
  accentColor?: string;
  logo?: string;
  startUri?: string;
  helpUri?: string;
  grant: string[];
}

interface UpdateOptions extends Json, KeyOptions, BrandingOptions {
  name?: string;
  displayName?: string | false;
  credentialType?: string;
  redirectUri?: string[];
  postLogoutRedirectUri?: string[];
  origin?: string[];
  backchannelLogoutUri?: string | false;
  refreshTokens?: boolean;
  deviceAuthorization?: boolean;
  pkce?: App['pkce'];
  idTokenAlg?: NonNullable<App['idTokenAlg']>;
  startUri?: string | false;
  helpUri?: string | false;
}

const pkceOption = () =>
  new Option(
    '--pkce <when>',
    'whether sign-in requires PKCE; a web app may make it optional and must then send a nonce. ' +
      'optional_without_nonce requires neither and is weaker: for test clients of a certification',
  ).choices(pkceModes);
const deviceAuthorizationHelp = 'allow sign-ins on devices without a browser, by a code (RFC 8628); native apps only';
const idTokenAlgOption = () =>
  new Option('--id-token-alg <alg>', 'signature algorithm of its ID tokens').choices(['RS256', 'ES256']);

export function appCommands(program: Command): void {
  const app = program.command('app').description('apps of an organization');

  const create = addCommand(
    app,
    'create <org>',
    'create an app; web and service apps get a client secret, shown once',
    [
      'app create acme --name shop --display-name "Acme Shop" --kind web ' +
        '--redirect-uri https://shop.example/callback --grant offers:write --grant issued:read',
      'app create acme --name automation --kind service --grant audit:read',
      'app create acme --name automation --kind service --grant audit:read --auth-method private_key_jwt ' +
        '--jwks-file keys.json --require-dpop',
    ],
  )
    .requiredOption('--name <name>', 'unique within the organization')
    .option('--display-name <name>', 'name on the sign-in page (default: the name)')
    .addOption(new Option('--kind <kind>', 'kind of app').choices(appKinds).makeOptionMandatory())
    .addOption(
      new Option('--audience <audience>', 'who signs in to it').choices(['customers', 'people']).default('customers'),
    )
    .option(
      '--credential-type <name>',
      "credential type that it offers and signs in (default: the organization's default type)",
    )
    .option('--redirect-uri <uri>', 'address that a sign-in redirects to; may be repeated', collect, [])
    .option('--post-logout-redirect-uri <uri>', 'address that a sign-out may redirect to; may be repeated', collect, [])
    .option(
      '--origin <origin>',
      'a further web origin whose pages may request presence challenges; may be repeated',
      collect,
      [],
    )
    .option('--backchannel-logout-uri <uri>', 'address that receives logout tokens when a session is revoked')
    .option('--no-refresh-tokens', 'issue no refresh tokens to it')
    .option('--device-authorization', deviceAuthorizationHelp)
    .addOption(pkceOption().default('required'))
    .addOption(idTokenAlgOption())
    .option('--start-uri <uri>', 'where customers begin with it: its sign-in page leads back there')
    .option('--help-uri <uri>', 'where customers get help with it, on its sign-in page');
  addKeyOptions(addBrandingOptions(create))
    .option('--grant <operation>', 'operation that it may use; may be repeated', collect, [])
    .action((org: string, options: CreateOptions) =>
      asOperator('app create', async ({ request }) => {
        const { json, redirectUri, postLogoutRedirectUri, origin, grant, logo, ...rest } = options;
        await requireType(request, org, rest.credentialType);
        const reply = await request(
          createApp,
          {
            org,
            ...keySettingsOf(rest),
            redirectUris: redirectUri,
            postLogoutRedirectUris: postLogoutRedirectUri,
            origins: origin,
            scopes: grant,
            ...(logo !== undefined && { logo: readLogo(logo) }),
          },
          org,
        );
        const { app: created, secretId, clientSecret } = reply;
        show(reply, json, () =>
          [appSheet(created), ...(secretId && clientSecret ? ['', describeSecret(secretId, clientSecret)] : [])].join(
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
            ? `${org} has no app yet. Create one: holdfast app create ${org} --help`
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

  const update = addCommand(
    app,
    'update <clientId>',
    'change the given settings of an app; a list of URIs replaces the whole list',
    [
      'app update app_2Vw… --redirect-uri https://shop.example/in --post-logout-redirect-uri https://shop.example/',
      'app update app_2Vw… --backchannel-logout-uri https://shop.example/logged-out',
      'app update app_2Vw… --accent-color "#0b57a4" --logo logo.png --help-uri https://shop.example/help',
      'app update app_2Vw… --auth-method private_key_jwt --jwks-uri https://shop.example/jwks.json',
    ],
  )
    .option('--name <name>', 'unique within the organization')
    .option('--display-name <name>', 'name on the sign-in page')
    .option('--no-display-name', 'show the name instead')
    .option('--credential-type <name>', 'credential type that it offers and signs in')
    .option('--redirect-uri <uri>', 'address that a sign-in redirects to; may be repeated', collect)
    .option('--post-logout-redirect-uri <uri>', 'address that a sign-out may redirect to; may be repeated', collect)
    .option(
      '--origin <origin>',
      'a further web origin whose pages may request presence challenges; may be repeated',
      collect,
    )
    .option('--backchannel-logout-uri <uri>', 'address that receives logout tokens when a session is revoked')
    .option('--no-backchannel-logout-uri', 'send it no logout tokens')
    .option('--refresh-tokens', 'issue refresh tokens to it')
    .option('--no-refresh-tokens', 'issue no refresh tokens to it')
    .option('--device-authorization', deviceAuthorizationHelp)
    .option('--no-device-authorization', 'refuse sign-ins on devices by a code')
    .addOption(pkceOption())
    .addOption(idTokenAlgOption())
    .option('--start-uri <uri>', 'where customers begin with it: its sign-in page leads back there')
    .option('--no-start-uri', 'remove it')
    .option('--help-uri <uri>', 'where customers get help with it, on its sign-in page')
    .option('--no-help-uri', 'remove it');
  addKeyOptions(addBrandingChanges(update, 'its organization')).action((clientId: string, options: UpdateOptions) =>
    asOperator('app update', async ({ request }) => {
      const { json, redirectUri, postLogoutRedirectUri, origin, backchannelLogoutUri, displayName, ...others } =
        options;
      const { startUri, helpUri, accentColor, logo, ...rest } = others;
      if (rest.credentialType !== undefined)
        await requireType(request, (await request(getApp, { clientId })).org, rest.credentialType);
      const reply = await request(updateApp, {
        clientId,
        ...keySettingsOf(rest),
        ...brandingChangesOf({ accentColor, logo }),
        ...(startUri !== undefined && { startUri: startUri || null }),
        ...(helpUri !== undefined && { helpUri: helpUri || null }),
        ...(displayName !== undefined && { displayName: displayName || null }),
        ...(redirectUri && { redirectUris: redirectUri }),
        ...(postLogoutRedirectUri && { postLogoutRedirectUris: postLogoutRedirectUri }),
        ...(origin && { origins: origin }),
        ...(backchannelLogoutUri !== undefined && { backchannelLogoutUri: backchannelLogoutUri || null }),
      });
      show(reply, json, () => appSheet(reply));
    }),
  );

  const addSwitch = (name: string, disabled: boolean, description: string, result: string) =>
    addCommand(app, `${name} <clientId>`, description, [`app ${name} app_2Vw…`]).action(
      (clientId: string, { json }: Json) =>
        asOperator(`app ${name}`, async ({ request }) => {
          const reply = await request(disableApp, { clientId, disabled });
          show(reply, json, () => `${reply.name} of ${reply.org} is ${result}.`);
        }),
    );
  addSwitch(
    'disable',
    true,
    'reject an app and all of its tokens, within a second',
    'disabled: its secrets, keys and tokens are rejected',
  );
  addSwitch('enable', false, 'enable a disabled app', 'enabled: it can get new tokens');

  addAppLimits(app);

  addCommand(app, 'delete <clientId>', 'delete an app for good, with its secrets, grants and assignments', [
    'app delete app_2Vw… --yes',
  ])
    .option('--yes', 'confirm: it cannot be undone')
    .action((clientId: string, { json, yes }: Json & { yes?: boolean }) =>
      asOperator('app delete', async ({ request }) => {
        if (!yes) throw new CommandError('This deletes the app for good. Add --yes to do it.');
        const reply = await request(deleteApp, { clientId });
        show(reply, json, () => 'The app is deleted. Its assignments and pending access requests end within seconds.');
      }),
    );
}

/**
 * Directory stores the name without checking it, since issuance owns the types: a mistyped one would deny every
 * sign-in.
 */
async function requireType(request: OperatorSession['request'], org: string, name: string | undefined): Promise<void> {
  if (name === undefined) return;
  const known = (await request(listCredentialTypes, {}, org)).items.map((type) => type.name);
  if (!known.includes(name))
    throw new CommandError(`${org} has no credential type "${name}". It has: ${known.join(', ')}.`);
}

function appSheet(app: App): string {
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
    'Device sign-ins': app.deviceAuthorization ? 'yes' : undefined,
    PKCE: app.pkce,
    'Accent colour': app.accentColor,
    Logo: app.logoPath,
    'Start address': app.startUri,
    'Help address': app.helpUri,
    'ID token alg': app.idTokenAlg ?? 'RS256',
    Authentication: app.tokenEndpointAuthMethod,
    Keys: app.jwksUri ?? app.jwks?.keys.map(({ kid, kty }) => kid ?? `${kty} without kid`).join(' '),
    'Requires DPoP': app.requireDpop ? 'yes' : undefined,
    'Access tokens': app.accessTokenFormat,
    Grants: app.scopes.join(' ') || 'none',
    'Rate limits': app.rateLimits && describeRateLimits(app.rateLimits),
    State: app.disabled ? 'disabled' : 'enabled',
    'API version': app.apiVersion,
    Created: app.createdAt,
  });
}

import type { App } from './app-queries.ts';

export const libraries = ['Node.js', 'Spring Boot', 'Python'] as const;
export type Library = (typeof libraries)[number];

/** The client libraries that have what the app needs: of these, one signs in on devices without a browser. */
export function librariesOf({ redirectUris, deviceAuthorization }: App): readonly Library[] {
  return deviceAuthorization === true && redirectUris.length === 0 ? ['Node.js'] : libraries;
}

/** Configuration for a client library, ready to paste (docs/connect.md). The secret is a placeholder. */
export function connectionOf(library: Library, issuer: string, app: App): string {
  const { clientId, kind, redirectUris } = app;
  if (librariesOf(app) !== libraries) return deviceConnection(issuer, clientId);
  const redirectUri = redirectUris[0] ?? 'https://your-app.example/callback';
  const isPublic = kind !== 'web';
  switch (library) {
    case 'Node.js':
      return [
        ...nodeDiscovery(issuer, clientId, isPublic),
        'const codeVerifier = client.randomPKCECodeVerifier();',
        'const signIn = client.buildAuthorizationUrl(config, {',
        `  redirect_uri: '${redirectUri}',`,
        "  scope: 'openid',",
        '  code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),',
        "  code_challenge_method: 'S256',",
        '  state: client.randomState(),',
        '});',
      ].join('\n');
    case 'Spring Boot':
      return [
        'spring:',
        '  security:',
        '    oauth2:',
        '      client:',
        '        registration:',
        '          holdfast:',
        `            client-id: ${clientId}`,
        ...(isPublic
          ? ['            client-authentication-method: none']
          : ['            client-secret: ${CLIENT_SECRET}']),
        '            scope: openid',
        `            redirect-uri: ${redirectUri}`,
        '            authorization-grant-type: authorization_code',
        '        provider:',
        '          holdfast:',
        `            issuer-uri: ${issuer}`,
        '            user-name-attribute: sub',
        ...springCode(isPublic, redirectUri),
      ].join('\n');
    case 'Python':
      return [
        '# Authlib',
        'oauth.register(',
        "    'holdfast',",
        `    client_id='${clientId}',`,
        ...(isPublic ? [] : ['    client_secret=client_secret,']),
        `    server_metadata_url='${issuer}/.well-known/openid-configuration',`,
        "    client_kwargs={'scope': 'openid', 'code_challenge_method': 'S256'},",
        ')',
        `# redirect_uri: ${redirectUri}`,
      ].join('\n');
  }
}

const springCallback = '/login/oauth2/code/holdfast';

/** What Spring Security needs in code, as comments of the YAML: no property sets it. */
function springCode(isPublic: boolean, redirectUri: string): string[] {
  const path = new URL(redirectUri).pathname;
  return [
    ...(isPublic
      ? []
      : [
          '# PKCE is required. Spring Boot 3 sends it for an app with a secret when there is this bean; 4 by itself:',
          '# @Bean',
          '# OAuth2AuthorizationRequestResolver pkce(ClientRegistrationRepository clients) {',
          '#   var requests = new DefaultOAuth2AuthorizationRequestResolver(clients, "/oauth2/authorization");',
          '#   requests.setAuthorizationRequestCustomizer(OAuth2AuthorizationRequestCustomizers.withPkce());',
          '#   return requests;',
          '# }',
        ]),
    ...(path === springCallback
      ? []
      : [
          `# Spring Security expects the redirect at ${springCallback}. For another path, at HttpSecurity:`,
          `# .oauth2Login(login -> login.redirectionEndpoint(redirect -> redirect.baseUri("${path}")))`,
        ]),
  ];
}

function nodeDiscovery(issuer: string, clientId: string, isPublic: boolean): string[] {
  return [
    "import * as client from 'openid-client';",
    '',
    'const config = await client.discovery(',
    `  new URL('${issuer}'),`,
    `  '${clientId}',`,
    isPublic ? '  undefined,\n  client.None(),' : '  clientSecret,',
    ');',
  ];
}

function deviceConnection(issuer: string, clientId: string): string {
  return [
    ...nodeDiscovery(issuer, clientId, true),
    "const codes = await client.initiateDeviceAuthorization(config, { scope: 'openid' });",
    '// Show codes.verification_uri and codes.user_code, or codes.verification_uri_complete as a QR code.',
    'const tokens = await client.pollDeviceAuthorizationGrant(config, codes);',
  ].join('\n');
}

/** A sign-in as the app would begin it. Its redirect URI gets a code that the app did not request, and ends there. */
export async function trialSignIn(issuer: string, { clientId, redirectUris: [redirectUri] }: App): Promise<string> {
  const verifier = crypto.getRandomValues(new Uint8Array(32));
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(base64url(verifier)));
  const parameters = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri!,
    response_type: 'code',
    scope: 'openid',
    code_challenge: base64url(new Uint8Array(hash)),
    code_challenge_method: 'S256',
    state: 'trial',
    nonce: crypto.randomUUID(),
  });
  return `${issuer}/authorize?${parameters.toString()}`;
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCodePoint(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** What an example needs to be registered as. */
export interface Framework {
  kind: 'web' | 'spa' | 'native';
  description: string;
  /** Where it runs unless `--origin` says something else; undefined for a program that has no address of its own. */
  origin?: string;
  /** Paths below the origin, or whole addresses. */
  redirectUris: string[];
  postLogoutRedirectUris?: string[];
  backchannelLogoutUri?: string;
  grants?: string[];
  /** Further options of `holdfast app create`. */
  options?: string[];
}

/** By folder of examples/. */
export const frameworks: Record<string, Framework> = {
  express: {
    kind: 'web',
    description: 'a server with Express: offers, sign-in, sessions, back-channel logout',
    origin: 'http://localhost:3000',
    redirectUris: ['/callback', '/'],
    postLogoutRedirectUris: ['/'],
    backchannelLogoutUri: '/backchannel-logout',
    grants: ['offers:write'],
  },
  nextjs: {
    kind: 'web',
    description: 'the same with Next.js and its App Router',
    origin: 'http://localhost:3002',
    redirectUris: ['/callback', '/'],
    postLogoutRedirectUris: ['/'],
    backchannelLogoutUri: '/backchannel-logout',
    grants: ['offers:write'],
  },
  'single-page-app': {
    kind: 'spa',
    description: 'a page in the browser with oidc-client-ts, without a server of its own',
    origin: 'http://localhost:3001',
    redirectUris: ['/'],
    postLogoutRedirectUris: ['/'],
  },
  native: {
    kind: 'native',
    description: 'a program on the own machine with openid-client, for the command line or the desktop',
    redirectUris: ['http://127.0.0.1/callback'],
  },
  device: {
    kind: 'native',
    description: 'a device without a browser, such as a television, with openid-client',
    redirectUris: [],
    options: ['--device-authorization'],
  },
};

/**
 * The arguments of `holdfast` that register an example.
 *
 * @param origin without a slash at its end
 */
export function createArguments(
  { kind, redirectUris, postLogoutRedirectUris = [], backchannelLogoutUri, grants = [], options = [] }: Framework,
  { organization, name, origin }: { organization: string; name: string; origin: string },
): string[] {
  const address = (uri: string): string => (uri.startsWith('/') ? origin + uri : uri);
  const repeated = (option: string, values: string[]): string[] => values.flatMap((value) => [option, value]);
  return [
    ...['app', 'create', organization, '--name', name, '--kind', kind],
    ...repeated('--redirect-uri', redirectUris.map(address)),
    ...repeated('--post-logout-redirect-uri', postLogoutRedirectUris.map(address)),
    ...repeated('--backchannel-logout-uri', backchannelLogoutUri === undefined ? [] : [address(backchannelLogoutUri)]),
    ...repeated('--grant', grants),
    ...options,
  ];
}

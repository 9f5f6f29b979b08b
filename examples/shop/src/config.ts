import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What one app of one organization has to know. In your own app: an issuer, a client id, a secret, and your own
 * address.
 */
export interface Settings {
  /** `shop` or `kiosk`: the name under which the app was registered. */
  app: string;
  organization: string;
  /** Our own address, such as http://localhost:4000 and /acme below it. Never taken from a request's Host header. */
  origin: string;
  path: string;
  issuer: string;
  /** The customer-credentials API of the organization. */
  api: string;
  tokenEndpoint: string;
  clientId: string;
  clientSecret: string;
  /** Whose holders the app signs in, so what it offers; the organization's default type when undefined. */
  credentialType: string | undefined;
  /** Where the widget on a form gets its challenge, and where the widget itself comes from. */
  challengeUrl: string;
  widget: string;
  /** All three are registered for the app; Holdfast leads to no other address. */
  redirectUri: string;
  welcomeUri: string;
  signedOutUri: string;
}

interface DemoFile {
  baseUrl: string;
  organizations: {
    shortId: string;
    issuer: string;
    apps: { name: string; credentialType?: string; clientId: string; clientSecret?: string }[];
  }[];
}

export interface Config {
  /** Port by app. */
  ports: Record<string, number>;
  dataFolder: string;
  settings: Settings[];
  /** Started by a launcher that holds our stdin: its end is ours. */
  exitWithParent: boolean;
}

/** @throws Error with a sentence for the person who started us */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const home = env.HOLDFAST_HOME || '.holdfast';
  const ports = {
    shop: portOf('SHOP_PORT', env.SHOP_PORT || '4000'),
    kiosk: portOf('KIOSK_PORT', env.KIOSK_PORT || '4001'),
  };
  return {
    ports,
    dataFolder: env.SHOP_DATA || join(home, 'shop'),
    settings: settingsOf(readDemo(env.DEMO_FILE || join(home, 'demo.json')), ports),
    exitWithParent: env.HOLDFAST_EXIT_WITH_PARENT === '1',
  };
}

export function settingsOf({ baseUrl, organizations }: DemoFile, ports: Record<string, number>): Settings[] {
  return organizations.flatMap(({ shortId, issuer, apps }) =>
    Object.entries(ports).flatMap(([app, port]) => {
      const found = apps.find(({ name }) => name === app);
      if (!found?.clientSecret) return [];
      const origin = `http://localhost:${port}`;
      const path = `/${shortId}`;
      return {
        app,
        organization: shortId,
        origin,
        path,
        issuer,
        api: `${issuer}/api/credentials`,
        tokenEndpoint: `${baseUrl}/oauth2/token`,
        challengeUrl: `${issuer}/api/presence/challenge?client_id=${encodeURIComponent(found.clientId)}`,
        widget: `${baseUrl}/assets/altcha/3.2.2-1`,
        clientId: found.clientId,
        clientSecret: found.clientSecret,
        credentialType: found.credentialType,
        redirectUri: `${origin}${path}/callback`,
        welcomeUri: `${origin}${path}/welcome`,
        signedOutUri: `${origin}${path}`,
      };
    }),
  );
}

function readDemo(file: string): DemoFile {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as DemoFile;
  } catch (error) {
    throw new Error(
      `${file} cannot be read (${(error as Error).message}); start Holdfast first, or name its demo.json in DEMO_FILE.`,
      { cause: error },
    );
  }
}

function portOf(name: string, text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new Error(`${name} is "${text}"; it must be a number from 1 to 65535.`);
}

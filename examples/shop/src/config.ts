import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Receiver } from './holdfast/security-events.ts';
import type { Client } from './holdfast/sign-in.ts';

/**
 * The settings of one app of one organization. Your own app needs an issuer, client id, client secret and its address.
 */
export interface Settings extends Client {
  /** `shop` or `kiosk`: the name under which the app was registered. */
  app: string;
  organization: string;
  /** The shop's own address, such as http://localhost:4000. Never taken from a request's Host header. */
  origin: string;
  /** The organization's path below it, such as /acme. */
  path: string;
  /** The customer-credentials API of the organization. */
  api: string;
  tokenEndpoint: string;
  /** The type that the app offers and signs in; undefined stands for the organization's default type. */
  credentialType: string | undefined;
  /** The address of the presence widget's challenge, and the folder of its script. */
  challengeUrl: string;
  widget: string;
  /** Registered for the app, as redirectUri and signedOutUri are: Holdfast redirects to no other address. */
  welcomeUri: string;
  /** The app that signs in the organization's own people. Without one the shop has no staff area. */
  staff: Client | undefined;
  /** The receiver of the organization's security events, which the staff area shows. */
  receiver: Receiver | undefined;
}

interface DemoFile {
  baseUrl: string;
  organizations: {
    shortId: string;
    issuer: string;
    apps: {
      name: string;
      kind?: string;
      credentialType?: string;
      clientId: string;
      clientSecret?: string;
      redirectUris?: string[];
    }[];
  }[];
}

export interface Config {
  /** Port by app. */
  ports: Record<string, number>;
  /** Address to listen on. */
  host: string;
  /** Names of PEM files; undefined for plain HTTP. */
  tls: { certFile: string; keyFile: string } | undefined;
  dataFolder: string;
  settings: Settings[];
  /** Signs the session cookies. */
  sessionSecret: string;
  /** Stop when stdin ends, as it does when the launcher that started the shop ends. */
  exitWithParent: boolean;
}

/** @throws Error with a message for the person who starts the shop */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const home = env.HOLDFAST_HOME || '.holdfast';
  const ports = {
    shop: portOf('SHOP_PORT', env.SHOP_PORT || '4000'),
    kiosk: portOf('KIOSK_PORT', env.KIOSK_PORT || '4001'),
  };
  const { SHOP_CERT_FILE: certFile, SHOP_KEY_FILE: keyFile } = env;
  const site = env.SHOP_SITE || 'http://localhost';
  if (site.startsWith('https:') !== Boolean(certFile && keyFile))
    throw new Error(`SHOP_SITE is "${site}". With https, and only then, set SHOP_CERT_FILE and SHOP_KEY_FILE.`);
  return {
    ports,
    // On this machine only, as long as the connection is not encrypted.
    host: (certFile && env.SHOP_HOST) || 'localhost',
    tls: certFile && keyFile ? { certFile, keyFile } : undefined,
    dataFolder: env.SHOP_DATA || join(home, 'shop'),
    settings: settingsOf(readDemo(env.DEMO_FILE || join(home, 'demo.json')), ports, site),
    sessionSecret: sessionSecretOf(env.SHOP_SESSION_SECRET),
    exitWithParent: env.HOLDFAST_EXIT_WITH_PARENT === '1',
  };
}

/** @param site scheme and host of the shop */
export function settingsOf(
  { baseUrl, organizations }: DemoFile,
  ports: Record<string, number>,
  site = 'http://localhost',
): Settings[] {
  return organizations.flatMap(({ shortId, issuer, apps }) =>
    Object.entries(ports).flatMap(([app, port]) => {
      const found = apps.find(({ name }) => name === app);
      if (!found?.clientSecret) return [];
      const origin = `${site}:${port}`;
      const path = `/${shortId}`;
      const tokenEndpoint = `${baseUrl}/oauth2/token`;
      const receiver = apps.find(({ kind }) => kind === 'receiver');
      const staff = apps.find(({ redirectUris }) => redirectUris?.includes(`${origin}${path}/staff/callback`));
      return {
        app,
        organization: shortId,
        origin,
        path,
        issuer,
        api: `${issuer}/api/credentials`,
        tokenEndpoint,
        challengeUrl: `${issuer}/api/presence/challenge?client_id=${encodeURIComponent(found.clientId)}`,
        widget: `${baseUrl}/assets/altcha/3.2.2-1`,
        clientId: found.clientId,
        clientSecret: found.clientSecret,
        credentialType: found.credentialType,
        scope: 'openid',
        redirectUri: `${origin}${path}/callback`,
        welcomeUri: `${origin}${path}/welcome`,
        signedOutUri: `${origin}${path}`,
        staff: staff?.clientSecret
          ? {
              issuer,
              clientId: staff.clientId,
              clientSecret: staff.clientSecret,
              scope: 'openid email profile groups',
              redirectUri: `${origin}${path}/staff/callback`,
              signedOutUri: `${origin}${path}/staff`,
            }
          : undefined,
        receiver:
          staff && receiver?.clientSecret
            ? { issuer, tokenEndpoint, clientId: receiver.clientId, clientSecret: receiver.clientSecret }
            : undefined,
      };
    }),
  );
}

function readDemo(file: string): DemoFile {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as DemoFile;
  } catch (error) {
    throw new Error(
      `Cannot read ${file} (${(error as Error).message}). Start Holdfast first, or set DEMO_FILE to its demo.json.`,
      { cause: error },
    );
  }
}

/**
 * Without a setting the secret is random: sessions are in memory, so a restart ends them anyway. An app that runs on
 * several servers needs the same secret on each.
 */
function sessionSecretOf(secret: string | undefined): string {
  if (!secret) return randomBytes(32).toString('base64url');
  if (secret.length >= 32) return secret;
  throw new Error('SHOP_SESSION_SECRET is too short to be safe. Set it to at least 32 random characters.');
}

function portOf(name: string, text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new Error(`${name} is "${text}". Set it to a number from 1 to 65535.`);
}

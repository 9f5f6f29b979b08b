import { lookup } from 'node:dns';
import { lookup as lookedUp } from 'node:dns/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Agent, fetch } from 'undici';
import { print } from '../infra/console.ts';
import { root } from '../setup/paths.mjs';
import { prepareTls, trustAuthority, trustedFile, type StackTls } from './local-tls.ts';

/** Under which address the stack is reached, and where it listens for it. */
export interface PublicAddress {
  baseUrl: string;
  /** Port of the first gateway. It is not that of `baseUrl` when something else forwards to it. */
  port: number;
  /** Address that gateway and example shop listen on. */
  host: string;
  /** Undefined when the stack serves plain HTTP. */
  tls: StackTls | undefined;
  /** Folder of the stack's own CA. */
  tlsFolder: string;
  /** Whether the machine can resolve the host of `baseUrl`. */
  isResolved: boolean;
}

export async function preparePublicAddress(
  { baseUrl, port, host }: Pick<PublicAddress, 'baseUrl' | 'port' | 'host'>,
  home: string,
  settings: NodeJS.ProcessEnv,
): Promise<PublicAddress> {
  const tlsFolder = join(home, 'tls');
  const tls = await prepareTls(tlsFolder, baseUrl, settings);
  if (tls) trustAuthority(tls);
  const { hostname, port: ofAddress, protocol } = new URL(baseUrl);
  const isResolved = await lookedUp(hostname).then(
    () => true,
    () => false,
  );
  if (!isResolved) print(`  This machine cannot resolve ${hostname}; the programs of the stack find it nevertheless`);
  if (port !== Number(ofAddress || (protocol === 'https:' ? 443 : 80)))
    print(`  The gateway listens on port ${port}, which ${baseUrl} must lead to`);
  return { baseUrl, port, host, tls, tlsFolder, isResolved };
}

/** That of a stack that serves plain HTTP on this machine. */
export function plainAddress(baseUrl: string): PublicAddress {
  const port = Number(new URL(baseUrl).port || 80);
  return { baseUrl, port, host: 'localhost', tls: undefined, tlsFolder: '', isResolved: true };
}

/** What programs need besides their own variables to reach the stack under its public address. */
export function reachingEnv(
  { baseUrl, host, tls, tlsFolder, isResolved }: PublicAddress,
  caller: NodeJS.ProcessEnv,
): { NODE_EXTRA_CA_CERTS?: string; NODE_OPTIONS?: string } {
  const trusted = tls && trustedFile(tlsFolder, tls, caller);
  const module = pathToFileURL(join(root, 'tools', 'launcher', 'resolve-name.mjs'));
  module.search = new URLSearchParams({ name: new URL(baseUrl).hostname, address: localAddressOf(host) }).toString();
  return {
    ...(trusted && { NODE_EXTRA_CA_CERTS: trusted }),
    ...(!isResolved && { NODE_OPTIONS: `--import=${module.href}` }),
  };
}

/** The address of this machine that a listener on `host` is reached at. */
function localAddressOf(host: string): string {
  return host === '0.0.0.0' || host === '::' ? 'localhost' : host;
}

/** Connects to this machine whatever the name in the address resolves to; certificates are compared with that name. */
const agents = new Map<string, Agent>();

/**
 * The response of `/readyz`: its status tells whether the service is ready, its further lines are remarks.
 * @param host that the service listens on
 */
export async function readiness(url: string, host = '127.0.0.1'): Promise<{ ready: boolean; remarks: string[] }> {
  const address = localAddressOf(host);
  let agent = agents.get(address);
  if (!agent) {
    agent = new Agent({ connect: { lookup: (_name, options, done) => lookup(address, options, done) } });
    agents.set(address, agent);
  }
  try {
    const response = await fetch(url, {
      dispatcher: agent,
      signal: AbortSignal.timeout(2000),
      headers: { connection: 'close' },
    });
    const text = await response.text();
    return { ready: response.status === 200, remarks: text.split('\n').slice(1).filter(Boolean) };
  } catch {
    return { ready: false, remarks: [] };
  }
}

export async function isReady(url: string, host?: string): Promise<boolean> {
  return (await readiness(url, host)).ready;
}

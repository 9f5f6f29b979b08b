import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, writeWhole } from '../infra/files.ts';
import { home } from '../setup/paths.mjs';
import type { Jobs } from './jobs.ts';

export interface DemoApp {
  name: string;
  kind: string;
  audience: string;
  credentialType?: string;
  clientId: string;
  clientSecret?: string;
  redirectUris: string[];
  postLogoutRedirectUris?: string[];
  backchannelLogoutUri?: string;
  scopes: string[];
}

export interface DemoType {
  name: string;
  validity?: string;
  renewalWindow?: string;
  revocable: boolean;
  isDefault: boolean;
}

/** What demo.json holds: all that a test or a curious person needs to talk to the stack. */
export interface Demo {
  baseUrl: string;
  services: { name: string; replica: number; pid: number | null; readyUrl: string }[];
  organizations: {
    shortId: string;
    issuer: string;
    presence: 'optional' | 'required';
    credentialTypes: DemoType[];
    apps: DemoApp[];
  }[];
}

export const demoFile = join(home, 'demo.json');
const knownFile = join(home, 'demo.known.json');

/** The last run's file is put aside: its pids are wrong, and whoever waits for the file must wait for the new one. */
export function putDemoAside(): void {
  if (existsSync(demoFile)) renameSync(demoFile, knownFile);
}

export function writeDemo(demo: Demo): void {
  writeWhole(demoFile, `${JSON.stringify(demo, null, 2)}\n`);
}

export function knownOrganizations(): Demo['organizations'] {
  return readJson<Demo>(knownFile)?.organizations ?? [];
}

/** Makes what is missing of the demo organizations. Only we still know their apps' secrets, so we hand them back in. */
export async function seedDemo(jobs: Jobs, env: NodeJS.ProcessEnv, build: string): Promise<Demo['organizations']> {
  const known = existsSync(knownFile) ? ['--known', knownFile] : [];
  const printed = await jobs.run(
    'The demo',
    [join(build, 'apps', 'cli', 'dist', 'main.js'), 'demo', 'seed', '--json', ...known],
    env,
  );
  return (JSON.parse(printed) as Pick<Demo, 'organizations'>).organizations;
}

import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, writeWhole } from '../infra/files.ts';
import { home, programOf } from '../setup/paths.mjs';
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

/** The content of demo.json: everything that a test or a reader needs to use the stack. */
export interface Demo {
  baseUrl: string;
  services: { name: string; replica: number; pid: number | null; readyUrl: string }[];
  organizations: {
    shortId: string;
    issuer: string;
    presence: 'optional' | 'required';
    credentialTypes: DemoType[];
    apps: DemoApp[];
    groups: { id: string; name: string }[];
    owner: { id: string; email: string; name: string; status: string };
    /** Absent when the owner has accepted the invitation. */
    ownerInvitationUrl?: string;
  }[];
}

export const demoFile = join(home, 'demo.json');
const previousDemoFile = join(home, 'demo.known.json');

/** Renames the file of the last run: its pids are wrong, and programs that wait for the file must see the new one. */
export function setDemoAside(): void {
  if (existsSync(demoFile)) renameSync(demoFile, previousDemoFile);
}

export function writeDemo(demo: Demo): void {
  writeWhole(demoFile, `${JSON.stringify(demo, null, 2)}\n`);
}

export function previousOrganizations(): Demo['organizations'] {
  return readJson<Demo>(previousDemoFile)?.organizations ?? [];
}

/**
 * Creates missing demo organizations and apps. Secrets of existing apps are stored as hashes only, so the file of the
 * last run is passed in.
 */
export async function seedDemo(jobs: Jobs, env: NodeJS.ProcessEnv, build: string): Promise<Demo['organizations']> {
  const previous = existsSync(previousDemoFile) ? ['--known', previousDemoFile] : [];
  const output = await jobs.run(
    'The seed of the demo',
    [programOf(build, 'cli'), 'demo', 'seed', '--json', ...previous],
    env,
  );
  return (JSON.parse(output) as Pick<Demo, 'organizations'>).organizations;
}

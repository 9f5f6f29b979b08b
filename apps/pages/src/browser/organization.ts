import type { ShownOrganization } from '@holdfast/contracts';
import { call } from './api.ts';

/**
 * The organization in the path of the page, for a screen that knows nothing else. Undefined without one, and when the
 * server cannot say: the screen is complete without it.
 */
export async function organizationOfPage(pathname: string): Promise<ShownOrganization | undefined> {
  const [, organization] = /^\/o\/([^/]+)\//.exec(pathname) ?? [];
  if (organization === undefined) return undefined;
  return call<ShownOrganization>('GET', `/o/${organization}/api/organization`).catch(() => undefined);
}

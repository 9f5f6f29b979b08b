import { parse, stringify, YAMLParseError } from 'yaml';
import { z } from 'zod';
import {
  createApp,
  createOrganization,
  createWebhookEndpoint,
  setPresencePolicy,
  updateApp,
  updateCredentialType,
  updateOrganization,
  updateWebhookEndpoint,
} from '@holdfast/contracts';
import { CommandError } from '../command-error.js';

const { shortId, rpId, shard } = createOrganization.request.shape;
const { name, startUrl, helpUrl, accentColor } = updateOrganization.request.shape;
const { kind, audience } = createApp.request.shape;
const newGroup = z.strictObject({
  name: z.string().trim().min(1).max(100),
  description: z.string().max(300).nullish(),
});
const { url } = createWebhookEndpoint.request.shape.endpoint.shape;
const { description, types, rateLimit, signatures } = updateWebhookEndpoint.request.shape.changes.shape;

const appSchema = updateApp.request.omit({ clientId: true, name: true, logo: true }).extend({
  name: createApp.request.shape.name,
  kind,
  audience: audience.unwrap().optional(),
  grants: z.array(z.string().max(64)).max(50).optional(),
  disabled: z.boolean().optional(),
});
/** Members of an app in a file. */
export const appMembers: readonly string[] = Object.keys(appSchema.shape);

/**
 * An organization as a file declares it. A member or section that is absent is left as it is, and null removes what may
 * be removed. It has no secrets, and no people.
 */
const organizationFileSchema = z.strictObject({
  organization: z.strictObject({ shortId, name, rpId, shard, startUrl, helpUrl, accentColor }),
  presence: setPresencePolicy.request.pick({ policy: true }).optional(),
  credentialTypes: z.array(updateCredentialType.request).max(100).optional(),
  apps: z.array(appSchema).max(1000).optional(),
  groups: z.array(newGroup).max(1000).optional(),
  webhooks: z.array(z.strictObject({ url, description, types, rateLimit, signatures })).max(100).optional(),
});
export type OrganizationFile = z.output<typeof organizationFileSchema>;
/** A member of a section that is a list. */
export type Declared<Section extends 'credentialTypes' | 'apps' | 'groups' | 'webhooks'> = NonNullable<
  OrganizationFile[Section]
>[number];

/** @param source name of the file, for errors. @throws CommandError that names each wrong member */
export function parseOrganizationFile(text: string, source: string): OrganizationFile {
  const parsed = organizationFileSchema.safeParse(yamlOf(text, source));
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map(({ path, message }) => `  ${placeOf(path) || 'the file'}: ${message}`);
  throw new CommandError(`${source} is no file of an organization, so nothing was changed:\n${lines.join('\n')}`);
}

function yamlOf(text: string, source: string): unknown {
  try {
    return parse(text) as unknown;
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw new CommandError(`${source} is no YAML, so nothing was changed: ${error.message}`);
  }
}

/** As in the file: `apps[0].redirectUris`. */
function placeOf(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

/** The text of a file, without members that are absent. */
export function organizationFileText(file: OrganizationFile): string {
  return stringify(JSON.parse(JSON.stringify(file)), { lineWidth: 120 });
}

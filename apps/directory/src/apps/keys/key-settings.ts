import {
  isProgram,
  type App,
  type AppKind,
  type PublicJwk,
  type RequestOf,
  type updateApp,
  type ValidationIssue,
} from '@holdfast/contracts';
import { checkPublicJwk, unprocessable, type CheckedJwk } from '@holdfast/platform';
import { isPublicClient, type AppEntity } from '../app.entity.js';

/** The settings of an app that decide how it authenticates and what its tokens are. */
export type KeySettings = Pick<
  AppEntity,
  'tokenEndpointAuthMethod' | 'jwks' | 'jwksUri' | 'requireDpop' | 'accessTokenFormat'
>;

type Given = Pick<
  RequestOf<typeof updateApp>,
  'tokenEndpointAuthMethod' | 'jwks' | 'jwksUri' | 'requireDpop' | 'accessTokenFormat'
>;

/** Of an app for which nothing is given. */
export const defaultKeySettings: KeySettings = {
  tokenEndpointAuthMethod: 'client_secret_basic',
  jwks: null,
  jwksUri: null,
  requireDpop: false,
  accessTokenFormat: 'opaque',
};

/** Whether a change of an app gives any of these settings. */
export function givesKeySettings(given: object): boolean {
  return Object.keys(defaultKeySettings).some((setting) => given[setting as never] !== undefined);
}

/**
 * The settings of an app of this kind after a change: keys replace those before, and an app that authenticates with a
 * secret has none. @throws invalid_request with every validation issue
 */
export function changeKeySettings(kind: AppKind, before: KeySettings, given: Given): KeySettings {
  const { jwks, issues: keyIssues } = checkKeys(given.jwks);
  const { tokenEndpointAuthMethod = before.tokenEndpointAuthMethod, jwksUri } = given;
  const issues = [...keyIssues, ...issuesOfKind(kind, given), ...issuesOfMethod(tokenEndpointAuthMethod, given)];
  const { requireDpop = before.requireDpop, accessTokenFormat = before.accessTokenFormat } = given;
  const after = { tokenEndpointAuthMethod, requireDpop, accessTokenFormat };
  if (tokenEndpointAuthMethod === 'client_secret_basic') {
    if (issues.length > 0) throw unprocessable(issues);
    return { ...after, jwks: null, jwksUri: null };
  }
  const replaced = given.jwks !== undefined || jwksUri !== undefined;
  const keys = replaced
    ? { jwks: jwks ?? null, jwksUri: jwksUri ?? null }
    : { jwks: before.jwks, jwksUri: before.jwksUri };
  if (keys.jwks === null && keys.jwksUri === null && issues.length === 0)
    issues.push({
      pointer: '#/jwks',
      detail: 'is required for private_key_jwt: give the public keys, or the jwksUri where they are',
    });
  if (issues.length > 0) throw unprocessable(issues);
  return { ...after, ...keys };
}

/** Ids of the keys that an app had and no longer has; those at a `jwksUri` are not known here. */
export function removedKeys(before: KeySettings, after: KeySettings): string[] {
  const remaining = keyIds(after.jwks);
  return keyIds(before.jwks).filter((id) => !remaining.includes(id));
}

/**
 * Whether every token from before must be refused: the app authenticated in another way or with keys from another
 * place, or its tokens were not bound to a key.
 */
export function endsAllTokens(before: KeySettings, after: KeySettings): boolean {
  return (
    before.tokenEndpointAuthMethod !== after.tokenEndpointAuthMethod ||
    before.jwksUri !== after.jwksUri ||
    (after.requireDpop && !before.requireDpop)
  );
}

/** Names keys in audit records, which have no room for the keys themselves. */
export function keyIds(jwks: App['jwks'] | null): string[] {
  return (jwks?.keys ?? []).map((key) => (checkPublicJwk(key) as CheckedJwk).id);
}

function checkKeys(given: Given['jwks']): { jwks?: { keys: PublicJwk[] }; issues: ValidationIssue[] } {
  if (given === undefined) return { issues: [] };
  const issues: ValidationIssue[] = [];
  const found: CheckedJwk[] = [];
  given.keys.forEach((key, i) => {
    const checked = checkPublicJwk(key);
    const detail =
      'issue' in checked
        ? checked.issue
        : found.some(({ id }) => id === checked.id)
          ? 'is there twice'
          : found.some((other) => other.key.kid !== undefined && other.key.kid === checked.key.kid)
            ? 'has the kid of another key'
            : undefined;
    if (detail !== undefined) issues.push({ pointer: `#/jwks/keys/${i}`, detail });
    else found.push(checked as CheckedJwk);
  });
  return { jwks: { keys: found.map(({ key }) => key) }, issues };
}

function issuesOfKind(kind: AppKind, { tokenEndpointAuthMethod, accessTokenFormat }: Given): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  if (isPublicClient(kind) && tokenEndpointAuthMethod !== undefined)
    issues.push({
      pointer: '#/tokenEndpointAuthMethod',
      detail: `has no effect for a ${kind} app, which is public and can keep neither a secret nor a private key`,
    });
  if (isProgram(kind) && accessTokenFormat !== undefined)
    issues.push({
      pointer: '#/accessTokenFormat',
      detail: `has no effect for a ${kind} app, which signs nobody in; its own access tokens are always JWTs`,
    });
  return issues;
}

function issuesOfMethod(method: KeySettings['tokenEndpointAuthMethod'], { jwks, jwksUri }: Given): ValidationIssue[] {
  const given = Object.entries({ jwks, jwksUri }).flatMap(([member, value]) => (value === undefined ? [] : [member]));
  if (method === 'client_secret_basic')
    return given.map((member) => ({
      pointer: `#/${member}`,
      detail: 'has no effect for an app that authenticates with a secret; set tokenEndpointAuthMethod private_key_jwt',
    }));
  return given.length > 1
    ? [{ pointer: '#/jwksUri', detail: 'excludes jwks: give the keys, or the address where they are' }]
    : [];
}

import { operationsOf, type Role, type RoleOperation } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import type { Person } from './person.js';

/** Who makes a change: the operator may make any, a person those that their stored roles allow. */
export type Caller = { operator: true } | { operator?: never; id: string; roles: readonly Role[] };

type Target = Pick<Person, 'id' | 'roles'>;

function refusalToManage(caller: Caller, operation: RoleOperation, target?: Target): string | undefined {
  if (caller.operator) return undefined;
  if (!operationsOf(caller.roles).includes(operation)) return `Your roles no longer include \`${operation}\`.`;
  if (target?.roles.includes('owner') && !caller.roles.includes('owner'))
    return 'Only an owner may do this to an owner.';
  return undefined;
}

/**
 * An admin may not change an owner: an admin who changes the address of an owner, recovers or deactivates one, could
 * take over the organization. The caller's roles are checked too, since the token may be older than they are.
 * @throws insufficient_role
 */
export function requireMayManage(caller: Caller, operation: RoleOperation, target?: Target): void {
  refuse(refusalToManage(caller, operation, target));
}

/**
 * Why the caller may not issue a link to this person; undefined when they may. The one who accepts it becomes the
 * person, so it takes the right to give their roles. It is asked again of each link that is accepted (ADR 0074).
 */
export function refusalToIssueLink(caller: Caller, target: Target): string | undefined {
  const refusal = refusalToManage(caller, 'users:manage', target);
  return refusal ?? (target.roles.length > 0 ? refusalToManage(caller, 'roles:manage', target) : undefined);
}

/** @throws insufficient_role */
export function requireMayIssueLink(caller: Caller, target: Target): void {
  refuse(refusalToIssueLink(caller, target));
}

function refuse(refusal: string | undefined): void {
  if (refusal !== undefined) throw new AppError('insufficient_role', refusal);
}

/** Whether the caller may give and take these roles. @throws insufficient_role */
export function requireMayGive(caller: Caller, before: Target, roles: readonly Role[]): void {
  requireMayManage(caller, 'roles:manage', before);
  if (caller.operator) return;
  if (roles.includes('owner') && !caller.roles.includes('owner'))
    throw new AppError('insufficient_role', 'Only an owner may make somebody an owner.');
  if (caller.id === before.id && roles.some((role) => !before.roles.includes(role)))
    throw new AppError('insufficient_role', 'Nobody may give themselves a role: another owner or admin has to.');
}

/** Whether the change would take the role of an active owner. */
export function losesOwner(
  before: Pick<Person, 'status' | 'roles'>,
  after: Pick<Person, 'status' | 'roles'> | undefined,
): boolean {
  return isActiveOwner(before) && !(after && isActiveOwner(after));
}

function isActiveOwner({ status, roles }: Pick<Person, 'status' | 'roles'>): boolean {
  return status === 'active' && roles.includes('owner');
}

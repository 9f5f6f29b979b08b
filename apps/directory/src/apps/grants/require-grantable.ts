import { grantable, neverGrantable, operationNames, type AppKind, type Operation } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';

const forPeople: readonly string[] = neverGrantable;

/** The requested operations, each once. @throws not_grantable, with the operations that may be granted instead */
export function requireGrantable(kind: AppKind, requested: readonly string[]): Operation[] {
  const allowed = grantable(kind);
  const isAllowed = (name: string): name is Operation => (allowed as readonly string[]).includes(name);
  for (const name of requested)
    if (!isAllowed(name)) throw new AppError('not_grantable', `${reason(kind, name)} ${alternatives(kind, allowed)}`);
  return [...new Set(requested.filter(isAllowed))];
}

function reason(kind: AppKind, name: string): string {
  if (forPeople.includes(name)) return `${name} is for people only and can never be granted to a program.`;
  if ((operationNames as string[]).includes(name)) return `${name} cannot be granted to a ${kind} app.`;
  return `There is no operation "${name}".`;
}

function alternatives(kind: AppKind, allowed: readonly string[]): string {
  return allowed.length === 0
    ? `A ${kind} app is public and can be granted no operation.`
    : `A ${kind} app may be granted: ${allowed.join(', ')}.`;
}

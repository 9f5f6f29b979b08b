import type { RequestContext } from '@holdfast/contracts';
import { ceremonies, type Binding } from '@holdfast/passkeys';
import { AppError } from '@holdfast/platform';
import type { PersonStatus } from '../person.js';

/** More than anybody needs, and few enough to list them all. */
const maxPasskeys = 20;

/**
 * A challenge is valid for the person whose token requested it, and is deleted with them.
 * @throws invalid_state when the caller is not a person
 */
export function additionCeremony({ org, actor }: RequestContext): Binding {
  if (actor.type !== 'person') throw new AppError('invalid_state', 'Only a person can add a passkey to themselves.');
  return { ceremony: ceremonies.addition, to: `${org}/${actor.id}`, owner: actor.id };
}

/** @throws invalid_state */
export function requireMayAdd({ status }: { status: PersonStatus }, passkeys: readonly unknown[]): void {
  if (status !== 'active') throw new AppError('invalid_state', `The person is ${status}.`);
  if (passkeys.length >= maxPasskeys)
    throw new AppError('invalid_state', `A person may have ${maxPasskeys} passkeys. Remove one first.`);
}

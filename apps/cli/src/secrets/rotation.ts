import { newSecret, previousName, secretTable, type SecretEntry, type Secrets } from '@holdfast/platform-policy';
import { CommandError } from '../command-error.js';

/**
 * How far the rotation of a secret is. `accepted`: the new value is accepted beside the current one, and nothing is
 * made with it. `current`: everything new is made with it, and the old value is still accepted.
 */
export interface RotationState {
  step: 'accepted' | 'current';
  since: Date;
}

/** Values to store; undefined removes one. */
export type SecretChanges = Record<string, string | undefined>;

const progressName = (name: string) => `${name}_ROTATION`;
/** The old value, while a folder of files is between the two steps. */
const heldName = (name: string) => `${name}_OLD`;

/** @throws CommandError for a name that the table does not have, or a secret that services do not hold */
export function entryOf(name: string): SecretEntry {
  const entry = secretTable.find((one) => one.name === name);
  if (entry && isRotatable(entry)) return entry;
  const names = secretTable.filter(isRotatable).map((one) => one.name);
  throw new CommandError(`There is no secret ${name} that can be rotated. These can: ${names.join(', ')}.`, 2);
}

function isRotatable({ name }: SecretEntry): boolean {
  return name !== 'POSTGRES_PASSWORD';
}

export function stateOf(secrets: Secrets, name: string): RotationState | undefined {
  const [step, since] = (secrets[progressName(name)] ?? '').split(' ');
  return step === 'accepted' || step === 'current' ? { step, since: new Date(since ?? 0) } : undefined;
}

function progress(name: string, step: RotationState['step'], now: Date): SecretChanges {
  return { [progressName(name)]: `${step} ${now.toISOString()}` };
}

/**
 * Adds a new value. Nothing, when the rotation has begun already. A database password and a list of keys become
 * current at once: the earlier password is tried when PostgreSQL refuses the new one, and all keys of a list sign.
 */
export function start(secrets: Secrets, { name, kind }: SecretEntry, now: Date): SecretChanges {
  if (stateOf(secrets, name)) return {};
  const current = existing(secrets, name);
  const added = newSecret(kind);
  if (kind === 'keys') return { [name]: `${added},${current}`, ...progress(name, 'current', now) };
  if (kind === 'password') return { [previousName(name)]: current, [name]: added, ...progress(name, 'current', now) };
  return { [previousName(name)]: added, ...progress(name, 'accepted', now) };
}

/** Makes the new value the current one. Nothing, when it is already. @throws CommandError before `start` */
export function makeCurrent(secrets: Secrets, { name }: SecretEntry, now: Date): SecretChanges {
  const state = stateOf(secrets, name);
  if (!state) throw new CommandError(`The rotation of ${name} has not begun: holdfast secrets rotate start ${name}`);
  if (state.step === 'current') return {};
  const held = secrets[heldName(name)];
  const old = held ?? existing(secrets, name);
  // After an interruption, one of the two may have its new value already.
  const added = [secrets[previousName(name)], secrets[name]].find((value) => value !== undefined && value !== old);
  if (added === undefined) throw new CommandError(`${previousName(name)} is missing. Restore it from a copy.`);
  return {
    [heldName(name)]: old,
    [name]: added,
    [previousName(name)]: old,
    ...progress(name, 'current', now),
  };
}

/** Removes what only the steps in between need. */
export function tidied({ name }: SecretEntry): SecretChanges {
  return { [heldName(name)]: undefined };
}

/** Removes the old value. Nothing, when there is no rotation. @throws CommandError while the new one is not current */
export function finish(secrets: Secrets, { name, kind }: SecretEntry): SecretChanges {
  const state = stateOf(secrets, name);
  if (!state) return {};
  if (state.step === 'accepted')
    throw new CommandError(`The new value is not the current one yet: holdfast secrets rotate switch ${name}`);
  return {
    ...(kind === 'keys' && { [name]: existing(secrets, name).split(',')[0] }),
    [previousName(name)]: undefined,
    [heldName(name)]: undefined,
    [progressName(name)]: undefined,
  };
}

function existing(secrets: Secrets, name: string): string {
  const value = secrets[name];
  if (!value) throw new CommandError(`${name} does not exist. Create what is missing: holdfast secrets create`);
  return value;
}

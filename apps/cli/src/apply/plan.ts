import type { OperatorSession } from '../operator-session.js';
import type { OrganizationFile } from './organization-file.js';
import type { OrganizationState } from './organization-state.js';

export type Requests = ReturnType<OperatorSession['requestsFor']>;

export interface Change {
  member: string;
  from: unknown;
  to: unknown;
}

/** One object that is created or changed. It may be run again after an error. */
export interface Step {
  action: 'create' | 'update';
  /** Kind and name, such as `app shop`. */
  object: string;
  changes: Change[];
  /** @returns what the operator does next, such as to create a secret */
  run: (request: Requests, org: string) => Promise<string | undefined>;
}

export interface Plan {
  steps: Step[];
  /** Objects that exist and are not in a section that the file has. They stay. */
  notInFile: string[];
  /** Why the file cannot be applied. */
  problems: string[];
}

/** One kind of object of a file. */
export interface ObjectKind<Given extends object, Existing> {
  kind: string;
  /** Undefined: the file says nothing about this kind. */
  given: (file: OrganizationFile) => readonly Given[] | undefined;
  existing: (state: OrganizationState) => readonly Existing[];
  nameOf: (given: Given) => string;
  /** An existing object as a file declares it. */
  declare: (existing: Existing) => Given;
  /** Members that cannot be changed, and what to do instead. */
  fixed?: Partial<Record<keyof Given & string, string>>;
  create: (request: Requests, org: string, given: Given) => Promise<string | void>;
  update: (request: Requests, org: string, existing: Existing, changed: Partial<Given>) => Promise<string | void>;
}

/** What has to be done so that the objects of a kind are as the file declares them. Nothing is ever deleted. */
export function planOf<Given extends object, Existing>(
  definition: ObjectKind<Given, Existing>,
  file: OrganizationFile,
  state: OrganizationState,
): Plan {
  const { kind, nameOf, declare } = definition;
  const given = definition.given(file);
  if (!given) return { steps: [], notInFile: [], problems: [] };
  const existing = new Map(definition.existing(state).map((one) => [nameOf(declare(one)), one]));
  const objectOf = (name: string) => [kind, name].filter((part) => part !== '').join(' ');
  const plan: Plan = { steps: [], notInFile: [], problems: [] };
  const seen = new Set<string>();
  for (const one of given) {
    const name = nameOf(one);
    if (seen.has(name)) plan.problems.push(`${objectOf(name)} is in the file twice.`);
    seen.add(name);
    const found = existing.get(name);
    const step = found === undefined ? creation(definition, one) : change(definition, one, found, plan.problems);
    if (step) plan.steps.push({ ...step, object: objectOf(name) });
  }
  plan.notInFile = [...existing.keys()].filter((name) => !seen.has(name)).map(objectOf);
  return plan;
}

function creation<Given extends object, Existing>(
  { create }: ObjectKind<Given, Existing>,
  given: Given,
): Omit<Step, 'object'> {
  return {
    action: 'create',
    changes: changesOf(given, {}),
    run: async (request, org) => (await create(request, org, given)) ?? undefined,
  };
}

function change<Given extends object, Existing>(
  { kind, nameOf, declare, fixed, update }: ObjectKind<Given, Existing>,
  given: Given,
  existing: Existing,
  problems: string[],
): Omit<Step, 'object'> | undefined {
  const changes = changesOf(given, declare(existing));
  for (const { member, from, to } of changes) {
    const instead = fixed?.[member as keyof Given & string];
    if (instead !== undefined)
      problems.push(
        `${kind} ${nameOf(given)}: ${member} is ${textOf(from)}, and cannot become ${textOf(to)}. ${instead}`,
      );
  }
  if (changes.length === 0) return undefined;
  const changed = Object.fromEntries(changes.map(({ member, to }) => [member, to])) as Partial<Given>;
  return {
    action: 'update',
    changes,
    run: async (request, org) => (await update(request, org, existing, changed)) ?? undefined,
  };
}

/** Members that the file declares otherwise than they are. */
function changesOf(given: object, existing: object): Change[] {
  const before = existing as Record<string, unknown>;
  return Object.entries(given).flatMap(([member, to]: [string, unknown]) =>
    to === undefined || canonical(before[member]) === canonical(to) ? [] : [{ member, from: before[member], to }],
  );
}

/** Equal for values that mean the same: an absent member and null, and lists of texts in another order. */
function canonical(value: unknown): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string') ? value.toSorted() : value.map(sorted);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, sorted(one)]));
}

/** A value in one line. */
export function textOf(value: unknown): string {
  return value === undefined || value === null ? 'not set' : typeof value === 'string' ? value : JSON.stringify(value);
}

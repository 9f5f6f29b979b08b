import { operationsOf, roleNames } from '@holdfast/contracts';
import { neededBy, routeOf, type Endpoint } from '@holdfast/contracts/http';

/** The members of a declaration that the assertion checks. */
export type AssertedEndpoint = Pick<
  Endpoint,
  | 'id'
  | 'method'
  | 'path'
  | 'operation'
  | 'personOperation'
  | 'public'
  | 'action'
  | 'unrecorded'
  | 'limit'
  | 'idempotent'
  | 'repeatIsSafe'
  | 'stepUp'
  | 'noStepUp'
>;

/**
 * The start-up assertion: the gateway does not start with a route that no declaration covers, or with a declaration
 * that leaves open who may call it, what its audit record is, how it is limited, whether a repeat is safe, or whether
 * a person must have signed in a short time ago.
 *
 * @throws an error that lists every problem
 */
export function assertEndpoints(registeredRoutes: readonly string[], declared: readonly AssertedEndpoint[]): void {
  const problems = [
    ...undeclared(registeredRoutes, declared),
    ...duplicates(declared),
    ...declared.flatMap(problemsOf),
  ];
  if (problems.length > 0) throw new Error(`The gateway will not start:\n  ${problems.join('\n  ')}`);
}

function undeclared(registeredRoutes: readonly string[], declared: readonly AssertedEndpoint[]): string[] {
  const routes = new Set(declared.map(routeOf));
  const registered = new Set(registeredRoutes);
  return [
    ...registeredRoutes
      .filter((route) => !routes.has(route))
      .map((route) => `${route} is registered without a declaration`),
    ...[...routes].filter((route) => !registered.has(route)).map((route) => `${route} is declared and not registered`),
  ];
}

/**
 * Two declarations of one route could differ in what they require; two of one id would collide in generated clients.
 */
function duplicates(declared: readonly AssertedEndpoint[]): string[] {
  const repeats = (values: string[]) => [...new Set(values.filter((value, i) => values.indexOf(value) !== i))];
  return [
    ...repeats(declared.map(routeOf)).map((route) => `${route} is declared twice`),
    ...repeats(declared.map(({ id }) => id)).map((id) => `the id ${id} is used twice`),
  ];
}

function problemsOf(endpoint: AssertedEndpoint): string[] {
  const { method, operation, public: reason, action, unrecorded, limit, stepUp, noStepUp } = endpoint;
  const { idempotent, repeatIsSafe } = endpoint;
  const guarded = operation !== undefined;
  const problems = [
    !guarded && !reason && 'neither names an operation nor says why it is public',
    guarded && reason !== undefined && 'names an operation and says that it is public',
    guarded && action === undefined && 'needs a token and leaves no audit record: it needs an action',
    !guarded && action === undefined && !unrecorded && 'has neither an action nor a reason to leave no audit record',
    action !== undefined && unrecorded !== undefined && 'has an action and a reason to leave no audit record',
    !guarded && limit === undefined && 'is public and declares no rate limit',
    guarded && method !== 'GET' && !idempotent && !repeatIsSafe && 'changes something and takes no Idempotency-Key',
    isChangeOfPeople(endpoint) && !stepUp && !noStepUp && 'neither needs a recent sign-in nor says why it needs none',
    stepUp && noStepUp !== undefined && 'needs a recent sign-in and says why it needs none',
  ];
  return problems.flatMap((problem) => (problem ? [`${routeOf(endpoint)} ${problem}`] : []));
}

const operationsOfPeople: readonly string[] = operationsOf(roleNames);

/** Whether a person can have this change made from a session at the hub. */
function isChangeOfPeople({ method, operation, personOperation }: AssertedEndpoint): boolean {
  const needed = operation && neededBy('person', { operation, personOperation });
  return method !== 'GET' && needed !== undefined && operationsOfPeople.includes(needed);
}

import {
  adminOperations,
  appKinds,
  customerScopes,
  grantable,
  neverGrantable,
  operationsOf,
  personOperations,
  receiverScopes,
  roleNames,
  roles,
  scopesOfKind,
} from '@holdfast/contracts';
import { code, codes, page, table } from './markdown.ts';

const rows = (operations: Record<string, string>): string[][] =>
  Object.entries(operations).map(([name, description]) => [code(name), description]);

export function operationsPage(): string {
  const kinds = appKinds.map((kind) => [
    code(kind),
    grantable(kind).length > 0
      ? codes(grantable(kind))
      : scopesOfKind(kind).length > 0
        ? `none: it has ${codes(scopesOfKind(kind))} without a grant`
        : 'none: it is public and cannot keep a secret',
  ]);
  return page(
    'Operations',
    'libs/contracts/src/operations.ts and roles.ts',
    'The operations that a program can be granted and request as `scope`. The list is closed, and no operation ' +
      'implies another.',
    '## Customer scopes',
    table(['Operation', 'Lets the app'], rows(customerScopes)),
    '## Admin API',
    table(['Operation', 'Lets the app'], rows(adminOperations)),
    '## Operations by kind of app',
    table(['Kind of app', 'Operations'], kinds),
    `Never granted to a program: ${codes(neverGrantable)}. Directory, a constraint of its database and the token ` +
      'endpoint reject them independently.',
    '## Scopes of receivers',
    'Of Shared Signals (CAEP Interoperability Profile 1.0). Each `receiver` has them, for its own streams:',
    table(['Scope', 'Lets the receiver'], rows(receiverScopes)),
    '## Operations of people',
    'People have operations through their roles, besides those of the Admin API:',
    table(['Operation', 'Lets the person'], rows(personOperations)),
    '## Roles',
    'A role is given to a person, never to a group or a program. The table is closed.',
    table(
      ['Role', 'Meaning', 'Operations'],
      roleNames.map((role) => [code(role), roles[role].description, codes(operationsOf([role]))]),
    ),
  );
}

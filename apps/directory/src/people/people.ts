import { Inject, Injectable } from '@nestjs/common';
import type { Action, AuditRecord, AuditTarget, DirectoryEvent, RequestContext, User } from '@holdfast/contracts';
import { Database, sqlOf, statement, type Sql } from '@holdfast/data';
import type { KeyedRequest } from '@holdfast/outbox';
import { AppError, CLOCK, withAuditTargets, type Clock } from '@holdfast/platform';
import { Changes, type Change, type ChangeEvent } from '../changes/changes.js';
import { closeLink, withdrawIssuedLinks } from './invitations/open-links.js';
import {
  erasePerson,
  findPerson,
  hasOtherOwner,
  insertPerson,
  lockedPerson,
  lockOrganizationOf,
  updatePersonalData,
  updatePersonRow,
} from './people.repository.js';
import { personOf, toUser, type Person, type PersonRow } from './person.js';
import { PersonIndex } from './personal-data/person-index.js';
import { PersonalDataEncryption } from './personal-data/personal-data.js';
import { losesOwner, type Caller } from './role-rules.js';

/** What a rule has done to a person. */
export interface PersonChange {
  /** Each increments the version of the person. */
  events: readonly [PersonEvent, ...PersonEvent[]];
  action: Action;
  /** Further targets of the audit record. */
  targets?: AuditTarget[];
  changes?: AuditRecord['changes'];
  /** The person has fewer rights: platform tokens from before are refused. */
  endsTokens?: boolean;
  /** Sign-ins from before do not count: their passkeys are gone. */
  endsSignIns?: boolean;
}

export interface PersonEvent {
  type: DirectoryEvent['type'];
  /** Public data besides the person's id. */
  data?: Record<string, string | string[]>;
}

export interface RuleScope {
  sql: Sql;
  now: Date;
  caller: Caller;
}

/**
 * Decides on a locked person: changes `person`, and stores other rows through `sql`. Returns undefined when there is
 * nothing to do. `erase` instead of a change deletes the person.
 */
export type PersonRule = (
  person: Person,
  scope: RuleScope,
) => PersonChange | undefined | Promise<PersonChange | undefined>;

const callerRoles = statement(
  'person_caller',
  `SELECT roles FROM person WHERE id = $1 AND org = $2 AND status = 'active'`,
);

/**
 * The people of directory. Every change of a person goes through here, so that no handler can omit a step. It locks the
 * organization and then the person, so that owners and roles are decided one after the other; applies the rule, and
 * commits rows, events, audit record and access change together.
 */
@Injectable()
export class People {
  constructor(
    private readonly database: Database,
    private readonly changes: Changes,
    private readonly index: PersonIndex,
    private readonly encryption: PersonalDataEncryption,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws unknown_user */
  async find(org: string, id: string): Promise<Person> {
    return this.decrypted(await findPerson(this.database, id, org));
  }

  decrypted(row: PersonRow): Person {
    return personOf(row, this.encryption.decrypt(row));
  }

  /** @throws conflict when the e-mail address is taken; unknown_organization */
  invite<Reply>(
    context: RequestContext,
    person: Person,
    rule: (scope: RuleScope) => Promise<{ change: PersonChange; reply: Reply }>,
    keyed?: KeyedRequest,
  ): Promise<Reply> {
    const { org, id } = person;
    return this.changes.commit(
      context,
      async (manager) => {
        const sql = sqlOf(manager);
        await lockOrganizationOf(sql, org);
        const scope = await this.scopeOf(sql, context);
        await insertPerson(sql, person, {
          sealed: this.encryption.encryptNew(org, id, person),
          encryptionKeyId: this.encryption.keyId,
          index: this.index.of(org, person),
        });
        const { change, reply } = await rule(scope);
        return { change: changeOf(person, person.version, change), reply };
      },
      keyed,
    );
  }

  /**
   * Changes one person by a rule. `reply` sees the person as saved.
   * @throws unknown_user, last_owner, and the errors of the rule
   */
  change<Reply = User>(
    id: string,
    context: RequestContext,
    rule: PersonRule,
    reply: (person: Person) => Reply = toUser as (person: Person) => Reply,
    keyed?: KeyedRequest,
  ): Promise<Reply> {
    return this.changes.commit(
      context,
      async (manager) => {
        const sql = sqlOf(manager);
        await lockOrganizationOf(sql, context.org);
        const row = await lockedPerson(sql, id, context.org);
        const before = this.decrypted(row);
        const person = { ...before, roles: [...before.roles] };
        const change = await withAuditTargets([targetOf(id)], async () => {
          const decided = await rule(person, await this.scopeOf(sql, context));
          if (decided && losesOwner(before, person)) await requireOtherOwner(sql, person);
          return decided;
        });
        if (!change) return { reply: reply(person) };
        const links = await endLinks(sql, before, person);
        const first = before.version + 1;
        const version = before.version + change.events.length;
        const { endsTokens: tokens = false, endsSignIns: signIns = false } = change;
        await updatePersonRow(sql, person, version, { tokens, signIns });
        if (person.email !== before.email || person.name !== before.name) await this.savePersonalData(sql, row, person);
        return { change: changeOf(person, first, change, links), reply: reply({ ...person, version }) };
      },
      keyed,
    );
  }

  /** Removes a person with everything that is stored of them. @throws unknown_user, last_owner */
  remove(
    id: string,
    context: RequestContext,
    check: (person: Person, caller: Caller) => void,
    keyed?: KeyedRequest,
  ): Promise<object> {
    return this.changes.commit(
      context,
      async (manager) => {
        const sql = sqlOf(manager);
        await lockOrganizationOf(sql, context.org);
        const person = this.decrypted(await lockedPerson(sql, id, context.org, true));
        await withAuditTargets([targetOf(id)], async () => {
          check(person, (await this.scopeOf(sql, context)).caller);
          if (losesOwner(person, undefined)) await requireOtherOwner(sql, person);
        });
        const links = await withdrawIssuedLinks(sql, person, []);
        await erasePerson(sql, person);
        const erased: PersonChange = { events: [{ type: 'user.erasure_started' }], action: 'user.remove' };
        return { change: changeOf(person, person.version + 1, { ...erased, endsTokens: true }, links), reply: {} };
      },
      keyed,
    );
  }

  private async savePersonalData(sql: Sql, row: PersonRow, person: Person): Promise<void> {
    await updatePersonalData(sql, person, {
      personalData: this.encryption.encrypt(row, person),
      index: this.index.of(person.org, person),
    });
  }

  private async scopeOf(sql: Sql, { org, actor }: RequestContext): Promise<RuleScope> {
    const now = this.clock.now();
    // Anonymous: the token of an invitation link authorizes the change, and its rule asks for no roles.
    if (actor.type !== 'person') return { sql, now, caller: callerOf(actor) };
    const [caller] = await sql.rows<Pick<Person, 'roles'>>(callerRoles, [actor.id, org]);
    return { sql, now, caller: { id: actor.id, roles: caller?.roles ?? [] } };
  }
}

function callerOf({ type, id }: RequestContext['actor']): Caller {
  return type === 'operator' ? { operator: true } : { id, roles: [] };
}

/**
 * A link that was prepared under other rights ends (ADR 0074): that of a person whose roles or status change, and those
 * that the person has issued and could not issue any more. Returns their number.
 */
async function endLinks(sql: Sql, before: Person, person: Person): Promise<number> {
  if (person.status === before.status && person.roles.join() === before.roles.join()) return 0;
  const own = await closeLink(sql, person, 'withdrawn');
  return own + (await withdrawIssuedLinks(sql, person, person.status === 'active' ? person.roles : []));
}

async function requireOtherOwner(sql: Sql, { org, id }: Person): Promise<void> {
  if (!(await hasOtherOwner(sql, org, id))) throw new AppError('last_owner');
}

export function targetOf(id: string): AuditTarget {
  return { type: 'person', id, dataSubject: id };
}

/** `first`: the version of the first event. `links`: how many links the change has ended. */
function changeOf({ org, id }: Person, first: number, change: PersonChange, links = 0): Change {
  const event = ({ type, data }: PersonEvent, i: number): ChangeEvent => ({
    type,
    user: id,
    version: first + i,
    ...(type !== 'user.erasure_started' && { data: { user: id, ...data } }),
  });
  const [head, ...rest] = change.events;
  return {
    org,
    events: [event(head, 0), ...rest.map((e, i) => event(e, i + 1))],
    access: change.endsTokens ? [{ kind: 'person', id }] : [],
    action: change.action,
    targets: [targetOf(id), ...(change.targets ?? [])],
    changes: links > 0 ? { ...change.changes, linksWithdrawn: { to: links } } : change.changes,
  };
}

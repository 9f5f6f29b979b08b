import {
  addGroupMembers,
  assign,
  createGroup,
  invitePerson,
  listAssignments,
  listGroups,
  listPeople,
  reissueInvitation,
  type Group,
  type User,
} from '@holdfast/contracts';
import type { OperatorSession } from '../operator-session.js';

/** The first group is assigned to the app `staff`: its members sign in to the staff area of the example shop. */
const demoGroups = [
  { name: 'Staff', description: 'Looks after customers in the staff area of the shop' },
  { name: 'Management', description: 'Decides who works here' },
];

/** The people and groups that demo.json contains. */
export interface DemoPeople {
  groups: Pick<Group, 'id' | 'name'>[];
  owner: Pick<User, 'id' | 'email' | 'name' | 'status'>;
  /** The owner's invitation link; absent when they have accepted it. Each seed issues a new one. */
  ownerInvitationUrl?: string;
}

/** Creates what is missing: both groups, the owner, and the assignment of the first group to the app `staff`. */
export async function seedPeople(session: OperatorSession, org: string, staffClientId: string): Promise<DemoPeople> {
  const groups: Group[] = [];
  for (const wanted of demoGroups) groups.push(await seedGroup(session, org, wanted));
  const staff = { group: groups[0]!.id };
  const { items } = await session.request(listAssignments, { clientId: staffClientId, ...staff, limit: 1 }, org);
  if (!items[0]) await session.request(assign, { clientId: staffClientId, assignee: staff }, org);

  const { user, invitationUrl } = await seedOwner(session, org, groups);
  return {
    groups: groups.map(({ id, name }) => ({ id, name })),
    owner: { id: user.id, email: user.email, name: user.name, status: user.status },
    ...(invitationUrl !== undefined && { ownerInvitationUrl: invitationUrl }),
  };
}

async function seedGroup(session: OperatorSession, org: string, group: (typeof demoGroups)[number]): Promise<Group> {
  const { items } = await session.request(listGroups, { q: group.name, limit: 200 }, org);
  const found = items.find(({ name }) => name === group.name);
  return found ?? (await session.request(createGroup, { group }, org)).group;
}

/**
 * Until the owner accepts the invitation each seed puts them into both groups and issues a new link, since links are
 * not stored. Afterwards the owner stays as they are.
 */
async function seedOwner(
  session: OperatorSession,
  org: string,
  groups: Group[],
): Promise<{ user: User; invitationUrl?: string }> {
  const email = `owner@${org}.example`;
  const { items } = await session.request(listPeople, { q: email, limit: 200 }, org);
  const found = items.find((person) => person.email === email);
  if (found && found.status !== 'invited') return { user: found };
  const invited = found
    ? await session.request(reissueInvitation, { person: found.id }, org)
    : await session.request(invitePerson, { email, name: 'Olivia Owner', roles: ['owner'] }, org);
  for (const { id } of groups) await session.request(addGroupMembers, { group: id, users: [invited.user.id] }, org);
  return invited;
}

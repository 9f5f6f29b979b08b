import type { Browser } from 'playwright-core';
import { addGroupMembers, invitePerson } from '@holdfast/contracts';
import { stack } from '../clients/under-test.ts';
import { busClient, operatorActor } from '../stack/nats.ts';
import type { Demo } from '../stack/stack.ts';
import { desktop, Visitor } from './chromium.fixture.ts';
import { shopOf } from './shop.fixture.ts';

/** An organization of the demo. */
export function demoOrganization(org: string): Demo['organizations'][number] {
  return stack.demo.organizations.find(({ shortId }) => shortId === org)!;
}

export function groupOf(org: string, name: string): string {
  return demoOrganization(org).groups.find((group) => group.name === name)!.id;
}

/** Opens the link, and creates a passkey in the visitor's authenticator. */
export async function acceptInvitation(visitor: Visitor, invitationUrl: string): Promise<void> {
  await visitor.page.goto(invitationUrl);
  await visitor.heading('Accept your invitation');
  await visitor.press('Create my passkey');
  await visitor.heading('You are on the team');
}

/** Signs in by the suggestion of the browser, which the authenticator confirms. */
export async function signInAsStaff(visitor: Visitor, org: string, name: string): Promise<void> {
  await visitor.page.goto(`${shopOf(org)}/staff`);
  await visitor.followLink('Sign in as staff');
  await visitor.heading(`Hello, ${name}`);
}

/** A new member of staff in a browser of their own, who is signed in to the staff area. */
export async function openStaffArea(browser: Browser, org: string, name: string): Promise<Visitor> {
  const operator = await busClient(stack, 'operator', org, operatorActor);
  const email = `${name.toLowerCase().replaceAll(' ', '.')}.${Date.now()}@${org}.example`;
  const { user, invitationUrl } = await operator.request(invitePerson, { email, name, roles: [] });
  await operator.request(addGroupMembers, { group: groupOf(org, 'Staff'), users: [user.id] });
  await operator.close();
  const visitor = await Visitor.open(browser, { viewport: desktop });
  await acceptInvitation(visitor, invitationUrl);
  await signInAsStaff(visitor, org, name);
  return visitor;
}

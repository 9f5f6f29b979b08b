import { randomUUID } from 'node:crypto';
import { invitePerson, type Role } from '@holdfast/contracts';
import { SoftwareAuthenticator } from '@holdfast/testing';
import { origin, signIn } from './sign-in/customer.fixture.ts';
import { UserAgent, type BrowserResponse } from './sign-in/user-agent.ts';
import { stack } from './under-test.ts';

/** A person of an organization who has accepted their invitation, and the authenticator with their passkey. */
export interface Person {
  org: string;
  id: string;
  email: string;
  name: string;
  authenticator: SoftwareAuthenticator;
}

export async function newPerson(org: string, roles: readonly Role[] = []): Promise<Person> {
  const email = `${randomUUID()}@${org}.example`;
  const name = `Person ${email.slice(0, 8)}`;
  const { user, invitationUrl } = await stack.request(invitePerson, { email, name, roles: [...roles] }, org);
  const token = new URL(invitationUrl).hash.slice(1);
  const agent = new UserAgent(stack.baseUrl);
  const authenticator = new SoftwareAuthenticator();
  const { json } = await agent.post(`/o/${org}/api/invitation/options`, { token });
  const response = authenticator.register(json.options as object, { origin });
  const { status, text } = await agent.post(`/o/${org}/api/invitation/complete`, { token, response });
  if (status !== 204) throw new Error(`the invitation was not accepted: ${status} ${text}`);
  return { org, id: user.id, email, name, authenticator };
}

/** Signs a person in to the hub; resolves to the response that sets the cookie of the session. */
export async function signInToHub(
  { org, authenticator }: Person,
  agent = new UserAgent(stack.baseUrl),
  query = '',
): Promise<{ agent: UserAgent; response: BrowserResponse }> {
  const { location } = await agent.go(`/hub/${org}/sign-in${query}`);
  const back = await signIn(agent, location, authenticator);
  return { agent, response: await agent.go(back.location) };
}

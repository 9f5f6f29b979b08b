import { currentSession } from '../sessions.js';

const problems = {
  again: ['Please sign in again', 'This sign-in was finished already, or began in another browser.'],
  denied: ['No access', 'Your passkey gives no access at the moment. Ask our staff.'],
  left: ['Welcome', 'You turned back before you were signed in.'],
  unavailable: ['We cannot reach Holdfast', 'Wait a moment, and sign in again.'],
};

/** Links to /sign-in are no <Link>, which would begin a sign-in by itself. */
export default async function Page({ searchParams }) {
  const { problem } = await searchParams;
  const { customer } = await currentSession();
  if (customer)
    return (
      <>
        <h1>Hello</h1>
        <p>
          You are <code id="subject">{customer.subject}</code>.
        </p>
        <form method="post" action="/sign-out">
          <button>Sign out</button>
        </form>
      </>
    );
  const [title, text] = (Object.hasOwn(problems, problem ?? '') && problems[problem]) || ['Welcome'];
  return (
    <>
      <h1>{title}</h1>
      <p>{text}</p>
      <form method="post" action="/sign-up">
        <button>Sign up</button>
      </form>
      <p>
        <a href="/sign-in">Sign in</a>
      </p>
    </>
  );
}

import { roles } from '@holdfast/contracts';
import { failureTexts } from '../screen/failure-texts.ts';
import type { Screen } from '../screen/screen.ts';
import { texts, wordsOf } from '../texts.ts';
import { hub } from '../texts/en/hub.ts';
import type { HubState } from './hub-state.ts';

export type HubAction = 'signOut' | 'retry';

const words = wordsOf('hub', hub);

/** @param signIn address at which the sign-in begins */
export function hubScreen(state: HubState, signIn: string): Screen<HubAction> {
  switch (state.name) {
    case 'loading':
      return { tone: 'busy', heading: texts.loading, body: [] };
    case 'signedOut':
      return {
        tone: state.failure ? 'stop' : 'calm',
        heading: state.failure ? words[state.failure] : words.signedOut,
        body: [state.failure ? words[`${state.failure}Body`] : words.signedOutBody],
        primary: { label: words.signIn, href: signIn },
      };
    case 'signedIn': {
      const { name, email, roles: held } = state.user;
      return {
        tone: 'good',
        heading: words.signedIn(name),
        body: [words.signedInBody],
        facts: [
          { name: words.email, value: email },
          {
            name: words.roles,
            value: held.length > 0 ? held.map((role) => words.role[role]).join(', ') : words.noRoles,
          },
        ],
        primary: { label: words.signOut, action: 'signOut' },
        ...(held.some((role) => roles[role].operations.includes('audit:export')) && {
          secondary: { label: words.verify, href: '/verify' },
        }),
      };
    }
    case 'signingOut':
      return { tone: 'busy', heading: words.signingOut, body: [] };
    case 'stopped':
      return {
        ...failureTexts(state.why, state.retryAfter),
        primary: { label: texts.tryAgain, action: 'retry' },
      };
  }
}

import type { SignIn } from '@holdfast/contracts';
import type { Act, Screen } from '../screen/screen.ts';
import { stoppedWords } from '../screen/stopped.ts';
import { texts } from '../texts.ts';
import type { SignInState, Stop } from './sign-in-state.ts';

export type SignInAction = 'ask' | 'askEarlier' | 'leave';
type SignInScreen = Screen<SignInAction>;

const words = texts.signIn;

/** `suggests`: the browser can suggest passkeys by itself (conditional UI). */
export function signInScreen(state: SignInState, suggests: boolean): SignInScreen {
  const view = 'view' in state ? state.view : undefined;
  const org = view?.organization.name ?? texts.someOrg;
  const app = view?.app.name ?? texts.someApp;
  const shown = view && { organization: view.organization.name };
  const back = view && { secondary: { label: words.back(app), action: 'leave' } satisfies Act<SignInAction> };
  const other = view?.earlierPasskeys && {
    other: { label: words.askEarlier, action: 'askEarlier' } satisfies Act<SignInAction>,
  };
  const suggestions = suggests && view && { suggestions: true };
  switch (state.name) {
    case 'loading':
      return { tone: 'busy', heading: texts.loading, body: [] };
    case 'ready':
      return {
        tone: 'calm',
        ...shown,
        heading: words.ready(app),
        body: [words.readyBody(org)],
        primary: { label: words.ask, action: 'ask' },
        ...suggestions,
        ...other,
        ...back,
        more: { summary: texts.whatIsPasskey, text: texts.passkey },
      };
    case 'working':
      return { tone: 'busy', ...shown, heading: words.working, body: [words.workingBody], ...back };
    case 'verifying':
      return { tone: 'busy', ...shown, heading: words.verifying, body: [] };
    case 'leaving':
      return { tone: 'busy', ...shown, heading: words.leaving(app), body: [] };
    case 'unsupported':
    case 'insecure':
      return { tone: 'stop', ...shown, ...stoppedWords(state.name), ...back };
    case 'expired':
      return { tone: 'stop', ...shown, heading: words.expired, body: [words.expiredBody(app)], ...wayBack(view) };
    case 'stopped':
      return {
        tone: state.why === 'cancelled' ? 'calm' : 'stop',
        ...shown,
        ...stopped(state.why, org, state.retryAfter),
        ...(state.why === 'cancelled' && suggestions),
        ...(view && other),
        ...back,
      };
  }
}

/** A sign-in that has ended cannot tell the app so: the app itself is the way on. */
function wayBack(view: SignIn | undefined): { primary?: Act<SignInAction> } {
  return view?.app.uri === undefined ? {} : { primary: { label: words.back(view.app.name), href: view.app.uri } };
}

function stopped(why: Stop, org: string, retryAfter?: number): Pick<SignInScreen, 'heading' | 'body' | 'primary'> {
  const again = (label: string): { primary: Act<SignInAction> } => ({ primary: { label, action: 'ask' } });
  switch (why) {
    case 'unknown_passkey':
      return { heading: words.unknown, body: [words.unknownBody(org)], ...again(words.otherAsk) };
    case 'other_organization':
      return { heading: words.other, body: [words.otherBody(org)], ...again(words.otherAsk) };
    case 'insecure':
      return stoppedWords(why);
    default:
      return { ...stoppedWords(why, retryAfter), ...again(texts.tryAgain) };
  }
}

import type { SignIn } from '@holdfast/contracts';
import { failureTexts } from '../screen/failure-texts.ts';
import type { Control, Screen } from '../screen/screen.ts';
import { texts } from '../texts.ts';
import type { SignInState } from './sign-in-state.ts';

export type SignInAction = 'signIn' | 'signInEarlier' | 'stop' | 'leave';
type SignInScreen = Screen<SignInAction>;

const words = texts.signIn;

/** @param canSuggest the browser can suggest passkeys by itself (conditional UI) */
export function signInScreen(state: SignInState, canSuggest: boolean): SignInScreen {
  const view = 'view' in state ? state.view : undefined;
  const org = view?.organization.name ?? texts.someOrg;
  const app = view?.app.name ?? texts.someApp;
  const organization = view && { organization: view.organization.name };
  const back = view && { secondary: { label: words.back(app), action: 'leave' } satisfies Control<SignInAction> };
  const other = view?.earlierPasskeys && {
    other: { label: words.authenticateEarlier, action: 'signInEarlier' } satisfies Control<SignInAction>,
  };
  const stop = { other: { label: texts.stop, action: 'stop' } satisfies Control<SignInAction> };
  const suggestions = canSuggest && view && { suggestions: true };
  switch (state.name) {
    case 'loading':
      return { tone: 'busy', heading: texts.loading, body: [] };
    case 'ready':
      return {
        tone: 'calm',
        ...organization,
        heading: words.ready(app),
        body: [isStaff(view) ? words.readyStaffBody(org) : words.readyBody(org)],
        primary: { label: words.authenticate, action: 'signIn' },
        ...suggestions,
        ...other,
        ...back,
        more: { summary: texts.whatIsPasskey, text: texts.passkey },
      };
    case 'preparing':
      return { tone: 'busy', ...organization, heading: texts.preparing, body: [texts.preparingBody], ...stop, ...back };
    case 'working':
      return { tone: 'busy', ...organization, heading: words.working, body: [words.workingBody], ...stop, ...back };
    case 'verifying':
      return { tone: 'busy', ...organization, heading: words.verifying, body: [] };
    case 'leaving':
      return { tone: 'busy', ...organization, heading: words.leaving(app), body: [] };
    case 'unsupported':
    case 'insecure':
      return { tone: 'stop', ...organization, ...failureTexts(state.name), ...back };
    case 'expired':
      return {
        tone: 'stop',
        ...organization,
        heading: words.expired,
        body: [words.expiredBody(app)],
        ...backLink(view),
      };
    case 'stopped':
      return {
        tone: state.why === 'cancelled' ? 'calm' : 'stop',
        ...organization,
        ...stopped(state, org, app),
        ...(state.why === 'cancelled' && suggestions),
        ...(view && other),
        ...back,
      };
  }
}

/** A sign-in that has ended cannot return a result to the app, so the page links to the app itself. */
function backLink(view: SignIn | undefined): { primary?: Control<SignInAction> } {
  return view?.app.uri === undefined ? {} : { primary: { label: words.back(view.app.name), href: view.app.uri } };
}

function isStaff(view: SignIn | undefined): boolean {
  return view?.audience === 'people';
}

function stopped(
  { why, view, retryAfter }: Extract<SignInState, { name: 'stopped' }>,
  org: string,
  app: string,
): Pick<SignInScreen, 'heading' | 'body' | 'primary'> {
  const retry = (label: string): { primary: Control<SignInAction> } => ({ primary: { label, action: 'signIn' } });
  switch (why) {
    case 'unknown_passkey':
      return {
        heading: words.unknown,
        body: [isStaff(view) ? words.unknownStaffBody(org) : words.unknownBody(org)],
        ...retry(words.chooseOther),
      };
    case 'deactivated':
      return { heading: words.deactivated, body: [words.deactivatedBody(org)], ...retry(words.chooseOther) };
    case 'not_assigned':
      return { heading: words.notAssigned(app), body: [words.notAssignedBody(app, org)], ...retry(words.chooseOther) };
    case 'counter_went_back':
      return {
        heading: words.copied,
        body: [isStaff(view) ? words.copiedStaffBody(org) : words.copiedBody(org)],
        ...retry(words.chooseOther),
      };
    case 'other_organization':
      return { heading: words.other, body: [words.otherBody(org)], ...retry(words.chooseOther) };
    case 'insecure':
      return failureTexts(why);
    default:
      return { ...failureTexts(why, retryAfter), ...retry(texts.tryAgain) };
  }
}

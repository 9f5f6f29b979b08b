import type { ShownOrganization, SignIn } from '@holdfast/contracts';
import { failureTexts } from '../screen/failure-texts.ts';
import { organizationLinks } from '../screen/organization-links.ts';
import type { Control, Screen } from '../screen/screen.ts';
import { texts, wordsOf } from '../texts.ts';
import { signIn } from '../texts/en/sign-in.ts';
import type { FailureReason, SignInState } from './sign-in-state.ts';

export type SignInAction = 'signIn' | 'signInEarlier' | 'stop' | 'leave';
type SignInScreen = Screen<SignInAction>;

const words = wordsOf('signIn', signIn);

/**
 * @param canSuggest the browser can suggest passkeys by itself (conditional UI)
 * @param ofPage the organization in the path, when the sign-in is unknown
 */
export function signInScreen(state: SignInState, canSuggest: boolean, ofPage?: ShownOrganization): SignInScreen {
  const view = 'view' in state ? state.view : undefined;
  const shown = view?.organization ?? ofPage;
  const org = shown?.name ?? texts.someOrg;
  // The addresses are for customers.
  const { help, start } = organizationLinks(isStaff(view) ? undefined : shown);
  const app = view?.app.name ?? texts.someApp;
  const organization = shown && { organization: shown.name };
  const leave = view?.device ? words.leaveDevice : words.back(app);
  const back = view && { secondary: { label: leave, action: 'leave' } satisfies Control<SignInAction> };
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
        body: [
          ...(view?.device ? [words.readyDevice] : []),
          isStaff(view) ? words.readyStaffBody(org) : words.readyBody(org),
        ],
        primary: { label: words.authenticate, action: 'signIn' },
        ...suggestions,
        ...other,
        ...back,
        more: [
          { summary: texts.noPasskeyHere, text: texts.noPasskeyHereBody(org), ...(help[0] && { link: help[0] }) },
          { summary: texts.whatIsPasskey, text: texts.passkey },
        ],
      };
    case 'preparing':
      return { tone: 'busy', ...organization, heading: texts.preparing, body: [texts.preparingBody], ...stop, ...back };
    case 'working':
      return { tone: 'busy', ...organization, heading: words.working, body: [words.workingBody], ...stop, ...back };
    case 'verifying':
      return { tone: 'busy', ...organization, heading: words.verifying, body: [] };
    case 'leaving':
      return {
        tone: 'busy',
        ...organization,
        heading: view?.device ? words.leavingDevice : words.leaving(app),
        body: [],
      };
    case 'unsupported':
    case 'insecure':
      return { ...organization, ...failureTexts(state.name), ...back, links: help };
    case 'expired':
      return {
        tone: 'calm',
        ...organization,
        heading: words.expired,
        body: [view?.device ? words.expiredDeviceBody : words.expiredBody(app)],
        ...backLink(view),
        links: [...(view?.app.uri === undefined ? start : []), ...help],
      };
    case 'stopped':
      return {
        tone: 'stop',
        ...organization,
        ...stopped(state, org, app),
        ...(state.why === 'cancelled' && suggestions),
        ...(view && other),
        ...back,
        ...(needHelp.includes(state.why) && { links: help }),
      };
  }
}

/** What another attempt with the same passkey does not change. */
const needHelp: readonly FailureReason[] = [
  'unknown_passkey',
  'other_organization',
  'counter_went_back',
  'passkey_invalid',
  'unsuitable',
];

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
): Pick<SignInScreen, 'heading' | 'body' | 'primary'> & Partial<Pick<SignInScreen, 'tone'>> {
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
        body: [words.copiedBody, isStaff(view) ? words.copiedStaffAdvice(org) : words.copiedAdvice(org)],
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

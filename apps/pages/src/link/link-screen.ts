import { failureTexts } from '../screen/failure-texts.ts';
import type { Control, Screen } from '../screen/screen.ts';
import { texts } from '../texts.ts';
import type { ClaimState, ClaimView, FailureReason } from './link-state.ts';

type ClaimScreen = Screen<'create'>;

/** Dependencies on the browser: its time zone, and a check of addresses. */
export interface Environment {
  timeZone?: string;
  address: (text: string | undefined) => string | undefined;
}

const words = texts.claim;

export function claimScreen(state: ClaimState, environment: Environment): ClaimScreen {
  const claim = 'claim' in state ? state.claim : undefined;
  const org = claim?.organization.name ?? texts.someOrg;
  const organization = claim && { organization: claim.organization.name };
  switch (state.name) {
    case 'loading':
      return { tone: 'busy', heading: texts.loading, body: [] };
    case 'ready':
      return { ...organization, ...ready(state.claim, org, environment) };
    case 'working':
      return { tone: 'busy', ...organization, heading: words.working, body: [words.workingBody] };
    case 'done':
      return { tone: 'good', ...organization, ...done(org, continueLink(environment.address(state.returnUrl))) };
    case 'spent':
      return {
        tone: 'stop',
        ...organization,
        heading: words.spent,
        body: [words.spentMine, words.spentTheirs(org)],
        ...continueLink(environment.address(claim?.returnUrl)),
      };
    case 'expired':
      return {
        tone: 'stop',
        ...organization,
        heading: words.expired,
        body: [words.expiredBody(org)],
        ...backLink(org, environment.address(claim?.returnUrl)),
      };
    case 'withdrawn':
      return {
        tone: 'stop',
        ...organization,
        heading: words.withdrawn,
        body: [words.withdrawnBody(capitalized(org))],
        ...backLink(org, environment.address(claim?.returnUrl)),
      };
    case 'unknown':
      return { tone: 'stop', heading: words.unknown, body: [words.unknownBody] };
    case 'missing':
      return { tone: 'stop', heading: words.missing, body: [words.missingBody] };
    case 'unsupported':
    case 'insecure':
      return { tone: 'stop', ...organization, ...failureTexts(state.name) };
    case 'stopped':
      return { ...organization, ...stopped(state.why, org, environment.address(claim?.returnUrl), state.retryAfter) };
  }
}

function ready(claim: ClaimView, org: string, { timeZone }: Environment): ClaimScreen {
  const [heading, body] = claim.recovery ? [words.recovery, words.recoveryBody] : [words.ready, words.readyBody];
  return {
    tone: 'calm',
    heading,
    body: [body(org)],
    facts: [
      { name: words.accountType, value: claim.credentialType.display },
      { name: words.until, value: dateAndTime(claim.expiresAt, timeZone) },
    ],
    primary: { label: words.create, action: 'create' },
    more: { summary: texts.whatIsPasskey, text: texts.passkey },
  };
}

function done(org: string, next: { primary?: Control<'create'> }): Omit<ClaimScreen, 'tone'> {
  return { heading: words.done, body: [words.doneBody(org), ...(next.primary ? [] : [words.doneClose])], ...next };
}

function stopped(why: FailureReason, org: string, address: string | undefined, retryAfter?: number): ClaimScreen {
  if (why === 'existing') {
    const retry: Control<'create'> = { label: words.existingAgain, action: 'create' };
    const link = continueLink(address);
    return {
      tone: 'good',
      heading: words.existing,
      body: [words.existingBody(org)],
      ...(link.primary ? { ...link, secondary: retry } : { secondary: retry }),
    };
  }
  // A cancellation is the customer's choice, so it is not shown as an error.
  return {
    tone: why === 'cancelled' ? 'calm' : 'stop',
    ...failureTexts(why, retryAfter),
    primary: { label: texts.tryAgain, action: 'create' },
  };
}

function continueLink(href: string | undefined): { primary?: Control<'create'> } {
  return href ? { primary: { label: words.goOn, href } } : {};
}

/** Links to the app, where the customer can request a new link. */
function backLink(org: string, href: string | undefined): { primary?: Control<'create'> } {
  return href ? { primary: { label: words.back(org), href } } : {};
}

function capitalized(text: string): string {
  return text === texts.someOrg ? text[0]!.toUpperCase() + text.slice(1) : text;
}

/**
 * Formats a time in the customer's time zone, with its name, and with the month as a word, so that it is unambiguous.
 */
export function dateAndTime(instant: string, timeZone?: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    ...(timeZone !== undefined && { timeZone }),
  }).format(new Date(instant));
}

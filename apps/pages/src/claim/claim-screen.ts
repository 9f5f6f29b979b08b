import type { Act, Screen } from '../screen/screen.ts';
import { stoppedWords } from '../screen/stopped.ts';
import { texts } from '../texts.ts';
import type { ClaimState, ClaimView, Stop } from './claim-state.ts';

type ClaimScreen = Screen<'create'>;

/** What the browser adds: its time zone, and which addresses may be led to. */
export interface Surroundings {
  timeZone?: string;
  address: (text: string | undefined) => string | undefined;
}

const words = texts.claim;

export function claimScreen(state: ClaimState, around: Surroundings): ClaimScreen {
  const claim = 'claim' in state ? state.claim : undefined;
  const org = claim?.organization.name ?? texts.someOrg;
  const shown = claim && { organization: claim.organization.name };
  switch (state.name) {
    case 'loading':
      return { tone: 'busy', heading: texts.loading, body: [] };
    case 'ready':
      return { ...shown, ...ready(state.claim, org, around) };
    case 'working':
      return { tone: 'busy', ...shown, heading: words.working, body: [words.workingBody] };
    case 'done':
      return { tone: 'good', ...shown, ...done(org, onwards(around.address(state.returnUrl))) };
    case 'spent':
      return {
        tone: 'stop',
        ...shown,
        heading: words.spent,
        body: [words.spentMine, words.spentTheirs(org)],
        ...onwards(around.address(claim?.returnUrl)),
      };
    case 'expired':
      return {
        tone: 'stop',
        ...shown,
        heading: words.expired,
        body: [words.expiredBody(org)],
        ...wayBack(org, around.address(claim?.returnUrl)),
      };
    case 'withdrawn':
      return {
        tone: 'stop',
        ...shown,
        heading: words.withdrawn,
        body: [words.withdrawnBody(sentence(org))],
        ...wayBack(org, around.address(claim?.returnUrl)),
      };
    case 'unknown':
      return { tone: 'stop', heading: words.unknown, body: [words.unknownBody] };
    case 'missing':
      return { tone: 'stop', heading: words.missing, body: [words.missingBody] };
    case 'unsupported':
    case 'insecure':
      return { tone: 'stop', ...shown, ...stoppedWords(state.name) };
    case 'stopped':
      return { ...shown, ...stopped(state.why, org, around.address(claim?.returnUrl), state.retryAfter) };
  }
}

function ready(claim: ClaimView, org: string, { timeZone }: Surroundings): ClaimScreen {
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

function done(org: string, next: { primary?: Act<'create'> }): Omit<ClaimScreen, 'tone'> {
  return { heading: words.done, body: [words.doneBody(org), ...(next.primary ? [] : [words.doneClose])], ...next };
}

function stopped(why: Stop, org: string, onward: string | undefined, retryAfter?: number): ClaimScreen {
  if (why === 'existing') {
    const again: Act<'create'> = { label: words.existingAgain, action: 'create' };
    const next = onwards(onward);
    return {
      tone: 'good',
      heading: words.existing,
      body: [words.existingBody(org)],
      ...(next.primary ? { ...next, secondary: again } : { secondary: again }),
    };
  }
  // Nothing that a customer did wrong: a cancel is as calm as the beginning.
  return {
    tone: why === 'cancelled' ? 'calm' : 'stop',
    ...stoppedWords(why, retryAfter),
    primary: { label: texts.tryAgain, action: 'create' },
  };
}

function onwards(href: string | undefined): { primary?: Act<'create'> } {
  return href ? { primary: { label: words.goOn, href } } : {};
}

/** Where a new link can be asked for. */
function wayBack(org: string, href: string | undefined): { primary?: Act<'create'> } {
  return href ? { primary: { label: words.back(org), href } } : {};
}

function sentence(text: string): string {
  return text === texts.someOrg ? text[0]!.toUpperCase() + text.slice(1) : text;
}

/**
 * In the customer's own time zone, which is named, with the month as a word: no country reads it the other way round.
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

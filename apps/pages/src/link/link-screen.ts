import type { ShownOrganization } from '@holdfast/contracts';
import { failureTexts } from '../screen/failure-texts.ts';
import { organizationLinks } from '../screen/organization-links.ts';
import type { Control, Screen } from '../screen/screen.ts';
import { texts, type LinkTexts } from '../texts.ts';
import type { FailureReason, LinkState, LinkView } from './link-state.ts';

export type LinkAction = 'create' | 'stop';
type LinkScreen = Screen<LinkAction>;

/** Dependencies on the browser: its time zone, and a check of addresses. */
export interface Environment {
  timeZone?: string;
  address: (text: string | undefined) => string | undefined;
  /** The organization in the path, when the link is unknown. */
  organization?: ShownOrganization;
  /** The browser is part of another app. */
  isInApp?: boolean;
  /** The whole link, in a state in which it should be opened elsewhere. */
  link?: string;
}

/** `words` are those of a claim or of an invitation. */
export function linkScreen(state: LinkState, words: LinkTexts, environment: Environment): LinkScreen {
  const link = 'link' in state ? state.link : undefined;
  const shown = link?.organization ?? environment.organization;
  const org = shown?.name ?? texts.someOrg;
  const organization = shown && { organization: shown.name };
  const { help, start } = organizationLinks(shown);
  /** Those of an organization, where the offer names no address. */
  const links = { links: [...(link?.returnUrl === undefined ? start : []), ...help] };
  switch (state.name) {
    case 'loading':
      return { tone: 'busy', heading: texts.loading, body: [] };
    case 'ready':
      return { ...organization, ...ready(state.link, org, words, environment) };
    case 'preparing':
      return { tone: 'busy', ...organization, heading: texts.preparing, body: [texts.preparingBody], ...stop };
    case 'working':
      return { tone: 'busy', ...organization, heading: words.working, body: [words.workingBody], ...stop };
    case 'saving':
      return { tone: 'busy', ...organization, heading: words.saving, body: [words.savingBody] };
    case 'done':
      if (state.code !== undefined)
        return {
          tone: 'calm',
          ...organization,
          heading: words.confirm,
          body: [words.confirmBody],
          facts: [{ name: words.code, value: state.code }],
        };
      return {
        tone: 'good',
        ...organization,
        ...done(state.link, org, words, continueLink(words, environment.address(state.returnUrl))),
      };
    case 'used':
      return {
        tone: 'calm',
        ...organization,
        heading: words.used,
        body: [words.usedMine, words.usedTheirs(org)],
        ...continueLink(words, environment.address(link?.returnUrl)),
        ...links,
      };
    case 'expired':
      return {
        tone: 'calm',
        ...organization,
        heading: words.expired,
        body: [words.expiredBody(org)],
        ...backLink(org, words, environment.address(link?.returnUrl)),
        ...links,
      };
    case 'withdrawn':
      return {
        tone: 'calm',
        ...organization,
        heading: words.withdrawn,
        body: [words.withdrawnBody(org)],
        ...backLink(org, words, environment.address(link?.returnUrl)),
        ...links,
      };
    case 'unknown':
      return { tone: 'stop', ...organization, heading: words.unknown, body: [words.unknownBody], ...links };
    case 'missing':
      return { tone: 'calm', ...organization, heading: words.missing, body: [words.missingBody], ...links };
    case 'unsupported':
      return { tone: 'calm', ...organization, ...elsewhere(words, environment) };
    case 'insecure':
      return { ...organization, ...failureTexts(state.name) };
    case 'stopped':
      return environment.link === undefined
        ? { ...organization, ...stopped(state, org, words, environment.address(link?.returnUrl)) }
        : { tone: 'calm', ...organization, ...elsewhere(words, environment), other: tryAgain };
  }
}

const stop = { secondary: { label: texts.stop, action: 'stop' } satisfies Control<LinkAction> };
const tryAgain: Control<LinkAction> = { label: texts.tryAgain, action: 'create' };

/** The link is to be opened in a browser with passkeys, or on another device. */
function elsewhere(words: LinkTexts, { isInApp = false, link }: Environment): Omit<LinkScreen, 'tone'> {
  return {
    heading: isInApp ? words.inApp : texts.stopped.unsupported,
    body: [isInApp ? words.inAppBody : words.unsupportedBody, words.notUsed],
    ...(link !== undefined && { share: { address: link, ...texts.share } }),
  };
}

function ready(link: LinkView, org: string, words: LinkTexts, { timeZone }: Environment): LinkScreen {
  const [heading, body] = link.adds
    ? [words.adding, words.addingBody]
    : link.recovery
      ? [words.recovery, words.recoveryBody]
      : [words.ready, words.readyBody];
  return {
    tone: 'calm',
    heading,
    body: [body(org)],
    facts: [
      ...(link.accountType === undefined ? [] : [{ name: texts.accountType, value: link.accountType }]),
      { name: texts.until, value: dateAndTime(link.expiresAt, timeZone) },
    ],
    primary: { label: words.create, action: 'create' },
    more: [{ summary: texts.whatIsPasskey, text: texts.passkey }],
  };
}

function done(
  { adds }: LinkView,
  org: string,
  words: LinkTexts,
  next: { primary?: Control<LinkAction> },
): Omit<LinkScreen, 'tone'> {
  const [heading, body] = adds ? [words.added, words.addedBody(org)] : [words.done, words.doneBody(org)];
  return { heading, body: [body, ...(next.primary ? [] : [words.doneClose])], ...next };
}

function stopped(
  { why, retryAfter }: { why: FailureReason; retryAfter?: number },
  org: string,
  words: LinkTexts,
  address: string | undefined,
): LinkScreen {
  if (why === 'existing') {
    const retry: Control<LinkAction> = { label: words.existingAgain, action: 'create' };
    const next = continueLink(words, address);
    return {
      tone: 'good',
      heading: words.existing,
      body: [words.existingBody(org)],
      ...(next.primary ? { ...next, secondary: retry } : { secondary: retry }),
    };
  }
  return {
    ...failureTexts(why, retryAfter),
    primary: tryAgain,
  };
}

function continueLink(words: LinkTexts, href: string | undefined): { primary?: Control<LinkAction> } {
  return href ? { primary: { label: words.goOn, href } } : {};
}

/** Links to the app, where a customer can request a new link. */
function backLink(org: string, words: LinkTexts, href: string | undefined): { primary?: Control<LinkAction> } {
  return href ? { primary: { label: words.back(org), href } } : {};
}

/**
 * Formats a time in the reader's time zone, with its name, and with the month as a word, so that it is unambiguous.
 */
export function dateAndTime(instant: string, timeZone?: string): string {
  return new Intl.DateTimeFormat(texts.locale, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    ...(timeZone !== undefined && { timeZone }),
  }).format(new Date(instant));
}

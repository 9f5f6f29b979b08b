import type { ShownOrganization } from '@holdfast/contracts';
import { failureTexts } from '../screen/failure-texts.ts';
import { organizationLinks } from '../screen/organization-links.ts';
import type { Control, List, Screen } from '../screen/screen.ts';
import { texts, wordsOf } from '../texts.ts';
import { account as english } from '../texts/en/account.ts';
import { passkeyLink } from '../texts/en/passkey-link.ts';
import { signIn } from '../texts/en/sign-in.ts';
import type { AccountState, AccountView, MadePasskey, Refusal } from './account-state.ts';

export type AccountAction =
  | 'signIn'
  | 'stop'
  | 'add'
  | 'addElsewhere'
  | 'endAll'
  | 'signOut'
  | 'confirm'
  | 'back'
  | `${'rename' | 'remove' | 'end'}:${string}`;
type AccountScreen = Screen<AccountAction>;

const words = wordsOf('account', english);
const signInWords = wordsOf('signIn', signIn);
const linkWords = wordsOf('passkeyLink', passkeyLink);
const back: Control<AccountAction> = { label: words.back, action: 'back' };
const stop: Control<AccountAction> = { label: texts.stop, action: 'stop' };

/** @param canSuggest the browser can suggest passkeys by itself (conditional UI) */
export function accountScreen(state: AccountState, canSuggest: boolean, timeZone?: string): AccountScreen {
  const shown = 'view' in state ? state.view.organization : 'organization' in state ? state.organization : undefined;
  const organization = shown && { organization: shown.name };
  const org = shown?.name ?? texts.someOrg;
  const { help } = organizationLinks(shown);
  switch (state.name) {
    case 'loading':
      return { tone: 'busy', heading: texts.loading, body: [] };
    case 'unknown':
      return { tone: 'calm', heading: words.unknown, body: [words.unknownBody] };
    case 'unsupported':
    case 'insecure':
      return { ...organization, ...failureTexts(state.name), links: help };
    case 'signedOut':
      return {
        tone: 'calm',
        ...organization,
        heading: state.why ? words.signedOut[state.why] : words.signIn(org),
        body: [words.signInBody],
        primary: { label: signInWords.authenticate, action: 'signIn' },
        ...(canSuggest && { suggestions: true }),
        links: help,
        more: [{ summary: texts.noPasskeyHere, text: texts.noPasskeyHereBody(org) }],
      };
    case 'preparing':
      return { tone: 'busy', ...organization, heading: texts.preparing, body: [texts.preparingBody], secondary: stop };
    case 'working': {
      const { working, workingBody } = signInWords;
      return { tone: 'busy', ...organization, heading: working, body: [workingBody], secondary: stop };
    }
    case 'verifying':
      return { tone: 'busy', ...organization, heading: signInWords.verifying, body: [] };
    case 'refused':
      return { tone: 'stop', ...organization, ...refused(state.reason, org), links: help };
    case 'stopped':
      return {
        ...organization,
        ...failureTexts(state.why, state.retryAfter),
        primary: { label: texts.tryAgain, action: 'signIn' },
        ...(canSuggest && state.organization && { suggestions: true }),
      };
    case 'busy':
      return { tone: 'busy', ...organization, heading: texts.loading, body: [] };
    case 'adding':
      return { tone: 'busy', ...organization, ...adding(state.step) };
    case 'linking':
      return { tone: 'calm', ...organization, ...linking(state.address, state.made) };
    case 'renaming':
      return {
        tone: 'calm',
        ...organization,
        heading: words.rename,
        body: [words.renameBody],
        field: { label: words.passkeyName, value: nameOf(state.view, state.passkey), maxLength: 60 },
        primary: { label: words.save, action: 'confirm' },
        secondary: back,
      };
    case 'removing':
      return {
        tone: 'calm',
        ...organization,
        heading: words.removeQuestion(nameOf(state.view, state.passkey)),
        body: [
          words.removeBody,
          ...(state.passkey === state.view.current ? [words.removeCurrent] : []),
          words.removeOnDevice,
        ],
        primary: { label: words.remove, action: 'confirm' },
        secondary: back,
      };
    case 'account':
      return {
        tone: state.notice === 'added' ? 'good' : 'calm',
        ...organization,
        ...account(state.view, state.view.organization, timeZone),
        body: state.notice ? [words.notice[state.notice]] : [words.body],
        links: help,
      };
  }
}

function account(
  view: AccountView,
  { name: org }: ShownOrganization,
  timeZone?: string,
): Pick<AccountScreen, 'heading' | 'lists' | 'secondary' | 'more'> {
  return {
    heading: words.heading(org),
    lists: [credentialsOf(view, timeZone), passkeysOf(view, timeZone), sessionsOf(view, timeZone)],
    secondary: { label: words.leave, action: 'signOut' },
    more: [
      { summary: words.whatOrgSees(org), text: words.whatOrgSeesBody(org) },
      { summary: words.lostDevice, text: words.lostDeviceBody(org) },
    ],
  };
}

function credentialsOf({ credentials }: AccountView, timeZone?: string): List<AccountAction> {
  return {
    heading: words.credentials,
    items: credentials.map(({ credentialType, state, issuedAt, expiresAt, renews }) => ({
      title: credentialType.display,
      lines: [
        words.state[state],
        words.since(dateOf(issuedAt, timeZone)),
        ...(expiresAt === undefined ? [words.noEnd] : [words.until(dateOf(expiresAt, timeZone))]),
        ...(renews && state === 'live' ? [words.renews] : []),
      ],
    })),
  };
}

function passkeysOf({ passkeys, current, mayAddPasskey }: AccountView, timeZone?: string): List<AccountAction> {
  return {
    heading: words.passkeys,
    items: passkeys.map(({ id, name, synced, createdAt, lastUsedAt }) => ({
      title: id === current ? words.thisOne(name) : name,
      lines: [
        synced ? words.synced : words.onDevice,
        words.added(dateOf(createdAt, timeZone)),
        lastUsedAt === undefined ? words.neverUsed : words.lastUsed(dateOf(lastUsedAt, timeZone)),
      ],
      controls: [
        { label: words.rename, action: `rename:${id}` },
        // The last one stays.
        ...(passkeys.length > 1 ? [{ label: words.remove, action: `remove:${id}` } as const] : []),
      ],
    })),
    ...(mayAddPasskey && {
      controls: [
        { label: words.add, action: 'add' },
        { label: words.addElsewhere, action: 'addElsewhere' },
      ],
    }),
  };
}

function sessionsOf({ sessions, passkeys }: AccountView, timeZone?: string): List<AccountAction> {
  const names = new Map(passkeys.map(({ id, name }) => [id, name]));
  return {
    heading: words.sessions,
    items: sessions.map(({ id, apps, signedInAt, passkey, browser }) => ({
      title: apps.length === 0 ? words.noApp : apps.map(({ name }) => name).join(', '),
      lines: [
        words.signedInSince(dateOf(signedInAt, timeZone)),
        ...(browser ? [] : [words.withoutBrowser]),
        ...(passkey !== undefined && names.has(passkey) ? [words.withPasskey(names.get(passkey)!)] : []),
      ],
      controls: [{ label: words.end, action: `end:${id}` }],
    })),
    controls: sessions.length > 0 ? [{ label: words.endAll, action: 'endAll' }] : [],
    ...(sessions.length === 0 && { empty: words.noSessions }),
  };
}

function refused(reason: Refusal, org: string): Pick<AccountScreen, 'heading' | 'body' | 'primary'> {
  const { unknown, unknownBody, copied, copiedBody, copiedAdvice, other, otherBody, chooseOther } = signInWords;
  const retry = { primary: { label: chooseOther, action: 'signIn' } satisfies Control<AccountAction> };
  switch (reason) {
    case 'unknown_passkey':
      return { heading: unknown, body: [unknownBody(org)], ...retry };
    case 'other_organization':
      return { heading: other, body: [otherBody(org)], ...retry };
    case 'counter_went_back':
      return { heading: copied, body: [copiedBody, copiedAdvice(org)], ...retry };
    case 'no_live_credential':
      return { heading: words.notLive, body: [words.notLiveBody(org)] };
  }
}

function adding(step: 'preparing' | 'working' | 'saving'): Pick<AccountScreen, 'heading' | 'body' | 'secondary'> {
  const { working, workingBody, saving, savingBody } = linkWords;
  switch (step) {
    case 'preparing':
      return { heading: texts.preparing, body: [texts.preparingBody], secondary: stop };
    case 'working':
      return { heading: working, body: [workingBody], secondary: stop };
    case 'saving':
      return { heading: saving, body: [savingBody] };
  }
}

/** The link, until another device has made a passkey with it. */
function linking(address: string, made?: MadePasskey): Omit<AccountScreen, 'tone'> {
  if (!made)
    return {
      heading: words.link,
      body: [words.linkBody],
      share: { address, copy: texts.share.copy, copied: words.copied, scan: texts.share.scan },
      secondary: back,
    };
  return {
    heading: words.compare,
    body: [words.compareBody(made.name)],
    facts: [{ name: linkWords.code, value: made.code }],
    primary: { label: words.confirmCode, action: 'confirm' },
    secondary: { label: words.denyCode, action: 'back' },
  };
}

function nameOf({ passkeys }: AccountView, id: string): string {
  return passkeys.find((passkey) => passkey.id === id)?.name ?? '';
}

function dateOf(instant: string, timeZone?: string): string {
  return new Intl.DateTimeFormat(texts.locale, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    ...(timeZone !== undefined && { timeZone }),
  }).format(new Date(instant));
}

import { account } from './account/en.ts';

const someOrg = 'the organization';
/** At the start of a sentence. */
const atStart = (org: string) => (org === someOrg ? 'The organization' : org);

/** Words that every page has that a link opens. */
const link = {
  create: 'Create my passkey',
  working: 'Confirm on your device',
  workingBody: 'It asks for your fingerprint, face or PIN. This page continues by itself.',
  saving: 'Almost done …',
  savingBody: 'Your passkey is on your device. We are saving it here.',
  inApp: 'Open this link in your browser',
  inAppBody:
    'It was opened inside another app, where a passkey cannot be created. Copy the link and paste it into the ' +
    'address bar of your browser, or scan the code with another device.',
  unsupportedBody:
    'Open this link in a current Chrome, Edge, Firefox or Safari: copy it, or scan the code with your phone.',
  notUsed: 'The link has not been used: it works there.',
  adding: 'Add a passkey',
  addingBody: (org: string) =>
    `With it you can sign in to ${org} on this device too. The passkeys that you have already keep working.`,
  added: 'Your passkey has been added',
  addedBody: (org: string) => `You can now sign in to ${org} with it, and with the ones that you had before.`,
  confirm: 'Now confirm it on your other device',
  confirmBody:
    'The page on which you began shows this code too. Compare the two, and confirm it there. Then you can sign in on ' +
    'this device.',
  code: 'Code',
  doneClose: 'You can close this page.',
  goOn: 'Continue',
  back: (org: string) => `Back to ${org}`,
  expiredBody: (org: string) => `Links work for a limited time. Ask ${org} to send you a new one.`,
  withdrawnBody: (org: string) =>
    `${atStart(org)} took it back, or sent you a newer one. Look for a later message, or ask for a new link.`,
  unknown: 'This link is not valid',
  unknownBody:
    'It may be damaged or incomplete. Open it again from the message, in full. If that does not help, ask the ' +
    'organization that sent it for a new one.',
  missing: 'Open the link from your message',
  missingBody:
    'This page needs the whole link that was sent to you. Open it from there again; a copied address may lack its ' +
    'last part.',
  existing: 'Your passkey is already on this device',
  existingBody: (org: string) =>
    `There is nothing more to do here: sign in to ${org} with it. ` +
    'For a passkey elsewhere, choose another device when yours asks.',
  existingAgain: 'Use another device',
};

/**
 * All texts that a customer or a person of an organization reads. `org` and `app` are chosen by the organization: show
 * them as text, never as HTML.
 */
export const en = {
  /** Of dates and numbers. */
  locale: 'en-GB',
  direction: 'ltr' as 'ltr' | 'rtl',
  loading: 'One moment …',
  late: 'Nothing happens? Load this page again. It needs JavaScript and a browser of the last few years.',
  noScriptTitle: 'JavaScript is switched off',
  noScript: 'This page needs JavaScript. Switch it on for this site, or open the link in another browser.',
  preparing: 'Asking your device …',
  preparingBody: 'On a slow connection this takes a moment.',
  stop: 'Cancel',
  tryAgain: 'Try again',
  share: {
    copy: 'Copy link',
    copied: 'Copied. Paste it into the address bar of your browser.',
    scan: 'Scan this code with the camera of another device.',
  },
  accountType: 'Account type',
  until: 'This link works until',
  help: (org: string) => `Get help from ${org}`,
  continueTo: (org: string) => `Continue to ${org}`,
  noPasskeyHere: 'No passkey on this device?',
  noPasskeyHereBody: (org: string) =>
    'If it is on your phone, continue here and choose another device when yours asks: you scan a code with your ' +
    `phone. If you have lost your device, or your passkey with it, ask ${org} for a new link.`,
  whatIsPasskey: 'What is a passkey?',
  passkey:
    'A passkey replaces the password. It stays with your device or your password manager, and you unlock it the way ' +
    'you unlock your screen: by fingerprint, face or PIN. There is nothing to remember and nothing that anybody ' +
    'could steal from us.',

  claim: {
    ...link,
    title: 'Passkey',
    ready: 'Create your passkey',
    readyBody: (org: string) =>
      `It signs you in to ${org} without a password: your device asks for your fingerprint, face or PIN.`,
    recovery: 'Create a new passkey',
    recoveryBody: (org: string) =>
      `Your account with ${org} stays as it is. The new passkey replaces the one before, which stops working.`,
    done: 'Your passkey is ready',
    doneBody: (org: string) => `From now on you sign in to ${org} with it. You will not need this link again.`,
    used: 'This link has been used',
    usedMine: 'A passkey was created with it. If that was you, all is well: sign in with your passkey.',
    usedTheirs: (org: string) =>
      `If it was not you, tell ${org} at once. It can block that passkey and send you a new link.`,
    expired: 'This link has expired',
    withdrawn: 'This link is no longer valid',
  },

  invitation: {
    ...link,
    title: 'Invitation',
    ready: 'Accept your invitation',
    readyBody: (org: string) =>
      `${org} has invited you to its team. Create a passkey to accept: you sign in with it from now on, without a ` +
      'password, and your device asks for your fingerprint, face or PIN.',
    recovery: 'Create a new passkey',
    recoveryBody: (org: string) =>
      `Your account at ${org} stays as it is. The new passkey replaces all earlier ones, which stop working, and you ` +
      'are signed out everywhere.',
    done: 'You are on the team',
    doneBody: (org: string) =>
      `From now on you sign in to ${org} and its apps with your passkey. You will not need this link again.`,
    used: 'This invitation has been accepted',
    usedMine: 'A passkey was created with this link. If that was you, all is well: sign in with your passkey.',
    usedTheirs: (org: string) =>
      `If it was not you, tell ${org} at once. It can deactivate the account and send you a new link.`,
    expired: 'This invitation has expired',
    withdrawn: 'This invitation is no longer valid',
  },

  passkeyLink: {
    ...link,
    title: 'Add a passkey',
    ready: link.adding,
    readyBody: link.addingBody,
    recovery: link.adding,
    recoveryBody: link.addingBody,
    done: link.added,
    doneBody: link.addedBody,
    used: 'A passkey was made with this link',
    usedMine: 'If that was you: confirm it on the device where you began.',
    usedTheirs: () => 'If it was not you, do not confirm it there, and make a new link.',
    expired: 'This link has expired',
    expiredBody: () => 'It works for ten minutes. Make a new one on the page where you began.',
    withdrawn: 'This link is no longer valid',
    withdrawnBody: () => 'Make a new one on the page where you began.',
  },

  signIn: {
    title: 'Sign in',
    ready: (app: string) => `Sign in to ${app}`,
    readyBody: (org: string) => `Use the passkey that you made for ${org}.`,
    readyStaffBody: (org: string) =>
      `For people who work at ${org}: use the passkey that you made for your work account.`,
    authenticate: 'Sign in with a passkey',
    authenticateEarlier: 'Use an earlier passkey',
    back: (app: string) => `Back to ${app}`,
    working: 'Confirm on your device',
    workingBody: 'It asks for your fingerprint, face or PIN.',
    verifying: 'Signing you in …',
    leaving: (app: string) => `Going to ${app} …`,
    unknown: 'This passkey is not known here',
    unknownBody: (org: string) =>
      `${org} has no account for it, or no longer has. Choose another passkey, or ask ${org} for a new link.`,
    unknownStaffBody: (org: string) =>
      `No work account at ${org} has it. A passkey that you made as a customer does not work here. ` +
      `Choose another one, or ask an administrator of ${org} for a new link.`,
    deactivated: 'Your account is deactivated',
    deactivatedBody: (org: string) =>
      `Your passkey is right, and your work account at ${org} is switched off at the moment. ` +
      `Ask an administrator of ${org} if you need it.`,
    notAssigned: (app: string) => `You do not have access to ${app}`,
    notAssignedBody: (app: string, org: string) =>
      `Your passkey is right, and ${app} is not among the apps of your work account. ` +
      `Ask an administrator of ${org} for access.`,
    copied: 'This passkey needs to be replaced',
    copiedBody:
      'Your device counts how often it was used, and its count does not fit what we remember. Somebody may have ' +
      'copied it, so it no longer signs you in.',
    copiedAdvice: (org: string) => `Choose another passkey, or ask ${org} for a new link.`,
    copiedStaffAdvice: (org: string) => `Choose another passkey, or ask an administrator of ${org} for a new link.`,
    other: 'This passkey belongs to somewhere else',
    otherBody: (org: string) =>
      `It is for another organization, where it keeps working. Choose the one that you made for ${org}.`,
    chooseOther: 'Choose another passkey',
    expired: 'Please start again',
    expiredBody: (app: string) =>
      'This sign-in has ended: it took too long, or it was completed before. Nothing is wrong with your passkey. ' +
      `Go back to ${app} and sign in from there.`,
  },

  account,

  hub: {
    title: 'Hub',
    signedIn: (name: string) => name,
    signedInBody: 'You are signed in to the hub of your organization.',
    verify: 'Verify an export of the audit log',
    email: 'E-mail',
    roles: 'Roles',
    noRoles: 'None',
    role: { owner: 'Owner', admin: 'Admin', auditor: 'Auditor', approver: 'Approver', support: 'Support' },
    signOut: 'Sign out',
    signingOut: 'Signing you out …',
    signedOut: 'Sign in to the hub',
    signedOutBody: 'Use the passkey that you made when you accepted your invitation.',
    signIn: 'Sign in',
    denied: 'You cannot sign in here',
    deniedBody: 'Your account is not active, or you left without signing in. Ask the people who invited you.',
    failed: 'That sign-in did not work',
    failedBody: 'It took too long, or it began in another tab or browser. Please sign in again.',
  },

  verify: {
    title: 'Verify an audit log',
    heading: 'Verify an audit log',
    body: [
      'Choose an export of an audit log that was made with proof, or the proof of one entry. This page says whether ' +
        'it is complete and unchanged.',
      'The file stays in your browser: nothing of it is sent anywhere. The browser enforces this: this page may ' +
        'connect to no server.',
    ],
    trust:
      'This page comes from the server in the address bar. If that server may be the one that changed the log, ' +
      'verify with the command line of Holdfast, with this page of another installation, or with a program of your ' +
      'own: the format is documented.',
    file: 'File',
    fileHint: 'An export with proof (NDJSON), or the proof of an entry.',
    keys: 'Verifier key of the log',
    keysHint:
      'name+hash+key, which you got once from the owner of the log over a channel that you trust. After a change of ' +
      'keys there are two: one a line.',
    further: 'Checkpoint and witnesses',
    keptCheckpoint: 'Checkpoint that you kept',
    keptCheckpointHint: 'Shows that the log still continues what it was then. Paste all of its lines.',
    witnesses: 'Verifier keys of witnesses',
    witnessesHint: 'One a line. They must have cosigned the checkpoint above.',
    quorum: 'How many witnesses must have cosigned it',
    quorumHint: 'All of them, if you leave this empty.',
    allowUnprovable: 'Accept pseudonyms and values that cannot be checked, as in logs of early versions',
    verify: 'Verify',
    verifying: 'Verifying …',
    verifyingBody: 'A large file takes some minutes. Leave this page open.',
    progress: 'Part of the file that is verified',
    cancel: 'Cancel',
    again: 'Verify another file',
    failed: 'The file could not be read to its end, or this browser is too old: it needs one of the last two years.',
    verified: 'Verified',
    verifiedBody: (entries: number) =>
      `${entries === 1 ? 'The entry is' : `All ${entries} entries are`} as the log has signed ` +
      `${entries === 1 ? 'it' : 'them'}: none is missing, changed, inserted or moved.`,
    withoutCheckpoint:
      'Without a checkpoint that you kept, or that witnesses have cosigned, the newest entries may have been removed ' +
      'and the rest signed again.',
    log: 'Log',
    entries: 'Entries',
    entriesRead: 'Entries read',
    checkpoint: 'Newest checkpoint',
    checkpointOf: (size: number, root: string) => `${size} entries, root ${root}`,
    continues: 'Continues the checkpoint',
    dropped: 'Dropped',
    droppedOf: (dropped: number) => `${dropped} entries, as the log itself records: only their hashes are left`,
    unprovable: 'Accepted without proof',
    refuted: 'Does not verify',
    refutedBody: 'The file is not the log as it was signed:',
    more: (count: number) => `… and ${count} more.`,
    onlyUnprovable: 'Cannot be proven in full',
    onlyUnprovableBody:
      'Nothing else is wrong with it. Logs of early versions look like this, and so does a log of which somebody ' +
      'removed what would prove it:',
    undecided: 'Cannot be decided',
    undecidedBody: 'This says nothing about the log: it is neither verified nor refuted.',
    entry: 'The entry is in the log',
    entryBody: (origin: string) => `The signed log ${origin} has it, unchanged.`,
    entryId: 'Event',
    action: 'Action',
    occurredAt: 'Time',
    place: 'Place',
    placeOf: (seq: number, size: number) => `Entry ${seq} of ${size}`,
    wrongEntry: 'The entry is not in the log',
    wrongEntryBody:
      'The checkpoint is genuine, and its log does not have this entry at this place: the entry or its place was ' +
      'changed.',
  },

  stopped: {
    cancelled: 'Your device did not confirm',
    cancelledBody: 'It was cancelled, or it took too long. You can try again as often as you like.',
    tooLate: 'That took a little too long',
    tooLateBody: 'For your safety the request expired. Please try again.',
    invalid: 'That did not work',
    invalidBody:
      'The passkey could not be verified. Try again, and confirm with your fingerprint, face or PIN when asked.',
    unsuitable: 'This device cannot do this yet',
    unsuitableBody:
      'A passkey needs a screen lock: a fingerprint, a face or a PIN. ' +
      'Set one up in the settings of your device, or use another device.',
    insecure: 'Not at this address',
    insecureBody:
      'Passkeys work only at the right, secure address (https). Open the link exactly as it was sent to you.',
    unsupported: 'This browser has no passkeys',
    unsupportedBody: 'Update it, or use a current Chrome, Edge, Firefox or Safari, on this device or on your phone.',
    busy: 'Too many tries',
    busyBody: (seconds?: number) => `Please wait ${waitingTime(seconds)}, then try again.`,
    unavailable: 'We cannot be reached right now',
    unavailableBody: 'Nothing is lost. Check your connection and try again in a moment.',
  },

  /** Used when the name is unknown. */
  someOrg,
  someApp: 'the app that you came from',
};

/** The texts of a language. Each other language has the same ones. */
export type Texts = typeof en;

/** The words of a page that a link opens. */
export type LinkTexts = Texts['claim'];

function waitingTime(seconds: number | undefined): string {
  if (seconds === undefined) return 'a minute';
  return seconds === 1 ? 'a second' : `${seconds} seconds`;
}

export const verify = {
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
};

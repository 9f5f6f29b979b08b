/** Without schemas, since browsers load it too. */

/** Why a person may not sign in to an app: a reply and no error, since the page shows it and stays usable. */
export const personDenialReasons = [
  'unknown_passkey',
  'other_organization',
  'counter_went_back',
  'deactivated',
  'not_assigned',
] as const;

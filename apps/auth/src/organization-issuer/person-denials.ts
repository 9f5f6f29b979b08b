import type { personDenialReasons } from '@holdfast/contracts';
import type { PersonDenial } from '../request-context/issuer-request.js';

/** What the people who run an app read in `error_description` when a person may not sign in to it. */
export const personDenials: Record<
  Exclude<PersonDenial, 'sign_in_ended'> | (typeof personDenialReasons)[number],
  string
> = {
  deactivated: 'the person is deactivated',
  not_assigned: 'the person is not assigned to the app',
  unknown: 'the person is not known',
  unknown_passkey: 'the person is not known',
  counter_went_back: 'the passkey may have been copied',
  other_organization: 'the person belongs to another organization',
};

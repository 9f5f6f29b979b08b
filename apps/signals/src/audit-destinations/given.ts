import { destinationKinds, type DestinationKindName, type DestinationSettings } from '@holdfast/contracts';
import { AppError, OutboundError, unprocessable, validationIssues, type Outbound } from '@holdfast/platform';
import { kindOf } from './kinds/index.js';

/** Settings of a change, by the schema of the kind. @throws invalid_request */
export function settingsOf(kind: DestinationKindName, given: unknown): unknown {
  return parsed('settings', destinationKinds[kind].settings.safeParse(given));
}

/** Credentials of a change. @throws invalid_request, also for a kind whose secret is generated */
export function credentialsOf(kind: DestinationKindName, given: unknown): unknown {
  const { credentials } = destinationKinds[kind];
  if (!credentials)
    throw unprocessable([{ pointer: '#/credentials', detail: `A destination of the kind ${kind} is given none.` }]);
  return parsed('credentials', credentials.safeParse(given));
}

type Parsed = { success: true; data: unknown } | { success: false; error: { issues: never[] } };

function parsed(member: string, result: unknown): unknown {
  const checked = result as Parsed;
  if (checked.success) return checked.data;
  const issues = validationIssues(checked.error.issues);
  throw unprocessable(issues.map(({ pointer, detail }) => ({ pointer: pointer.replace('#', `#/${member}`), detail })));
}

/** Who gets the credentials: scheme, host and port. */
export function originOf(kind: DestinationKindName, settings: unknown): string {
  if (kind !== 'syslog') return new URL((settings as { url: string }).url).origin;
  const { host, port } = settings as DestinationSettings<'syslog'>;
  return `${host.toLowerCase()}:${port}`;
}

/** @throws invalid_request when settings name an address that must not be called */
export function requireCallable(kind: DestinationKindName, settings: unknown, outbound: Outbound): void {
  try {
    kindOf(kind).check(settings, outbound);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw new AppError('invalid_request', undefined, {
      status: 422,
      errors: [{ pointer: kind === 'syslog' ? '#/settings/host' : '#/settings/url', detail: error.message }],
    });
  }
}

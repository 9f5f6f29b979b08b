export const requestStatuses = ['pending', 'approved', 'denied', 'withdrawn', 'expired', 'cancelled'] as const;
type RequestStatus = (typeof requestStatuses)[number];

/** Which access requests are listed, in the address; without a status those that wait for a decision. */
export interface RequestSearch {
  status?: RequestStatus | 'all';
}

export function requestSearchOf({ status }: Record<string, unknown>): RequestSearch {
  const known = [...requestStatuses, 'all' as const].find((one) => one === status);
  return known === undefined || known === 'pending' ? {} : { status: known };
}

/** Whose or which app's access is shown, in the address. */
export interface EntitlementSearch {
  user?: string;
  app?: string;
}

export function entitlementSearchOf({ user, app }: Record<string, unknown>): EntitlementSearch {
  return {
    ...(typeof user === 'string' && user !== '' && { user }),
    ...(typeof app === 'string' && app !== '' && { app }),
  };
}

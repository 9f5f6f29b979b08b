export const messageStatuses = ['pending', 'delivered', 'failed', 'skipped'] as const;
type MessageStatus = (typeof messageStatuses)[number];

/** Which messages are shown, in the address. */
export interface MessageSearch {
  status?: MessageStatus;
}

export function messageSearchOf({ status }: Record<string, unknown>): MessageSearch {
  const known = messageStatuses.find((one) => one === status);
  return known === undefined ? {} : { status: known };
}

/** Which customers are listed, in the address. */
export interface CustomerSearch {
  app?: string;
  claimed?: 'true' | 'false';
}

/** Only what is known, and not empty. */
export function customerSearchOf({ app, claimed }: Record<string, unknown>): CustomerSearch {
  return {
    ...(typeof app === 'string' && app !== '' && { app }),
    // The router reads a bare word as JSON.
    ...((claimed === 'true' || claimed === true) && { claimed: 'true' }),
    ...((claimed === 'false' || claimed === false) && { claimed: 'false' }),
  };
}

/** Which customers are listed, in the address. */
export interface CustomerSearch {
  app?: string;
  claimed?: boolean;
}

/** Only what is known, and not empty. */
export function customerSearchOf({ app, claimed }: Record<string, unknown>): CustomerSearch {
  return {
    ...(typeof app === 'string' && app !== '' && { app }),
    ...(typeof claimed === 'boolean' && { claimed }),
  };
}

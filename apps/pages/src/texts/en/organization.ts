/** Used when the name is unknown. */
export const someOrg = 'the organization';
/** At the start of a sentence. */
export const atStart = (org: string) => (org === someOrg ? 'The organization' : org);

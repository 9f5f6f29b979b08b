/** Where an ID leads that somebody has pasted: a client ID to its app, any other one to the customer. */
export function destinationOf(id: string): string | undefined {
  if (/^app_[\w-]{22}$/.test(id)) return `/apps/${id}`;
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id) ? `/customers/${id.toLowerCase()}` : undefined;
}

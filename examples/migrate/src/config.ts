const { HOLDFAST_URL, ORGANIZATION, CLIENT_ID, CLIENT_SECRET } = process.env;

/** Where offers are made, and as which app. */
export const config = {
  baseUrl: HOLDFAST_URL ?? 'http://localhost:8080',
  organization: ORGANIZATION ?? 'acme',
  clientId: CLIENT_ID ?? '',
  clientSecret: CLIENT_SECRET ?? '',
};

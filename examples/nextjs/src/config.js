const { ISSUER, CLIENT_ID, CLIENT_SECRET, ORIGIN = 'http://localhost:3002' } = process.env;

const found = /^(https?:\/\/.+)\/o\/([^/]+)$/.exec(ISSUER ?? '');
if (!found?.[1] || !found[2]) throw new Error('ISSUER is not set. Put it into .env: http://localhost:8080/o/acme');
if (!CLIENT_ID || !CLIENT_SECRET) throw new Error('CLIENT_ID or CLIENT_SECRET is not set. Put both into .env.');

export const config = {
  issuer: found[0],
  /** Where Holdfast is, and which organization of it. */
  baseUrl: found[1],
  organization: found[2],
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  /** Of this app, as browsers see it. */
  origin: ORIGIN,
};
